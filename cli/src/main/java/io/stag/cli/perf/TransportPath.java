package io.stag.cli.perf;

import java.util.Locale;

/** Which system calls carry the octets. */
public enum TransportPath {
    /** Those of java.nio, everywhere. */
    NIO,
    /** Direct ones through the foreign function API, on Linux with native access. */
    FFM;

    /** The faster one of those that work here. */
    public static TransportPath best() {
        return Affinity.isAvailable() ? FFM : NIO;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
