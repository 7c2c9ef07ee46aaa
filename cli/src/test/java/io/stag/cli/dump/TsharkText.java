package io.stag.cli.dump;

import io.stag.cli.dump.Tshark.Row;
import io.stag.wire.ddp.TaggedHeader;
import io.stag.wire.ddp.UntaggedHeader;
import io.stag.wire.mpa.EnhancedWord;
import io.stag.wire.rdmap.RdmapOpcode;
import io.stag.wire.rdmap.ReadRequestHeader;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/**
 * What {@code stag dump} has to print about a packet, made of nothing but the fields that Wireshark's dissector found in it.
 * What the dissector does not show, or shows wrongly, is left out; {@code docs/interop.md} lists it.
 */
final class TsharkText {
    private static final HexFormat HEX = HexFormat.of();
    private static final int ENHANCED_FLAG = 0x10; // S of RFC 6581, in the dissector's reserved field
    private static final int LAYER_RDMA = 0;
    private static final int LAYER_DDP = 1;
    private static final int TYPE_TAGGED = 1;
    private static final int TYPE_UNTAGGED = 2;
    private static final int FETCH_ADD = 0;
    private static final int TAGGED = 0x80;
    private static final int HEADERS = UntaggedHeader.LENGTH + ReadRequestHeader.LENGTH;
    private static final int NOT_SHOWN_DIGITS = 8;

    private final Row row;

    TsharkText(Row row) {
        this.row = row;
    }

    /** The line of a startup frame. */
    String startup() {
        byte[] data = HEX.parseHex(row.get("iwarp_mpa.privatedata"));
        boolean enhanced = (number("iwarp_mpa.res") & ENHANCED_FLAG) != 0;
        StringBuilder text = new StringBuilder("Rev ").append(number("iwarp_mpa.rev"));
        text.append(" M=").append(flag("iwarp_mpa.marker_flag"));
        text.append(" C=").append(flag("iwarp_mpa.crc_flag"));
        text.append(" R=").append(flag("iwarp_mpa.rej_flag"));
        text.append(" S=").append(enhanced ? 1 : 0);
        text.append(" PD_Length ").append(number("iwarp_mpa.pdlength"));
        if (enhanced) {
            EnhancedWord.read(MemorySegment.ofArray(data), 0).appendTo(text.append(' '));
        }
        return text.toString();
    }

    /** What it shows of private data beyond the enhanced word. */
    List<String> startupDetails() {
        byte[] data = HEX.parseHex(row.get("iwarp_mpa.privatedata"));
        boolean enhanced = (number("iwarp_mpa.res") & ENHANCED_FLAG) != 0;
        int skip = enhanced ? EnhancedWord.LENGTH : 0;
        return data.length > skip
                ? List.of("private data " + HexFormat.ofDelimiter(" ").formatHex(data, skip, data.length))
                : List.of();
    }

    /** The line of an FPDU, but for the CRC at its end. */
    String summary() {
        StringBuilder text = new StringBuilder("L=").append(flag("iwarp_ddp.last_flag"));
        if (isTagged()) {
            text.append(" STag ").append(hex32("iwarp_ddp.stag"));
            text.append(" TO ").append(hex64("iwarp_ddp.tagged_offset"));
            return text.append(" len ").append(length() - TaggedHeader.LENGTH).toString();
        }
        text.append(" QN ").append(number("iwarp_ddp.qn"));
        text.append(" MSN ").append(number("iwarp_ddp.msn"));
        text.append(" MO ").append(number("iwarp_ddp.mo"));
        text.append(" len ").append(length() - UntaggedHeader.LENGTH);
        if (RdmapOpcode.invalidates(opcode())) {
            text.append(" invalidate STag ").append(hex32("iwarp_rdma.inval_stag"));
        }
        return text.append(message()).toString();
    }

