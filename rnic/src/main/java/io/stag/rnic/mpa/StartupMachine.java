package io.stag.rnic.mpa;

import java.lang.foreign.MemorySegment;

/** One side of the MPA startup, as its driver sees it: octets and the end of the stream in, octets out. */
public sealed interface StartupMachine permits MpaInitiator, MpaResponder {

    /** Takes octets of the stream. @return how many were taken; the others do not belong to the startup */
    int handleOctets(MemorySegment in, long offset, int length);

    /** The peer sends nothing more: it closed, or reset, the TCP connection. */
    void handleEndOfStream();

    /** Hands out a frame. @return octets written to {@code out}, which may be only a piece; 0 when there is nothing to send */
    int pollTransmit(MemorySegment out, long offset, int capacity);
}
