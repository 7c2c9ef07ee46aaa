package io.stag.rnic.work;

/** What a posting list needs to know of its queue pair or shared receive queue. */
public interface PostingTarget {

    /** Protection domain whose memory may be named. */
    int domain();

    /** Buffers one request may name. */
    int maxSegments();

    /** Octets one request may carry inline. */
    int maxInline();

    /** Whether windows may be bound. */
    default boolean allowsWindowBind() {
        return true;
    }

    /** Whether memory may be registered by a request. */
    default boolean allowsFastRegister() {
        return true;
    }

    /** Throws a {@link io.stag.verbs.VerbsException} when nothing may be posted in the present state. */
    void checkPosting();

    /** Requests were appended: see to them. */
    void ringDoorbell();

    /** Receives were appended: see to them, if somebody has to. */
    default void receivesPosted() {
        ringDoorbell();
    }
}