    private String message() {
        return switch (opcode()) {
            case RdmapOpcode.READ_REQUEST ->
                " sink STag " + hex32("iwarp_rdma.sinkstag") + " TO " + hex64("iwarp_rdma.sinkto") + " size "
                        + number("iwarp_rdma.rdmardsz") + " source STag " + hex32("iwarp_rdma.srcstag") + " TO "
                        + hex64("iwarp_rdma.srcto");
            case RdmapOpcode.TERMINATE -> " code " + terminateCode();
            case RdmapOpcode.ATOMIC_REQUEST -> atomicRequest();
            case RdmapOpcode.ATOMIC_RESPONSE ->
                " id " + hex32("iwarp_rdma.atomic.original_request_identifier") + " original value "
                        + hex64("iwarp_rdma.atomic.original_remote_data_value");
            default -> "";
        };
    }

    private String atomicRequest() {
        boolean add = number("iwarp_rdma.atomic.opcode") == FETCH_ADD;
        return (add ? " FetchAdd" : " CmpSwap")
                + " id " + hex32("iwarp_rdma.atomic.request_identifier")
                + " STag " + hex32("iwarp_rdma.atomic.remote_stag")
                + " TO " + hex64("iwarp_rdma.atomic.remote_tagged_offset")
                + " data " + hex64(add ? "iwarp_rdma.atomic.add_data" : "iwarp_rdma.atomic.swap_data")
                + " mask " + hex64(add ? "iwarp_rdma.atomic.add_mask" : "iwarp_rdma.atomic.swap_mask")
                + " compare " + hex64("iwarp_rdma.atomic.compare_data")
                + " mask " + hex64("iwarp_rdma.atomic.compare_mask");
    }

    /** The lines about control octets and the DDP header. */
    List<String> headerDetails() {
        List<String> details = new ArrayList<>();
        long ddp = flag("iwarp_ddp.tagged_flag") << 7
                | flag("iwarp_ddp.last_flag") << 6
                | number("iwarp_ddp.rsvd") << 2
                | number("iwarp_ddp.dv");
        details.add("DDP control 0x" + HEX.toHexDigits((byte) ddp) + ": T=" + flag("iwarp_ddp.tagged_flag") + " L="
                + flag("iwarp_ddp.last_flag") + " DV=" + number("iwarp_ddp.dv"));
        long rdmap = number("iwarp_rdma.version") << 6 | number("iwarp_rdma.rsv") << 4 | opcode();
        details.add("RDMAP control 0x" + HEX.toHexDigits((byte) rdmap) + ": RV=" + number("iwarp_rdma.version")
                + " opcode " + opcode() + ", " + RdmapOpcode.name(opcode()));
        if (isTagged()) {
            details.add("STag " + hex32("iwarp_ddp.stag") + ", Tagged Offset " + hex64("iwarp_ddp.tagged_offset"));
        } else {
            // the dissector's octets for the ULP are RDMAP's control octet and the STag to invalidate
            details.add("Invalidate STag 0x" + row.get("iwarp_ddp.rsvdulp").substring(2) + ", QN "
                    + number("iwarp_ddp.qn") + ", MSN " + number("iwarp_ddp.msn") + ", MO " + number("iwarp_ddp.mo"));
        }
        return details;
    }

    /** Beginning of the line about the FPDU; what follows counts Markers and shows the CRC. */
    String fpduDetail() {
        int pad = row.get("iwarp_mpa.pad").length() / 2;
        return "FPDU of " + number("tcp.len") + " octets: ULPDU_Length " + length() + ", pad " + pad + ", Markers ";
    }

    /** The CRC field: the dissector shows its octets in their order, the dump the number, whose first octet is the lowest. */
    String crcField() {
        String checked = row.get("iwarp_mpa.crc_check");
        int octets = (int) number(checked.isEmpty() ? row.get("iwarp_mpa.crc") : checked);
        return "CRC field 0x" + HEX.toHexDigits(Integer.reverseBytes(octets));
    }

    /** How many Markers it sees in the packet. */
    int markers() {
        String pointers = row.get("iwarp_mpa.marker_fpduptr");
        return pointers.isEmpty() ? 0 : pointers.split(",", -1).length;
    }

