package io.stag.rnic.work;

/** One receive: a slot that is filled again and again. Filled by the posting thread, then owned by the engine. */
public final class ReceiveWork {
    /** The caller's id. */
    public long id;
    /** Where the message goes. */
    public final ScatterList buffers = new ScatterList();

    /** An empty slot. */
    public ReceiveWork() {}

    void start(long newId) {
        id = newId;
        buffers.clear();
    }
}
