package io.stag.verbs;

/**
 * Something that happened to a resource and belongs to no single work request. Handlers are called on the thread that
 * drives the RNIC, outside all locks; they should return soon.
 */
public sealed interface AsyncEvent {
    /** What happened, in a sentence. */
    ErrorDetail detail();

    /** An event of one queue pair. */
    sealed interface OfQueuePair extends AsyncEvent {
        /** The queue pair concerned. */
        QueuePair queuePair();
    }

    /** The stream was closed by both sides with nothing outstanding; the queue pair is Idle again. */
    record CloseComplete(QueuePair queuePair, ErrorDetail detail) implements OfQueuePair {}

    /** The peer sent a Terminate message; {@code detail} decodes it. */
    record TerminateReceived(QueuePair queuePair, ErrorDetail detail) implements OfQueuePair {}

    /** The peer broke the protocol or touched memory it may not touch; a Terminate was sent. */
    record PeerError(QueuePair queuePair, ErrorDetail detail) implements OfQueuePair {}

    /** The stream ended while work was outstanding, or data came in while it was closing. */
    record BadClose(QueuePair queuePair, ErrorDetail detail) implements OfQueuePair {}

    /** The stream was reset by the peer, timed out or got lost. */
    record StreamLost(QueuePair queuePair, ErrorDetail detail) implements OfQueuePair {}

    /** The queue pair failed for a local reason, for instance because its completion queue overflowed. */
    record QueuePairFailed(QueuePair queuePair, ErrorDetail detail) implements OfQueuePair {}

    /** More receives of a shared receive queue are in use by one queue pair than its configured limit. */
    record InProgressLimitReached(QueuePair queuePair, ErrorDetail detail) implements OfQueuePair {}

    /** The number of receives left in a shared receive queue fell below the armed limit. */
    record ReceiveLimitReached(SharedReceiveQueue sharedReceiveQueue, ErrorDetail detail) implements AsyncEvent {}

    /** A completion queue overflowed: completions were lost. */
    record CompletionQueueFailed(CompletionQueue completionQueue, ErrorDetail detail) implements AsyncEvent {}

    /** The RNIC as a whole failed. */
    record RnicFailed(Rnic rnic, ErrorDetail detail) implements AsyncEvent {}
}