    /** The line about a Terminate, but for the words about its code. */
    List<String> terminateDetail() {
        String length = row.get("iwarp_rdma.term_ddp_seg_len");
        return List.of(
                "Terminate " + terminateCode() + " ",
                " M=" + flag("iwarp_rdma.term_hdrct_m") + " D=" + flag("iwarp_rdma.hdrct_d") + " R="
                        + flag("iwarp_rdma.hdrct_r")
                        + (length.isEmpty() ? "" : " segment length " + Integer.parseInt(length, 16)));
    }

    /**
     * The headers inside a Terminate. For an error of RDMAP the dissector gives the DDP header the length of a tagged one: of
     * an untagged one the last four octets come first in its field for the RDMA header, whose own last four it does not show.
     */
    List<String> terminatedHeaders() {
        byte[] octets = HEX.parseHex(row.get("iwarp_rdma.term_ddp_h") + row.get("iwarp_rdma.term_rdma_h"));
        if (octets.length == 0) {
            return List.of();
        }
        MemorySegment shown = MemorySegment.ofArray(Arrays.copyOf(octets, HEADERS));
        StringBuilder ddp = new StringBuilder("terminated DDP header: ");
        if ((octets[0] & TAGGED) != 0) {
            TaggedHeader tagged = new TaggedHeader();
            tagged.wrap(shown, 0);
            return List.of(tagged.appendTo(ddp).toString());
        }
        UntaggedHeader untagged = new UntaggedHeader();
        untagged.wrap(shown, 0);
        untagged.appendTo(ddp);
        if (row.get("iwarp_rdma.term_rdma_h").isEmpty()) {
            return List.of(ddp.toString());
        }
        ReadRequestHeader readRequest = new ReadRequestHeader();
        readRequest.wrap(shown, UntaggedHeader.LENGTH);
        String read = readRequest
                .appendTo(new StringBuilder("terminated Read Request: "))
                .toString();
        return List.of(ddp.toString(), read.substring(0, read.length() - NOT_SHOWN_DIGITS));
    }

    private String terminateCode() {
        int layer = (int) number("iwarp_rdma.term_layer");
        String type;
        String code;
        if (layer == LAYER_RDMA) {
            type = "iwarp_rdma.term_etype_rdma";
            code = "iwarp_rdma.term_errcode_rdma";
        } else if (layer == LAYER_DDP) {
            type = "iwarp_rdma.term_etype_ddp";
            code = switch ((int) number(type)) {
                case TYPE_TAGGED -> "iwarp_rdma.term_errcode_ddp_tagged";
                case TYPE_UNTAGGED -> "iwarp_rdma.term_errcode_ddp_untagged";
                default -> "iwarp_rdma.term_errcode";
            };
        } else {
            type = "iwarp_rdma.term_etype_llp";
            code = "iwarp_rdma.term_errcode_llp";
        }
        return "0x" + HEX.toHexDigits((short) (layer << 12 | number(type) << 8 | number(code)));
    }

    boolean isTagged() {
        return flag("iwarp_ddp.tagged_flag") == 1;
    }

    int opcode() {
        return (int) number("iwarp_rdma.opcode");
    }

    private int length() {
        return (int) number("iwarp_mpa.ulpdulength");
    }

    private int flag(String field) {
        String value = row.get(field);
        return value.equals("1") || value.equalsIgnoreCase("true") ? 1 : 0;
    }

    private long number(String fieldOrValue) {
        String value = Tshark.isField(fieldOrValue) ? row.get(fieldOrValue) : fieldOrValue;
        return value.startsWith("0x") ? Long.parseUnsignedLong(value.substring(2), 16) : Long.parseUnsignedLong(value);
    }

    private String hex32(String field) {
        return "0x" + HEX.toHexDigits((int) number(field));
    }

    private String hex64(String field) {
        return "0x" + HEX.toHexDigits(number(field));
    }
}
