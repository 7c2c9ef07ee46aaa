package io.stag.verbs;

/**
 * One completion queue at one moment.
 *
 * @param id number of the completion queue
 * @param capacity completions it can hold
 * @param depth completions that wait to be polled
 * @param overflowed whether completions were lost
 */
public record CompletionQueueSnapshot(int id, int capacity, int depth, boolean overflowed) {}
