package io.stag.wire.rdmap;

import java.util.Optional;

/**
 * The errors a Terminate can report, of all layers. The wire value is 16 bits: layer (4), type (4), code (8). A peer
 * may send values not listed here; those stay an {@code int} with the caller.
 */
public enum TerminateCode {
    /** RDMAP, Local Catastrophic; its code octet says nothing. */
    RDMAP_LOCAL_CATASTROPHIC(
            0x0000, "A local failure that has nothing to do with the peer ended the RDMAP stream.", Clause.RDMAP),

    /** RDMAP, Remote Protection. */
    RDMAP_INVALID_STAG(0x0100, "The STag of the Read Request is not valid.", Clause.RDMAP),

    /** RDMAP, Remote Protection. */
    RDMAP_BASE_OR_BOUNDS(0x0101, "The Read Request reaches outside the buffer of its STag.", Clause.RDMAP),

    /** RDMAP, Remote Protection. */
    RDMAP_ACCESS_RIGHTS(0x0102, "The STag does not grant the access the operation needs.", Clause.RDMAP),

    /** RDMAP, Remote Protection. */
    RDMAP_STAG_NOT_ASSOCIATED(0x0103, "The STag does not belong to this RDMAP stream.", Clause.RDMAP),

    /** RDMAP, Remote Protection. */
    RDMAP_TO_WRAP(0x0104, "Tagged Offset plus length of the Read Request passes 2^64.", Clause.RDMAP),

    /** RDMAP, Remote Protection. */
    RDMAP_STAG_CANNOT_BE_INVALIDATED(0x0109, "The STag to invalidate cannot be invalidated.", Clause.RDMAP),

    /** RDMAP, Remote Protection. */
    RDMAP_PROTECTION_UNSPECIFIED(0x01FF, "A remote protection error without further detail.", Clause.RDMAP),

    /** RDMAP, Remote Operation. */
    RDMAP_INVALID_VERSION(0x0205, "The RDMAP version of the message is not the one in use.", Clause.RDMAP),

    /** RDMAP, Remote Operation. */
    RDMAP_UNEXPECTED_OPCODE(0x0206, "The opcode is unknown, or not expected here.", Clause.RDMAP),

    /** RDMAP, Remote Operation. */
    RDMAP_CATASTROPHIC_STREAM(0x0207, "A catastrophic error that concerns this RDMAP stream only.", Clause.RDMAP),

    /** RDMAP, Remote Operation. */
    RDMAP_CATASTROPHIC_GLOBAL(0x0208, "A catastrophic error that concerns all RDMAP streams.", Clause.RDMAP),

    /** RDMAP, Remote Operation. */
    RDMAP_OPERATION_STAG_CANNOT_BE_INVALIDATED(
            0x0209, "The STag to invalidate cannot be invalidated, reported as an operation error.", Clause.RDMAP),

    /** RDMAP, Remote Operation. */
    RDMAP_OPERATION_UNSPECIFIED(0x02FF, "A remote operation error without further detail.", Clause.RDMAP),

    /** DDP, Local Catastrophic. */
    DDP_LOCAL_CATASTROPHIC(0x1000, "A local failure ended the DDP stream.", Clause.DDP),

    /** DDP, Tagged Buffer. */
    DDP_TAGGED_INVALID_STAG(0x1100, "The STag of the tagged segment is not valid.", Clause.DDP),

    /** DDP, Tagged Buffer. */
    DDP_TAGGED_BASE_OR_BOUNDS(0x1101, "The tagged segment reaches outside the buffer of its STag.", Clause.DDP),

    /** DDP, Tagged Buffer. */
    DDP_TAGGED_STAG_NOT_ASSOCIATED(
            0x1102, "The STag of the tagged segment does not belong to this DDP stream.", Clause.DDP),

    /** DDP, Tagged Buffer. */
    DDP_TAGGED_TO_WRAP(0x1103, "Tagged Offset plus length of the tagged segment passes 2^64.", Clause.DDP),

    /** DDP, Tagged Buffer. */
    DDP_TAGGED_INVALID_VERSION(0x1104, "The DDP version of the tagged segment is not the one in use.", Clause.DDP),

    /** DDP, Untagged Buffer. */
    DDP_UNTAGGED_INVALID_QN(0x1201, "The queue number of the untagged segment is not valid.", Clause.DDP),

    /** DDP, Untagged Buffer. */
    DDP_UNTAGGED_NO_BUFFER(0x1202, "No buffer is available for the message sequence number.", Clause.DDP),

    /** DDP, Untagged Buffer. */
    DDP_UNTAGGED_MSN_OUT_OF_RANGE(0x1203, "The message sequence number is not in the valid range.", Clause.DDP),

    /** DDP, Untagged Buffer. */
    DDP_UNTAGGED_INVALID_MO(0x1204, "The message offset is not valid.", Clause.DDP),

