package io.stag.cli.misbehave;

import io.stag.wire.NetworkOrder;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * Memory of the peer that a case can aim at.
 *
 * @param stag of a buffer that we may read and write
 * @param offset tagged offset of its first octet
 * @param size octets up to its end; for a peer that tells only what it uses, the most it can have
 * @param special other buffers, which only {@link Target} offers
 */
record Buffers(int stag, long offset, int size, Optional<Special> special) {
    /** Octets of the announcement that rping knows: address, key, size. */
    static final int ANNOUNCEMENT = 16;

    /** The largest buffer that rping can have; its server does not say how large it is. */
    static final int RPING_LIMIT = 65_536;

    /**
     * Buffers that begin at offset 0.
     *
     * @param size of the read-write buffer
     * @param readOnly STag of memory that we may read
     * @param writeOnly STag of memory that we may write
     * @param local STag of memory that grants nothing to peers
     * @param foreign STag of memory in another protection domain, with all rights
     * @param stale STag of memory that is no longer registered
     * @param large STag of memory to read, too large for the buffers of TCP
     * @param largeSize its length
     */
    record Special(int size, int readOnly, int writeOnly, int local, int foreign, int stale, int large, int largeSize) {
        static final int LENGTH = 32;

        void put(MemorySegment message, long at) {
            int[] words = {size, readOnly, writeOnly, local, foreign, stale, large, largeSize};
            for (int i = 0; i < words.length; i++) {
                message.set(NetworkOrder.U32, at + 4L * i, words[i]);
            }
        }
    }

    /** What {@link Target} adds to rping's 16 octets, if the message is from one. */
    static Optional<Special> special(Segment message) {
        if (message.payloadLength() != ANNOUNCEMENT + Special.LENGTH) {
            return Optional.empty();
        }
        int[] words = new int[Special.LENGTH / 4];
        for (int i = 0; i < words.length; i++) {
            words[i] = message.payloadWord(ANNOUNCEMENT + 4 * i);
        }
        return Optional.of(new Special(words[0], words[1], words[2], words[3], words[4], words[5], words[6], words[7]));
    }

    /** Tagged offset behind the last octet. */
    long end() {
        return offset + size;
    }
}
