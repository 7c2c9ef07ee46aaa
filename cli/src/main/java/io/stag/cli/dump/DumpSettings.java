package io.stag.cli.dump;

import java.util.Optional;

/**
 * What the user asked for.
 *
 * @param verbose whether all fields are shown
 * @param guess whether FPDUs are searched in streams without startup frames
 * @param port only connections and datagrams with this port at either end; 0 takes all
 * @param crc whether CRC is used, instead of what the startup frames say
 * @param markers whether Markers are used, instead of what the startup frames say
 */
record DumpSettings(boolean verbose, boolean guess, int port, Optional<Boolean> crc, Optional<Boolean> markers) {
    /** Whether the user wants to see what travels between two ends. */
    boolean takes(Endpoint one, Endpoint other) {
        return port == 0 || one.port() == port || other.port() == port;
    }
}
