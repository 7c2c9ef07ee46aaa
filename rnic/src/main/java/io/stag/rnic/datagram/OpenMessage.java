package io.stag.rnic.datagram;

import io.stag.rnic.memory.Grant;
import io.stag.rnic.work.ReceiveWork;
import io.stag.wire.datagram.DatagramPrefix;
import org.jspecify.annotations.Nullable;

/** A message of which some datagrams have come: a bit for each block of 64 octets that is in its place. */
final class OpenMessage extends AgeOrder.Link<OpenMessage> {
    static final int BLOCK = DatagramPrefix.BLOCK;
    static final long[] NO_BITS = {};

    Source source;
    int id;
    int opcode;
    boolean solicited;
    long length;
    long received;

    /** End of what came furthest in the message; its length when something of a later one is here. */
    long highestEnd;

    /** Write-Record: where its first octet belongs. */
    int stag;

    long taggedOffset;

    /** Write-Record: the memory that has what came of it; its STag may come to stand for other memory. */
    @Nullable
    Grant grant;

    /** Send: where it goes. */
    @Nullable
    ReceiveWork receive;

    long[] bits = NO_BITS;
    long lastArrivalNanos;
    long lastAdvanceNanos; // when highestEnd grew last
    long deadlineNanos;

    /** Of those before it more was to follow when all that came of it was sent. */
    boolean earlierFollow;

    @Nullable
    OpenMessage nextOfSource;

    OpenMessage(Source source) {
        this.source = source;
    }

    /** Whether datagrams are here that were sent after its last one, or that one itself. */
    boolean tailSeen() {
        return highestEnd == length;
    }

    static int words(long length) {
        return (int) Math.ceilDiv(Math.ceilDiv(length, (long) BLOCK), (long) Long.SIZE);
    }

    boolean has(long block) {
        return (bits[(int) (block / Long.SIZE)] >>> block % Long.SIZE & 1) != 0;
    }

    /** How many of the blocks are in their place. */
    long count(long firstBlock, long endBlock) {
        long count = 0;
        for (long block = firstBlock; block < endBlock; ) {
            long next = Math.min(endBlock, (block / Long.SIZE + 1) * Long.SIZE);
            count += Long.bitCount(bits[(int) (block / Long.SIZE)] & mask(block, next));
            block = next;
        }
        return count;
    }

    void set(long firstBlock, long endBlock) {
        for (long block = firstBlock; block < endBlock; ) {
            long next = Math.min(endBlock, (block / Long.SIZE + 1) * Long.SIZE);
            bits[(int) (block / Long.SIZE)] |= mask(block, next);
            block = next;
        }
    }

    private static long mask(long from, long to) {
        long upTo = to % Long.SIZE == 0 ? -1L : (1L << to % Long.SIZE) - 1;
        return upTo & -1L << from % Long.SIZE;
    }
}
