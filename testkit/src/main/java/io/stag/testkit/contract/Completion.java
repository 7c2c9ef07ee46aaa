package io.stag.testkit.contract;

import io.stag.verbs.CompletionStatus;
import io.stag.verbs.ErrorDetail;
import io.stag.verbs.Operation;
import io.stag.verbs.WorkCompletions;
import org.jspecify.annotations.Nullable;

/** One work completion, kept. */
record Completion(
        long id,
        CompletionStatus status,
        Operation operation,
        int queuePairId,
        long length,
        boolean solicited,
        boolean hasImmediate,
        long immediate,
        boolean hasInvalidatedStag,
        int invalidatedStag,
        @Nullable ErrorDetail detail) {

    static Completion of(WorkCompletions batch, int index) {
        return new Completion(
                batch.id(index),
                batch.status(index),
                batch.operation(index),
                batch.queuePairId(index),
                batch.length(index),
                batch.isSolicited(index),
                batch.hasImmediate(index),
                batch.immediate(index),
                batch.hasInvalidatedStag(index),
                batch.invalidatedStag(index),
                batch.detail(index));
    }

    boolean isSuccess() {
        return status == CompletionStatus.SUCCESS;
    }

    ErrorDetail cause() {
        ErrorDetail known = detail;
        if (known == null) {
            throw new AssertionError("no detail: " + this);
        }
        return known;
    }
}
