package io.stag.cli.perf;

import java.util.Locale;

/** What carries the messages. */
public enum Transport {
    /** Connections. */
    TCP,
    /** Datagrams, without connection: they may get lost. */
    UDP,
    /** Reliable datagrams: nothing gets lost. */
    RD;

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
