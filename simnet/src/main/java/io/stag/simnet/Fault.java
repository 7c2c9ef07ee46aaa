package io.stag.simnet;

/** What a simulated network can do to traffic. Used as the key of the counters. */
public enum Fault {
    /** A piece of a stream ended before the write that it came from. */
    CUT,
    /** Octets of a stream joined an earlier piece that was still under way. */
    COALESCING,
    /** A write took fewer octets than the window had room for. */
    SHORT_WRITE,
    /** A piece of a stream, and with it all that follows, was held back. */
    STALL,
    /** The network reset a connection. */
    RESET,
    /** The network ended one direction of a connection. */
    HALF_CLOSE,
    /** The network began to take octets of a stream without delivering them. */
    SILENCE,
    /** One bit of an octet (stream) or of a datagram was inverted. */
    CORRUPTION,
    /** A datagram, or one fragment of it, was lost. */
    LOSS,
    /** A datagram arrived twice. */
    DUPLICATION,
    /** A datagram was held back so that later ones may overtake it. */
    REORDERING,
    /** A datagram lost its tail. */
    TRUNCATION,
    /** A datagram was longer than the path carries, and was dropped. */
    OVERSIZE,
    /** A datagram met a full receive buffer, and was dropped. */
    OVERFLOW
}
