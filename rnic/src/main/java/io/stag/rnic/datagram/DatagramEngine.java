package io.stag.rnic.datagram;

import java.util.function.LongSupplier;

/**
 * What a queue pair makes of the datagrams of its port, and which ones it sends. Does no I/O, and asks for the time only whom it
 * is told to ask; all calls are made under the agent's lock.
 *
 * <p>A driver calls {@link #handle} with what came, or {@link #nothingCame}, then sends what {@link #fillReports} gives while {@link #hasReports}, then,
 * while {@link #canSend}, calls {@link #fill}, hands the datagrams to the port and tells with {@link #transmitted} how many
 * entries it took. When {@link #nextDeadline} has come and nothing waits at the port any more, it calls
 * {@link #handleTimeout}. Every call may change the deadline and whether something can be sent.
 */
public interface DatagramEngine {

    /** Takes everything that {@code input} holds, which came just now; asks the clock once at most, and only if that matters. */
    void handle(DatagramInput input, LongSupplier clock);

    /** Nothing came when the driver looked. @return whether there is now something to send for that reason */
    default boolean nothingCame(LongSupplier clock) {
        return false;
    }

    /** Whether something waits for company until {@link #nothingCame}. */
    default boolean putsOff() {
        return false;
    }

    /** Whether there are datagrams about others' datagrams to send. */
    default boolean hasReports() {
        return false;
    }

    /** Appends such datagrams. They are sent once, ahead of all others, and not again if the port is full. */
    default void fillReports(DatagramOutput output) {}

    /** Whether {@link #fill} would append something, as far as that is known. */
    boolean canSend();

    /** Whether what {@link #fill} does depends on the time; else any time may be given to it. */
    boolean sendingDependsOnTime();

    /** Appends datagrams until there is nothing more to send, or no room. */
    void fill(DatagramOutput output, long nowNanos);

    /**
     * The port took this many entries of what {@link #fill} appended, and refused the next one for good if
     * {@link DatagramOutput#failure} says so. What it did not take is forgotten.
     */
    void transmitted(DatagramOutput output, int taken);

    /** When {@link #handleTimeout} is due; perhaps earlier than needed, never later. */
    long nextDeadline();

    /** The same after a closer look, for somebody who would like to sleep until then. */
    default long settledDeadline(long nowNanos) {
        return nextDeadline();
    }

    /** Time has passed, and everything that came before was handled. */
    void handleTimeout(long nowNanos);

    /** The queue pair is closed: receives of messages that will not be complete go back to their queue. */
    void close();

    /** A count that changes with everything done for the program. */
    long workDone();
}
