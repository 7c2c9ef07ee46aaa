package io.stag.wire.rdmap;

/** RDMAP opcodes with what the RFCs lay down for each (RFC 5040, section 4.1; RFC 7306, section 4.1). */
public final class RdmapOpcode {
    /** RDMA Write. */
    public static final int RDMA_WRITE = 0;

    /** RDMA Read Request. */
    public static final int READ_REQUEST = 1;

    /** RDMA Read Response. */
    public static final int READ_RESPONSE = 2;

    /** Send. */
    public static final int SEND = 3;

    /** Send with Invalidate. */
    public static final int SEND_WITH_INVALIDATE = 4;

    /** Send with Solicited Event. */
    public static final int SEND_WITH_SOLICITED_EVENT = 5;

    /** Send with Solicited Event and Invalidate. */
    public static final int SEND_WITH_SOLICITED_EVENT_AND_INVALIDATE = 6;

    /** Terminate. */
    public static final int TERMINATE = 7;

    /** Immediate Data. */
    public static final int IMMEDIATE_DATA = 8;

    /** Immediate Data with Solicited Event. */
    public static final int IMMEDIATE_DATA_WITH_SOLICITED_EVENT = 9;

    /** Atomic Request. */
    public static final int ATOMIC_REQUEST = 10;

    /** Atomic Response. */
    public static final int ATOMIC_RESPONSE = 11;

    /** Opcodes assigned so far; also the first one not assigned. */
    public static final int COUNT = 12;

    /** Queue of Sends and Immediate Data. */
    public static final int SEND_QUEUE = 0;

    /** Queue of Read Requests and Atomic Requests. */
    public static final int READ_REQUEST_QUEUE = 1;

    /** Queue of Terminate. */
    public static final int TERMINATE_QUEUE = 2;

    /** Queue of Atomic Responses. */
    public static final int ATOMIC_RESPONSE_QUEUE = 3;

    /** In place of a queue: the message is tagged, or the opcode unknown. */
    public static final int NO_QUEUE = -1;

    private static final int TAGGED_OPCODES = 1 << RDMA_WRITE | 1 << READ_RESPONSE;

    private static final int INVALIDATING_OPCODES =
            1 << SEND_WITH_INVALIDATE | 1 << SEND_WITH_SOLICITED_EVENT_AND_INVALIDATE;

    private static final int SOLICITING_OPCODES = 1 << SEND_WITH_SOLICITED_EVENT
            | 1 << SEND_WITH_SOLICITED_EVENT_AND_INVALIDATE
            | 1 << IMMEDIATE_DATA_WITH_SOLICITED_EVENT;

    private static final int[] QUEUES = {
        NO_QUEUE,
        READ_REQUEST_QUEUE,
        NO_QUEUE,
        SEND_QUEUE,
        SEND_QUEUE,
        SEND_QUEUE,
        SEND_QUEUE,
        TERMINATE_QUEUE,
        SEND_QUEUE,
        SEND_QUEUE,
        READ_REQUEST_QUEUE,
        ATOMIC_RESPONSE_QUEUE
    };

    private static final String[] NAMES = {
        "RDMA Write",
        "RDMA Read Request",
        "RDMA Read Response",
        "Send",
        "Send with Invalidate",
        "Send with Solicited Event",
        "Send with Solicited Event and Invalidate",
        "Terminate",
        "Immediate Data",
        "Immediate Data with Solicited Event",
        "Atomic Request",
        "Atomic Response"
    };

    private RdmapOpcode() {}

    /**
     * Whether an opcode is assigned.
     *
     * @param opcode any number
     * @return true for 0 to 11
     */
    public static boolean isKnown(int opcode) {
        return opcode >= 0 && opcode < COUNT;
    }

    /**
     * The message's name.
     *
     * @param opcode any number
     * @return the name in the RFC's words, or "unknown opcode" with the number
     */
    public static String name(int opcode) {
        return isKnown(opcode) ? NAMES[opcode] : "unknown opcode " + opcode;
    }

    /**
     * Whether the message travels in tagged segments.
     *
     * @param opcode any number
     * @return true for RDMA Write and Read Response; false also when unknown
     */
    public static boolean isTagged(int opcode) {
        return isIn(TAGGED_OPCODES, opcode);
    }

    /**
     * The queue of an untagged message.
     *
     * @param opcode any number
     * @return 0 to 3, or {@link #NO_QUEUE}
     */
    public static int queue(int opcode) {
        return isKnown(opcode) ? QUEUES[opcode] : NO_QUEUE;
    }

    /**
     * Whether the message is one of the four Sends.
     *
     * @param opcode any number
     * @return true for 3 to 6
     */
    public static boolean isSend(int opcode) {
        return opcode >= SEND && opcode <= SEND_WITH_SOLICITED_EVENT_AND_INVALIDATE;
    }

    /**
     * Whether the untagged header carries an STag to invalidate.
     *
     * @param opcode any number
     * @return true for the two Sends with Invalidate
     */
    public static boolean invalidates(int opcode) {
        return isIn(INVALIDATING_OPCODES, opcode);
    }

    /**
     * Whether the message asks for an event at the receiver.
     *
     * @param opcode any number
     * @return true for Sends and Immediate Data with Solicited Event
     */
    public static boolean solicitsEvent(int opcode) {
        return isIn(SOLICITING_OPCODES, opcode);
    }

    private static boolean isIn(int opcodes, int opcode) {
        return isKnown(opcode) && (opcodes >>> opcode & 1) != 0;
    }
}
