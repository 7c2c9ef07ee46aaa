package io.stag.rnic.work;

import io.stag.verbs.MemoryRegion;
import io.stag.verbs.ReceiveRequests;
import io.stag.verbs.VerbsError;
import io.stag.verbs.VerbsException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The posting list of a receive queue. Owned by one thread. */
public final class ReceiveList implements ReceiveRequests {
    private final ReceiveQueue queue;
    private final PostingTarget target;
    private @Nullable ReceiveWork[] list = new ReceiveWork[4];
    private int count;
    private boolean open; // the last receive may be added to

    /** A list for {@code queue}. */
    public ReceiveList(ReceiveQueue queue, PostingTarget target) {
        this.queue = queue;
        this.target = target;
    }

    @Override
    public ReceiveRequests receive(long id) {
        if (count == list.length) {
            if (count >= queue.depth()) {
                throw new VerbsException(
                        VerbsError.LIMIT_EXCEEDED,
                        "a list of more than " + queue.depth() + " receives never fits the queue; post earlier");
            }
            list = Arrays.copyOf(list, count * 2);
        }
        ReceiveWork work = list[count];
        if (work == null) {
            work = new ReceiveWork();
            list[count] = work;
        }
        count++;
        open = true;
        work.start(id);
        return this;
    }

    @Override
    public ReceiveRequests into(MemoryRegion region, long offset, long length) {
        ReceiveWork work = open ? list[count - 1] : null;
        if (work == null) {
            throw new VerbsException(VerbsError.INVALID_STATE, "start a receive first, with receive(id)");
        }
        open = false; // out of the list: with this buffer refused it would be another receive
        count--;
        PeerList.addBuffer(work.buffers, PeerList.own(region), offset, length, target);
        count++;
        open = true;
        return this;
    }

    @Override
    public int post() {
        int posted = count;
        count = 0;
        open = false;
        target.checkPosting();
        int taken = queue.post(list, posted);
        if (taken > 0) {
            target.receivesPosted();
        }
        return taken;
    }
}
