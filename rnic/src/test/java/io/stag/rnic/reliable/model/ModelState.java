package io.stag.rnic.reliable.model;

import java.util.Arrays;

/**
 * One state of the model: sender, receiver, network, and what an observer who sees everything has noted.
 *
 * <p>The network is a set of datagrams with the age of the youngest copy. Delivery leaves a datagram where it is, so every one
 * may come again, late, before others, or never: loss, duplication and reordering need no steps of their own.
 */
final class ModelState {
    static final int MAX_LIVES = 3;
    private static final int MAX_DATAGRAMS = 48;

    /** What the receiver knows of a life of the sender. */
    static final class Source {
        /** 0: nothing. */
        int stream;

        int base;
        int taken;
        int keptBits;
        int silence;
        int senderLife;

        /** Whether anything was taken from this source, in this stream or an earlier one. */
        boolean everTaken;

        void clear() {
            stream = 0;
            base = 0;
            taken = 0;
            keptBits = 0;
            silence = 0;
            senderLife = 0;
            everTaken = false;
        }

        void copyFrom(Source other) {
            stream = other.stream;
            base = other.base;
            taken = other.taken;
            keptBits = other.keptBits;
            silence = other.silence;
            senderLife = other.senderLife;
            everTaken = other.everTaken;
        }

        boolean isSame(Source other) {
            return stream == other.stream
                    && base == other.base
                    && taken == other.taken
                    && keptBits == other.keptBits
                    && silence == other.silence
                    && senderLife == other.senderLife
                    && everTaken == other.everTaken;
        }
    }

    // the sender: its life, its stream (0: none), the life of the receiver that this is bound to (0: not yet)
    int senderLife;
    int stream;
    int lastStream;
    int bound;
    int base;
    int sent;
    int acknowledged;
    int posted;

    /** Since the oldest datagram on its way left or the last progress; or since nothing is on its way. */
    int waiting;

    int receiverLife;
    final Source[] sources = new Source[MAX_LIVES];

    final int[] network = new int[MAX_DATAGRAMS];
    int datagrams;

    /** The observer's notes: a bit for each message, by life of the receiver and of the sender. */
    final int[] delivered = new int[MAX_LIVES * MAX_LIVES];

    /** What went wrong, or empty. */
    String violation = "";

    ModelState() {
        for (int i = 0; i < MAX_LIVES; i++) {
            sources[i] = new Source();
        }
    }

    static ModelState first() {
        ModelState state = new ModelState();
        state.senderLife = 1;
        state.receiverLife = 1;
        return state;
    }

    void copyFrom(ModelState other) {
        senderLife = other.senderLife;
        stream = other.stream;
        lastStream = other.lastStream;
        bound = other.bound;
        base = other.base;
        sent = other.sent;
        acknowledged = other.acknowledged;
        posted = other.posted;
        waiting = other.waiting;
        receiverLife = other.receiverLife;
        for (int i = 0; i < MAX_LIVES; i++) {
            sources[i].copyFrom(other.sources[i]);
        }
        System.arraycopy(other.network, 0, network, 0, other.datagrams);
        datagrams = other.datagrams;
        System.arraycopy(other.delivered, 0, delivered, 0, delivered.length);
        violation = other.violation;
    }

    boolean isSameSender(ModelState other) {
        return senderLife == other.senderLife
                && stream == other.stream
                && bound == other.bound
                && sent == other.sent
                && acknowledged == other.acknowledged
                && waiting == other.waiting;
    }

    boolean isWaiting() {
        return stream != 0 && acknowledged < sent;
    }

    boolean isDelivered(int receiver, int sender, int message) {
        return (delivered[(receiver - 1) * MAX_LIVES + sender - 1] >>> message & 1) != 0;
    }

    int deliveredBits(int receiver, int sender) {
        return delivered[(receiver - 1) * MAX_LIVES + sender - 1];
    }

    void noteDelivery(int receiver, int sender, int message) {
        delivered[(receiver - 1) * MAX_LIVES + sender - 1] |= 1 << message;
    }

    /** Sends a datagram; a copy that is on its way already becomes young again. */
    void send(int datagram) {
        int at = 0;
        while (at < datagrams && network[at] >>> ModelDatagram.AGE_BITS < datagram) {
            at++;
        }
        if (at == datagrams || network[at] >>> ModelDatagram.AGE_BITS != datagram) {
            System.arraycopy(network, at, network, at + 1, datagrams - at);
            datagrams++;
        }
        network[at] = datagram << ModelDatagram.AGE_BITS;
    }

    int datagram(int index) {
        return network[index] >>> ModelDatagram.AGE_BITS;
    }

    int age(int index) {
        return network[index] & (1 << ModelDatagram.AGE_BITS) - 1;
    }

    /** All of the state in octets, as a key. */
    byte[] encode(byte[] room) {
        int at = 0;
        room[at++] = (byte) (senderLife << 6 | stream << 3 | lastStream);
        room[at++] = (byte) (bound << 6 | base << 4 | sent << 2 | acknowledged);
        room[at++] = (byte) (posted << 6 | receiverLife << 4 | waiting);
        for (Source source : sources) {
            room[at++] =
                    (byte) (source.stream << 5 | source.base << 3 | source.taken << 1 | (source.everTaken ? 1 : 0));
            if (source.stream != 0) {
                room[at++] = (byte) (source.senderLife << 4 | source.keptBits);
                room[at++] = (byte) source.silence;
            }
        }
        for (int i = 0; i < delivered.length; i += 2) {
            int next = i + 1 < delivered.length ? delivered[i + 1] : 0;
            room[at++] = (byte) (delivered[i] << 4 | next);
        }
        for (int i = 0; i < datagrams; i++) {
            room[at++] = (byte) (network[i] >>> 16);
            room[at++] = (byte) (network[i] >>> 8);
            room[at++] = (byte) network[i];
        }
        return Arrays.copyOf(room, at);
    }

    /** The inverse of {@link #encode}. */
    void decode(byte[] key) {
        int at = 0;
        int octet = key[at++];
        senderLife = octet >>> 6 & 3;
        stream = octet >>> 3 & 7;
        lastStream = octet & 7;
        octet = key[at++];
        bound = octet >>> 6 & 3;
        base = octet >>> 4 & 3;
        sent = octet >>> 2 & 3;
        acknowledged = octet & 3;
        octet = key[at++];
        posted = octet >>> 6 & 3;
        receiverLife = octet >>> 4 & 3;
        waiting = octet & 15;
        for (Source source : sources) {
            source.clear();
            octet = key[at++];
            source.stream = octet >>> 5 & 7;
            source.base = octet >>> 3 & 3;
            source.taken = octet >>> 1 & 3;
            source.everTaken = (octet & 1) != 0;
            if (source.stream != 0) {
                octet = key[at++];
                source.senderLife = octet >>> 4 & 3;
                source.keptBits = octet & 15;
                source.silence = key[at++];
            }
        }
        for (int i = 0; i < delivered.length; i += 2) {
            octet = key[at++];
            delivered[i] = octet >>> 4 & 15;
            if (i + 1 < delivered.length) {
                delivered[i + 1] = octet & 15;
            }
        }
        datagrams = 0;
        while (at < key.length) {
            network[datagrams++] = (key[at++] & 0xFF) << 16 | (key[at++] & 0xFF) << 8 | key[at++] & 0xFF;
        }
        violation = "";
    }
}
