package io.stag.rnic.work;

import io.stag.verbs.VerbsError;
import io.stag.verbs.VerbsException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The requests of a posting list, which it exchanges with those of the ring. Owned by one thread. */
final class SendSlots {
    private final SendQueue queue;
    private final PostingTarget target;
    private @Nullable SendWork[] list = new SendWork[4];
    private int count;
    private boolean open; // the last request may be added to

    SendSlots(SendQueue queue, PostingTarget target) {
        this.queue = queue;
        this.target = target;
    }

    SendWork begin(WorkKind kind, long id) {
        if (count == list.length) {
            if (count >= queue.depth()) {
                throw new VerbsException(
                        VerbsError.LIMIT_EXCEEDED,
                        "a list of more than " + queue.depth() + " requests never fits the send queue; post earlier");
            }
            list = Arrays.copyOf(list, count * 2);
        }
        SendWork work = list[count];
        if (work == null) {
            work = new SendWork();
            list[count] = work;
        }
        count++;
        open = true;
        work.start(kind, id);
        return work;
    }

    /**
     * The request last begun, to be added to. It is out of the list until {@link #keep}: when the addition is refused the
     * request is gone, since without it it would be another one.
     */
    SendWork change(String howToBegin) {
        if (!open) {
            throw noRequest(howToBegin);
        }
        open = false;
        return slot(--count);
    }

    private static VerbsException noRequest(String howToBegin) {
        return new VerbsException(VerbsError.INVALID_STATE, "start a request first, for instance with " + howToBegin);
    }

    /** What was added is right. */
    void keep() {
        count++;
        open = true;
    }

    /** Empties the list, and throws when the queue pair takes nothing. @return requests it had */
    int take() {
        int posted = count;
        count = 0;
        open = false;
        target.checkPosting();
        return posted;
    }

    /** Hands over what {@link #take} took. @return how many fitted */
    int post(int posted) {
        int taken = queue.post(list, posted);
        if (taken > 0) {
            target.ringDoorbell();
        }
        return taken;
    }

    SendWork slot(int index) {
        SendWork work = list[index];
        if (work == null) {
            throw new IllegalStateException("slot " + index);
        }
        return work;
    }
}
