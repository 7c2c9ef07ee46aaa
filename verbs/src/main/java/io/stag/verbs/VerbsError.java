package io.stag.verbs;

/** Ways of using the verbs wrongly. */
public enum VerbsError {
    /** No RNIC provider on the class or module path. */
    NO_PROVIDER,
    /** An argument is outside what is allowed. */
    INVALID_ARGUMENT,
    /** More than the device or the queue was made for. */
    LIMIT_EXCEEDED,
    /** Not allowed in the present state. */
    INVALID_STATE,
    /** Others still use the resource. */
    IN_USE,
    /** The resource or its RNIC was closed. */
    CLOSED,
    /** The memory cannot be registered. */
    INVALID_MEMORY,
    /** The queue pair was not created with the permission needed. */
    NOT_PERMITTED,
    /** The provider cannot do this. */
    UNSUPPORTED,
    /** Waiting was interrupted. */
    INTERRUPTED,
    /** A connection could not be made or was lost. */
    CONNECTION_FAILED,
    /** The peer refused the connection. */
    CONNECTION_REJECTED,
    /** Time ran out. */
    TIMED_OUT
}