    /** DDP, Untagged Buffer. */
    DDP_UNTAGGED_MESSAGE_TOO_LONG(0x1205, "The message is longer than the buffer available for it.", Clause.DDP),

    /** DDP, Untagged Buffer. */
    DDP_UNTAGGED_INVALID_VERSION(0x1206, "The DDP version of the untagged segment is not the one in use.", Clause.DDP),

    /** DDP, reserved for the lower layer; its code octet is that layer's. */
    DDP_RESERVED_FOR_LLP(0x1300, "An error type that DDP reserves for the lower layer.", Clause.DDP),

    /** MPA; cannot normally be sent, since the connection is gone. */
    MPA_CONNECTION_LOST(0x2001, "The TCP connection was closed, terminated or lost.", Clause.MPA),

    /** MPA. */
    MPA_CRC_MISMATCH(0x2002, "The CRC of an FPDU does not match its octets.", Clause.MPA),

    /** MPA. */
    MPA_MARKER_MISMATCH(0x2003, "A Marker and a ULPDU_Length disagree about where an FPDU begins.", Clause.MPA),

    /** MPA. */
    MPA_INVALID_STARTUP_FRAME(0x2004, "The MPA Request or Reply frame is not valid.", Clause.MPA),

    /** MPA, enhanced connection setup. */
    MPA_LOCAL_CATASTROPHIC(0x2005, "A local failure ended the connection setup.", Clause.ENHANCED_MPA),

    /** MPA, enhanced connection setup. */
    MPA_INSUFFICIENT_IRD(
            0x2006, "The peer's inbound RDMA Read queue is not deep enough for this side.", Clause.ENHANCED_MPA),

    /** MPA, enhanced connection setup. */
    MPA_NO_MATCHING_RTR(
            0x2007, "The two sides have no kind of ready-to-receive message in common.", Clause.ENHANCED_MPA);

    /** Who found the error. */
    public enum Layer {
        /** Remote Direct Memory Access Protocol. */
        RDMAP(0),
        /** Direct Data Placement. */
        DDP(1),
        /** The lower layer, here MPA. */
        LLP(2);

        private final int wireValue;

        Layer(int wireValue) {
            this.wireValue = wireValue;
        }

        /**
         * The value of the field.
         *
         * @return 0 to 2
         */
        public int wireValue() {
            return wireValue;
        }
    }

    private static final TerminateCode[] VALUES = values();

    private final int wireValue;
    private final String meaning;
    private final String clause;

    TerminateCode(int wireValue, String meaning, String clause) {
        this.wireValue = wireValue;
        this.meaning = meaning;
        this.clause = clause;
    }

    /**
     * Finds the error with a wire value. Types whose code octet says nothing are found with any code octet.
     *
     * @param wireValue layer, type and code; only the low 16 bits count
     * @return the error, or empty when the value is not assigned
     */
    public static Optional<TerminateCode> of(int wireValue) {
        int wanted = wireValue & 0xFFFF;
        for (TerminateCode candidate : VALUES) {
            int mask = candidate.isCodeArbitrary() ? 0xFF00 : 0xFFFF;
            if ((wanted & mask) == candidate.wireValue) {
                return Optional.of(candidate);
            }
        }
        return Optional.empty();
    }

    /**
     * Layer, type and code as on the wire.
     *
     * @return 16 bits
     */
    public int wireValue() {
        return wireValue;
    }

    /**
     * Who found the error.
     *
     * @return the layer
     */
    public Layer layer() {
        return switch (wireValue >>> 12) {
            case 0 -> Layer.RDMAP;
            case 1 -> Layer.DDP;
            default -> Layer.LLP;
        };
    }

    /**
     * EType.
     *
     * @return 0 to 3
     */
    public int type() {
        return wireValue >>> 8 & 0xF;
    }

    /**
     * Error code within layer and type.
     *
     * @return 0 to 255
     */
    public int code() {
        return wireValue & 0xFF;
    }

    /**
     * What happened.
     *
     * @return one English sentence
     */
    public String meaning() {
        return meaning;
    }

    /**
     * Where the code is defined.
     *
     * @return RFC and section
     */
    public String clause() {
        return clause;
    }

    private boolean isCodeArbitrary() {
        return this == RDMAP_LOCAL_CATASTROPHIC || this == DDP_RESERVED_FOR_LLP;
    }

    /** Separate, because constants of an enum cannot name static fields of their own class. */
    private static final class Clause {
        static final String RDMAP = "RFC 5040, section 4.8";
        static final String DDP = "RFC 5041, section 7.2";
        static final String MPA = "RFC 5044, section 8";
        static final String ENHANCED_MPA = "RFC 6581, section 9";

        private Clause() {}
    }
}
