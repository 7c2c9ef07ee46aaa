package io.stag.cli.misbehave;

import java.time.Duration;

/**
 * How long to wait for what.
 *
 * @param answer for an answer of the peer
 * @param patience for a time-out of the peer
 * @param settle between the end of the startup and our first FPDU: Linux siw may overlook one that comes sooner
 */
record Timing(Duration answer, Duration patience, Duration settle) {}
