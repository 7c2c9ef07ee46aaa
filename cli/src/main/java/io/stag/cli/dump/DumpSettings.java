package io.stag.cli.dump;

import java.util.Optional;

/**
 * What the user asked for.
 *
 * @param verbose whether all fields are shown
 * @param guess whether FPDUs are searched in streams without startup frames
 * @param port only connections with this port at either end; 0 takes all
 * @param crc whether CRC is used, instead of what the startup frames say
 * @param markers whether Markers are used, instead of what the startup frames say
 */
record DumpSettings(boolean verbose, boolean guess, int port, Optional<Boolean> crc, Optional<Boolean> markers) {}
