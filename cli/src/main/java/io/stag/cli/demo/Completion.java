package io.stag.cli.demo;

import io.stag.verbs.CompletionStatus;
import io.stag.verbs.Operation;
import io.stag.verbs.WorkCompletions;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * A work completion, kept beyond the next poll.
 *
 * @param id identifier of the request
 * @param status how it ended
 * @param operation what it was
 * @param length octets received or read
 * @param isSolicited whether the message asked for an event
 * @param immediate immediate data, if there was any
 * @param invalidatedStag the STag that the peer invalidated, if it did
 * @param text one line for people
 */
record Completion(
        long id,
        CompletionStatus status,
        Operation operation,
        long length,
        boolean isSolicited,
        OptionalLong immediate,
        OptionalInt invalidatedStag,
        String text) {
    static Completion of(WorkCompletions from, int index) {
        return new Completion(
                from.id(index),
                from.status(index),
                from.operation(index),
                from.length(index),
                from.isSolicited(index),
                from.hasImmediate(index) ? OptionalLong.of(from.immediate(index)) : OptionalLong.empty(),
                from.hasInvalidatedStag(index) ? OptionalInt.of(from.invalidatedStag(index)) : OptionalInt.empty(),
                from.describe(index));
    }
}
