package io.stag.verbs;

/** How a work request ended. Names and numbers are those of {@code ibv_wc_status}. */
public enum CompletionStatus {
    /** The request did what it should. */
    SUCCESS(0, "done"),
    /** A message was longer than the buffers given for it, or longer than supported. */
    LOC_LEN_ERR(1, "a message does not fit into the buffers posted for it"),
    /** The request cannot be carried out by this queue pair. */
    LOC_QP_OP_ERR(2, "the request is malformed or needs something this queue pair has not got"),
    /** A local buffer is not, or no longer, usable: deregistered, another protection domain, out of bounds. */
    LOC_PROT_ERR(4, "a local buffer of the request is not usable"),
    /** The request was not carried out because the queue pair failed or was closed; the detail has the first cause. */
    WR_FLUSH_ERR(5, "not carried out: the queue pair had failed or was closed before"),
    /** A memory window could not be bound. */
    MW_BIND_ERR(6, "the memory window or fast registration was refused"),
    /** The answer of the peer does not fit the request. */
    BAD_RESP_ERR(7, "the peer's response does not fit the request"),
    /** A local buffer lacks the right that the request needs. */
    LOC_ACCESS_ERR(8, "a local buffer lacks the right that the request needs"),
    /** The peer asked to invalidate an STag that it may not invalidate. */
    REM_INV_REQ_ERR(9, "the peer named an STag that it may not invalidate"),
    /** The peer refused access to its memory. */
    REM_ACCESS_ERR(10, "the peer refused access to its memory"),
    /** The peer could not carry out the operation. */
    REM_OP_ERR(11, "the peer could not carry out the operation"),
    /** The queue pair cannot go on. */
    FATAL_ERR(19, "the queue pair failed"),
    /** The peer stopped answering. */
    RESP_TIMEOUT_ERR(20, "the peer did not answer in time"),
    /** Anything else. */
    GENERAL_ERR(21, "the transport failed");

    private final int number;
    private final String explanation;

    CompletionStatus(int number, String explanation) {
        this.number = number;
        this.explanation = explanation;
    }

    /** The value of the constant of the same name in {@code ibv_wc_status}. */
    public int number() {
        return number;
    }

    /** One sentence for people. */
    public String explanation() {
        return explanation;
    }
}
