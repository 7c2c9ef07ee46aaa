package io.stag.cli;

import java.util.Locale;

/** Value of an option that switches something. */
public enum OnOff {
    /** Switched on. */
    ON,
    /** Switched off. */
    OFF;

    /**
     * The switch for a truth value.
     *
     * @param value whether on
     */
    public static OnOff of(boolean value) {
        return value ? ON : OFF;
    }

    /** True when on. */
    public boolean isOn() {
        return this == ON;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
