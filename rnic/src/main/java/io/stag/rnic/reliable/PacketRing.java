package io.stag.rnic.reliable;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What is known of each datagram of a stream that was made and not yet acknowledged with all before it, by PSN. Grows with the
 * window and stays so.
 */
final class PacketRing {
    /** Not in use. */
    static final byte FREE = 0;
    /** Has to be sent: it never was, the port did not take it, or it counts as lost. */
    static final byte WAITING = 1;
    /** On its way. */
    static final byte SENT = 2;
    /** Acknowledged, while one before it is not. */
    static final byte ACKED = 3;

    /** Value of {@link #offset} for the immediate data behind a Write. */
    static final long IMMEDIATE = -1;

    private static final int FIRST_CAPACITY = 32;

    private int mask = FIRST_CAPACITY - 1;
    private @Nullable Outgoing[] messages = new Outgoing[FIRST_CAPACITY];
    private long[] offsets = new long[FIRST_CAPACITY];
    private int[] lengths = new int[FIRST_CAPACITY];
    private long[] sentAt = new long[FIRST_CAPACITY];
    private long[] transmissions = new long[FIRST_CAPACITY];
    private byte[] states = new byte[FIRST_CAPACITY];
    private boolean[] repeated = new boolean[FIRST_CAPACITY];

    /** Makes room for PSNs from {@code first}, the oldest in use, to {@code last}. */
    void reserve(int first, int last) {
        int needed = last - first + 1;
        if (needed <= mask + 1) {
            return;
        }
        int capacity = Integer.highestOneBit(needed - 1) << 1;
        PacketRing old = new PacketRing(this);
        messages = new Outgoing[capacity];
        offsets = new long[capacity];
        lengths = new int[capacity];
        sentAt = new long[capacity];
        transmissions = new long[capacity];
        states = new byte[capacity];
        repeated = new boolean[capacity];
        mask = capacity - 1;
        for (int psn = first; psn != last; psn++) {
            int from = psn & old.mask;
            int to = psn & mask;
            messages[to] = old.messages[from];
            offsets[to] = old.offsets[from];
            lengths[to] = old.lengths[from];
            sentAt[to] = old.sentAt[from];
            transmissions[to] = old.transmissions[from];
            states[to] = old.states[from];
            repeated[to] = old.repeated[from];
        }
    }

    PacketRing() {}

    private PacketRing(PacketRing other) {
        mask = other.mask;
        messages = other.messages;
        offsets = other.offsets;
        lengths = other.lengths;
        sentAt = other.sentAt;
        transmissions = other.transmissions;
        states = other.states;
        repeated = other.repeated;
    }

    void clear() {
        Arrays.fill(messages, null);
        Arrays.fill(states, FREE);
    }

    /** A new datagram, not sent yet. */
    void add(int psn, Outgoing message, long offset, int length) {
        int at = psn & mask;
        messages[at] = message;
        offsets[at] = offset;
        lengths[at] = length;
        states[at] = WAITING;
        repeated[at] = false;
        transmissions[at] = -1;
    }

    void free(int psn) {
        messages[psn & mask] = null;
        states[psn & mask] = FREE;
    }

    Outgoing message(int psn) {
        Outgoing message = messages[psn & mask];
        if (message == null) {
            throw new IllegalStateException("datagram " + psn + " is not on its way");
        }
        return message;
    }

    long offset(int psn) {
        return offsets[psn & mask];
    }

    int length(int psn) {
        return lengths[psn & mask];
    }

    byte state(int psn) {
        return states[psn & mask];
    }

    void state(int psn, byte state) {
        states[psn & mask] = state;
    }

    long sentAt(int psn) {
        return sentAt[psn & mask];
    }

    /** Number of its last transmission, or -1. */
    long transmission(int psn) {
        return transmissions[psn & mask];
    }

    boolean isRepeated(int psn) {
        return repeated[psn & mask];
    }

    /** The transmission noted last did not take place. */
    void unsend(int psn) {
        if (!repeated[psn & mask]) {
            transmissions[psn & mask] = -1;
        }
    }

    void sent(int psn, long transmission, long nowNanos) {
        int at = psn & mask;
        repeated[at] = transmissions[at] >= 0;
        transmissions[at] = transmission;
        sentAt[at] = nowNanos;
        states[at] = SENT;
    }
}
