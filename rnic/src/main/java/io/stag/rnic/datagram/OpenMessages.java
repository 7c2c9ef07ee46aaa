package io.stag.rnic.datagram;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The messages of which more is awaited, in the order of their last datagram. Their number and the memory of their maps are
 * bounded; both are used again and again.
 */
@SuppressWarnings("ReferenceEquality") // a list of these very objects
final class OpenMessages {
    private final int most;
    private final long mostOctets;
    private final OpenMessage[] free;
    private int freeCount;
    private int count;
    private long octets; // of the maps of all messages, open or free
    private final AgeOrder<OpenMessage> order = new AgeOrder<>();

    OpenMessages(int most, long mostOctets) {
        this.most = most;
        this.mostOctets = mostOctets;
        free = new OpenMessage[most];
    }

    int count() {
        return count;
    }

    boolean isFull() {
        return count == most;
    }

    long octets() {
        return octets;
    }

    /** The message that has been silent for longest. */
    @Nullable
    OpenMessage oldest() {
        return order.oldest();
    }

    /** Begins a message with an empty map, or gives null when there is no memory for the map. There is a free place. */
    @Nullable
    OpenMessage open(Source source, int id, long length) {
        OpenMessage message = freeCount > 0 ? free[--freeCount] : new OpenMessage(source);
        int words = OpenMessage.words(length);
        if (!provide(message, words)) {
            free[freeCount++] = message;
            return null;
        }
        Arrays.fill(message.bits, 0, words, 0);
        message.source = source;
        message.id = id;
        message.length = length;
        message.received = 0;
        message.highestEnd = 0;
        message.receive = null;
        count++;
        order.append(message);
        source.add(message);
        return message;
    }

    private boolean provide(OpenMessage message, int words) {
        if (message.bits.length >= words) {
            return true;
        }
        long growth = (long) Long.BYTES * (words - message.bits.length);
        for (int i = 0; i < freeCount && octets + growth > mostOctets; i++) {
            octets -= (long) Long.BYTES * free[i].bits.length;
            free[i].bits = OpenMessage.NO_BITS;
        }
        if (octets + growth > mostOctets) {
            return false;
        }
        message.bits = new long[words];
        octets += growth;
        return true;
    }

    /** The message is over; its object will stand for another. */
    void close(OpenMessage message) {
        message.source.remove(message);
        order.remove(message);
        message.receive = null;
        message.grant = null;
        free[freeCount++] = message;
        count--;
    }

    /** A datagram of the message came. */
    void touch(OpenMessage message) {
        order.touch(message);
    }

    /** The map of {@code message} was offered to somebody else; {@code left} is the same, or empty if it was taken. */
    void offered(OpenMessage message, long[] left) {
        octets += (long) Long.BYTES * (left.length - message.bits.length);
        message.bits = left;
    }
}
