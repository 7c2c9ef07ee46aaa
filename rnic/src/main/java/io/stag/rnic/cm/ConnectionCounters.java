package io.stag.rnic.cm;

import java.util.concurrent.atomic.AtomicLong;

/** Counts of connections of one RNIC. */
public final class ConnectionCounters {
    /** In set-up. */
    public final AtomicLong halfOpen = new AtomicLong();
    /** Established and not yet ended. */
    public final AtomicLong open = new AtomicLong();
    /** Made by peers. */
    public final AtomicLong accepted = new AtomicLong();
    /** Made to peers. */
    public final AtomicLong made = new AtomicLong();
    /** Set-ups that failed. */
    public final AtomicLong failed = new AtomicLong();
    /** Of these, rejected by a program. */
    public final AtomicLong rejected = new AtomicLong();
    /** Of these, closed by us because too many were in set-up or waited. */
    public final AtomicLong turnedAway = new AtomicLong();
    /** Established, and ended otherwise than in order or by a Terminate. */
    public final AtomicLong lost = new AtomicLong();

    /** All zero. */
    public ConnectionCounters() {}
}
