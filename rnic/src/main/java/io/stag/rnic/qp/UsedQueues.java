package io.stag.rnic.qp;

import io.stag.rnic.agent.RnicAgent;
import io.stag.verbs.CompletionQueue;
import io.stag.verbs.SharedReceiveQueue;
import io.stag.verbs.VerbsException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The queues that a queue pair uses besides its own; they cannot be closed meanwhile.
 *
 * @param shared null when the queue pair has a receive queue of its own
 */
record UsedQueues(
        SoftCompletionQueue sends,
        SoftCompletionQueue receives,
        @Nullable SoftSharedReceiveQueue shared) {

    /** The same as seen by programs; that they belong to this RNIC was checked. */
    static UsedQueues of(CompletionQueue sends, CompletionQueue receives, Optional<SharedReceiveQueue> shared) {
        return new UsedQueues((SoftCompletionQueue) sends, (SoftCompletionQueue) receives, (SoftSharedReceiveQueue)
                shared.orElse(null));
    }

    /** A queue pair of {@code agent} uses them from now on: all, or none when one of them is closed. */
    void attach(RnicAgent agent) {
        sends.attach(agent);
        try {
            receives.attach(agent);
            try {
                if (shared != null) {
                    shared.attach();
                }
            } catch (VerbsException closed) {
                receives.detach();
                throw closed;
            }
        } catch (VerbsException closed) {
            sends.detach();
            throw closed;
        }
    }

    /** Undoes {@link #attach}. */
    void detach() {
        sends.detach();
        receives.detach();
        if (shared != null) {
            shared.detach();
        }
    }
}
