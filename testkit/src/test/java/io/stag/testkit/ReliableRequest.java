package io.stag.testkit;

import java.net.InetSocketAddress;

/** A request of a simulated run, known to the run but not to the engines, and what became of it. */
final class ReliableRequest {
    /** What was asked for. */
    enum Kind {
        SEND,
        IMMEDIATE,
        WRITE,
        WRITE_IMMEDIATE,
        READ,
        FETCH_ADD;

        /** Whether a receive of the peer tells of it. */
        boolean isTold() {
            return this == SEND || this == IMMEDIATE || this == WRITE_IMMEDIATE;
        }
    }

    /** How it ended, as its sender knows. */
    enum Fate {
        UNDER_WAY,
        DONE,
        FAILED,
        /** The sender was closed before it learned. */
        UNKNOWN
    }

    final int number;
    final Kind kind;
    final ReliableNode from;
    final ReliableNode to; // whom it was meant for; another one may have come to its address since
    final InetSocketAddress address;
    final int length;
    final long offset; // in the target of a Write, in the source of a Read
    final boolean signaled;
    Fate fate = Fate.UNDER_WAY;
    long doneNanos;
    int deliveries;
    long former; // of an atomic: what was there before
    String failure = ""; // what its completion said

    ReliableRequest(
            int number, Kind kind, ReliableNode from, ReliableNode to, long offset, int length, boolean signaled) {
        this.number = number;
        this.kind = kind;
        this.from = from;
        this.to = to;
        address = to.address;
        this.offset = offset;
        this.length = length;
        this.signaled = signaled;
    }

    byte octet(long at) {
        return (byte) (1 + Math.floorMod(number * 31L + at * 7 + at / 64, 255)); // never zero
    }

    @Override
    public String toString() {
        return kind + " " + number + " from " + from + " to host " + to.host + " at port " + address.getPort() + ", "
                + length + " octets at " + offset + (signaled ? ", " : ", unsignaled, ") + fate + ", delivered "
                + deliveries + failure;
    }
}
