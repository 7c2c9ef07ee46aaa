package io.stag.rnic.work;

import io.stag.verbs.Operation;

/** The queue pair a completion belongs to, as the ring sees it. */
public interface CompletionOwner {

    /** Its number. */
    int id();

    /** Polling thread: one of its completions was taken. Quick, no locks. */
    void completionPolled(Operation operation);
}
