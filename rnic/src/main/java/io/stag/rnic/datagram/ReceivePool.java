package io.stag.rnic.datagram;

import io.stag.rnic.work.ReceiveQueue;
import io.stag.rnic.work.ReceiveWork;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/** Receives for messages: first those that a message gave back, then those of the queue. */
public final class ReceivePool {
    private final ReceiveQueue queue;
    private final Runnable taken;
    private final ArrayDeque<ReceiveWork> returned = new ArrayDeque<>();
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
        ReceiveWork back = returned.poll();
        if (back != null) {
            return back;
        }
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

    /** Its message came to nothing: the next one takes it. */
    public void giveBack(ReceiveWork receive) {
        returned.add(receive);
    }

    /** Its completion was made: the object can be filled again. */
    public void done(ReceiveWork receive) {
        spares.push(receive);
    }
}
