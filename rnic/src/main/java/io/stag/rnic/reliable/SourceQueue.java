package io.stag.rnic.reliable;

import io.stag.rnic.datagram.AgeOrder;
import org.jspecify.annotations.Nullable;

/** Sources whose next message had to be put off for the same reason, in that order. Each waits in one queue at most. */
final class SourceQueue {
    private final AgeOrder<Source> order = new AgeOrder<>();
    private int size;

    int size() {
        return size;
    }

    /** It waits here if it does not wait already. */
    void add(Source source) {
        if (source.waitsIn == null) {
            source.waitsIn = this;
            order.append(source);
            size++;
        }
    }

    /** The one that has waited for longest, which does not wait any more; null when there is none. */
    @Nullable
    Source poll() {
        Source first = order.oldest();
        if (first != null) {
            leave(first);
        }
        return first;
    }

    /** It waits no more, wherever it did: what is forgotten must not be kept here. */
    static void leave(Source source) {
        SourceQueue queue = source.waitsIn;
        if (queue != null) {
            source.waitsIn = null;
            queue.order.remove(source);
            queue.size--;
        }
    }
}
