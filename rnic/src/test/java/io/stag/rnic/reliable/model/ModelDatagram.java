package io.stag.rnic.reliable.model;

/**
 * Datagrams of the model as numbers: kind, lives of sender and receiver, stream, message before its first datagram, PSN. In
 * data the receiver's life is the peer epoch, 0 while it is not known; in answers the PSN is the acknowledged one.
 */
final class ModelDatagram {
    static final int DATA = 0;
    static final int ACKNOWLEDGEMENT = 1;
    static final int NOT_READY = 2;
    static final int REFUSAL = 3;

    /** Bits of a datagram; its age stands below it in the network. */
    static final int AGE_BITS = 4;

    private static final String[] NAMES = {"data", "acknowledgement", "not ready", "refusal"};

    private ModelDatagram() {}

    static int of(int kind, int senderLife, int receiverLife, int stream, int base, int psn) {
        return kind << 11 | senderLife << 9 | receiverLife << 7 | stream << 4 | base << 2 | psn;
    }

    static int kind(int datagram) {
        return datagram >>> 11;
    }

    static int senderLife(int datagram) {
        return datagram >>> 9 & 3;
    }

    static int receiverLife(int datagram) {
        return datagram >>> 7 & 3;
    }

    static int stream(int datagram) {
        return datagram >>> 4 & 7;
    }

    static int base(int datagram) {
        return datagram >>> 2 & 3;
    }

    static int psn(int datagram) {
        return datagram & 3;
    }

    static String text(int datagram) {
        return NAMES[kind(datagram)] + " (A" + senderLife(datagram) + " stream " + stream(datagram)
                + (kind(datagram) == DATA ? " PSN " : " up to ") + psn(datagram)
                + (kind(datagram) == DATA ? " for " : " from ")
                + (receiverLife(datagram) == 0 ? "whoever is there" : "B" + receiverLife(datagram)) + ")";
    }
}
