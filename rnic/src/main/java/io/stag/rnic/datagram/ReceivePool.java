package io.stag.rnic.datagram;

import io.stag.rnic.work.ReceiveQueue;
import io.stag.rnic.work.ReceiveWork;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/** Receives for messages: first those that a message gave back, then those of the queue. */
final class ReceivePool {
    private final ReceiveQueue queue;
    private final DatagramOwner owner;
    private final ArrayDeque<ReceiveWork> returned = new ArrayDeque<>();
    private final ArrayDeque<ReceiveWork> spares = new ArrayDeque<>(); // what the queue gets in exchange

    ReceivePool(ReceiveQueue queue, DatagramOwner owner) {
        this.queue = queue;
        this.owner = owner;
    }

    @Nullable
    ReceiveWork take() {
        ReceiveWork back = returned.poll();
        if (back != null) {
            return back;
        }
        ReceiveWork spare = spares.poll();
        if (spare == null) {
            spare = new ReceiveWork();
        }
        ReceiveWork taken = queue.take(spare);
        if (taken == null) {
            spares.push(spare);
        } else {
            owner.receiveTaken();
        }
        return taken;
    }

    /** Its message came to nothing: the next one takes it. */
    void giveBack(ReceiveWork receive) {
        returned.add(receive);
    }

    /** Its completion was made: the object can be filled again. */
    void done(ReceiveWork receive) {
        spares.push(receive);
    }
}
