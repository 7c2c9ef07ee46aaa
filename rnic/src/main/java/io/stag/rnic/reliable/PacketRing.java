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

    private Packet[] packets = packets(FIRST_CAPACITY);

    /** A datagram. All of it is used at about the same time, so it is together in memory. */
    private static final class Packet {
        private @Nullable Outgoing message; // messages are used again, so what is not in use may still name one
        private long offset;
        private long sentAt;
        private long transmission;
        private int length;
        private byte state = FREE;
        private boolean repeated;
    }

    private static Packet[] packets(int capacity) {
        Packet[] packets = new Packet[capacity];
        Arrays.setAll(packets, _ -> new Packet());
        return packets;
    }

    private Packet packet(int psn) {
        return packets[psn & packets.length - 1];
    }

    /** Makes room for PSNs from {@code first}, the oldest in use, to {@code last}. */
    void reserve(int first, int last) {
        int needed = last - first + 1;
        if (needed <= packets.length) {
            return;
        }
        Packet[] old = packets;
        packets = packets(Integer.highestOneBit(needed - 1) << 1);
        for (int psn = first; psn != last; psn++) {
            packets[psn & packets.length - 1] = old[psn & old.length - 1];
        }
    }

    void clear() {
        for (Packet packet : packets) {
            packet.state = FREE;
        }
    }

    /** A new datagram, not sent yet. */
    void add(int psn, Outgoing message, long offset, int length) {
        Packet packet = packet(psn);
        if (packet.message != message) { // a store costs more, since the garbage collector keeps books of them
            packet.message = message;
        }
        packet.offset = offset;
        packet.length = length;
        packet.state = WAITING;
        packet.repeated = false;
        packet.transmission = -1;
    }

    void free(int psn) {
        packet(psn).state = FREE;
    }

    Outgoing message(int psn) {
        Packet packet = packet(psn);
        Outgoing message = packet.message;
        if (message == null || packet.state == FREE) {
            throw new IllegalStateException("datagram " + psn + " is not on its way");
        }
        return message;
    }

    long offset(int psn) {
        return packet(psn).offset;
    }

    int length(int psn) {
        return packet(psn).length;
    }

    byte state(int psn) {
        return packet(psn).state;
    }

    void state(int psn, byte state) {
        packet(psn).state = state;
    }

    long sentAt(int psn) {
        return packet(psn).sentAt;
    }

    /** Number of its last transmission, or -1. */
    long transmission(int psn) {
        return packet(psn).transmission;
    }

    boolean isRepeated(int psn) {
        return packet(psn).repeated;
    }

    /** The transmission noted last did not take place. */
    void unsend(int psn) {
        Packet packet = packet(psn);
        if (!packet.repeated) {
            packet.transmission = -1;
        }
    }

    void sent(int psn, long transmission, long nowNanos) {
        Packet packet = packet(psn);
        packet.repeated = packet.transmission >= 0;
        packet.transmission = transmission;
        packet.sentAt = nowNanos;
        packet.state = SENT;
    }
}
