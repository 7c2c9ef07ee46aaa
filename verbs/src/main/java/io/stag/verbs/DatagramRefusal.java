package io.stag.verbs;

/**
 * Why a datagram, or the message it belongs to, was refused. Nothing of a refused datagram reaches memory. The rules are those
 * of {@code docs/datagram-wire.md}.
 */
public enum DatagramRefusal {
    /** Fewer octets than the headers of its kind have. */
    TOO_SHORT("DG-005", "it is shorter than its headers"),
    /** Another version of the profile. */
    VERSION("DG-006", "it has another version of the profile"),
    /** The CRC does not fit the octets. */
    CRC("DG-004", "its CRC is wrong"),
    /** A kind that is not known here. */
    KIND("DG-007", "its kind is not known"),
    /** Versions, opcode, queue or redundant fields of the DDP and RDMAP headers. */
    HEADER("DG-008", "its DDP or RDMAP header is not one of this profile, or contradicts the prefix"),
    /** Length, offset and payload do not fit together, or the offset is not a multiple of 64. */
    LAYOUT("DG-009", "offset, payload and message length do not fit together"),
    /** The message is longer than this queue pair takes. */
    MESSAGE_TOO_LONG("DG-010", "its message is longer than this queue pair takes"),
    /** The segment contradicts an earlier segment of the same message. */
    INCONSISTENT("DG-011", "it contradicts an earlier segment of its message"),
    /** The octets came before. */
    DUPLICATE("DG-012", "its octets came before"),
    /** The message was closed before: complete, given up or refused. */
    LATE("DG-013", "its message was closed before"),
    /** A Send came and no receive was posted. */
    NO_RECEIVE("DG-014", "no receive is posted for its message"),
    /** The buffers of the receive are shorter than the message. */
    RECEIVE_TOO_SHORT("DG-015", "the posted receive is shorter than its message"),
    /** A Write-Record named memory that it may not write. */
    ACCESS("DG-016", "it may not write where it wants to"),
    /** Too many messages are open, of this source or of all. */
    TOO_MANY_MESSAGES("DG-017", "too many messages are open"),
    /** Too many sources were heard lately. */
    TOO_MANY_SOURCES("DG-018", "too many sources were heard lately"),
    /** A Write-Record to a multicast group, which this queue pair was not told to take. */
    NOT_PERMITTED("DG-019", "this queue pair takes no Write-Records"),
    /** Reliable datagrams: it was meant for a queue pair that had this address before. */
    FORMER_LIFE("RD-013", "it is meant for a queue pair that had this address before"),
    /** Reliable datagrams: more is on its way than this queue pair gave credit for. */
    BEYOND_CREDIT("RD-022", "it is beyond the credit that its sender has");

    private final String rule;
    private final String text;

    DatagramRefusal(String rule, String text) {
        this.rule = rule;
        this.text = text;
    }

    /** Number of the rule. */
    public String rule() {
        return rule;
    }

    /** What is wrong with the datagram, for people. */
    public String text() {
        return text;
    }
}
