package io.stag.rnic.datagram;

import io.stag.rnic.work.ReceiveQueue;
import io.stag.rnic.work.ReceiveWork;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/** Receives for messages, taken from a queue that others may share, and the objects that it gets in exchange. */
public final class ReceivePool {
    private final ReceiveQueue queue;
    private final Runnable taken;
    private final ArrayDeque<ReceiveWork> spares = new ArrayDeque<>(); // what the queue gets in exchange

    /**
     * Takes receives from {@code queue}.
     *
     * @param taken called whenever one left the queue
     */
    public ReceivePool(ReceiveQueue queue, Runnable taken) {
        this.queue = queue;
        this.taken = taken;
    }

    /** The next one, or null. */
    public @Nullable ReceiveWork take() {
        ReceiveWork spare = spares.poll();
        if (spare == null) {
            spare = new ReceiveWork();
        }
        ReceiveWork next = queue.take(spare);
        if (next == null) {
            spares.push(spare);
        } else {
            taken.run();
        }
        return next;
    }

    /** Its message came to nothing: the next one takes it, whoever of those that share the queue gets that. */
    public void giveBack(ReceiveWork receive) {
        ReceiveWork spare = queue.putBack(receive);
        if (spare != null) {
            spares.push(spare);
        }
    }

    /** Its completion was made: the object can be filled again. */
    public void done(ReceiveWork receive) {
        spares.push(receive);
    }
}
