package io.stag.rnic.rdmap;

import io.stag.rnic.mpa.Splices;
import io.stag.rnic.work.SendWork;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Whose payload the pieces are that were polled last, for the case that the memory of one is gone when it is to be sent. */
final class SplicedRequests {
    private final @Nullable SendWork[] works = new SendWork[Splices.MOST];
    private final int[] buffers = new int[Splices.MOST];

    @SuppressWarnings(
            "ReferenceEquality") // only whether there is something to store: the garbage collector keeps books
    void note(int piece, SendWork work, int buffer) {
        if (works[piece] != work) {
            works[piece] = work;
        }
        buffers[piece] = buffer;
    }

    SendWork work(int piece) {
        return Objects.requireNonNull(works[piece]);
    }

    /** Which of the request's buffers the piece is in. */
    int buffer(int piece) {
        return buffers[piece];
    }
}
