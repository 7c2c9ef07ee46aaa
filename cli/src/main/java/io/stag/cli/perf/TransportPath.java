package io.stag.cli.perf;

import java.util.Locale;

/** Which system calls carry the octets. */
enum TransportPath {
    /** Those of java.nio, everywhere. */
    NIO,
    /** Direct ones through the foreign function API, on Linux with native access. */
    FFM;

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
