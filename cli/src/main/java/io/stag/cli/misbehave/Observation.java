package io.stag.cli.misbehave;

import io.stag.wire.rdmap.RdmapOpcode;
import io.stag.wire.rdmap.TerminateCode;
import io.stag.wire.rdmap.TerminateHeader;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/**
 * What came back.
 *
 * @param frame the peer's startup frame, if one came
 * @param segments its segments after what the case began with
 * @param alive whether it answered the last question, an RDMA Read of nothing, rightly
 * @param end how its direction ended
 * @param findings what is to be said about its octets whatever the case
 */
record Observation(
        Optional<PeerFrame> frame, List<Segment> segments, boolean alive, StreamEnd end, List<Finding> findings) {

    /** The first Terminate. */
    Optional<Segment> terminate() {
        return segments.stream().filter(Observation::isTerminate).findFirst();
    }

    /** The startup frame, if it is not a Request, which no case waits for as an answer. */
    Optional<PeerFrame> reply() {
        return frame.filter(found -> !found.request());
    }

    boolean closed() {
        return end != StreamEnd.OPEN;
    }

    /** Rules that hold for every Terminate and for what follows it. */
    List<Finding> allFindings() {
        List<Finding> all = new ArrayList<>(findings);
        terminate().ifPresent(terminate -> {
            if (terminate.queue() != RdmapOpcode.TERMINATE_QUEUE) {
                all.add(Finding.violation("RDMAP-047", "RFC 5040 §5.4", "its Terminate is not on queue 2"));
            }
            if (terminate.msn() != 1 || terminate.messageOffset() != 0 || !terminate.isLast()) {
                all.add(Finding.violation("DDP-021", "RFC 5041 §4.3", "its Terminate is not one segment with MSN 1"));
            }
            if (!isTerminate(segments.getLast())
                    || segments.stream().filter(Observation::isTerminate).count() > 1) {
                all.add(Finding.violation("RDMAP-050", "RFC 5040 §5.4", "something followed its Terminate"));
            }
            if (end == StreamEnd.RESET) {
                all.add(Finding.note(
                        "RDMAP-069", "RFC 5040 §6.2.1", "a reset followed its Terminate, which could have got lost"));
            }
        });
        return all;
    }

    /** A few words for a table. */
    String text() {
        List<String> parts = new ArrayList<>();
        if (segments.isEmpty()) {
            reply().ifPresent(found -> parts.add(found.text()));
        }
        terminate().ifPresentOrElse(found -> parts.add(terminateText(found)), () -> others(parts));
        if (alive) {
            parts.add("went on");
        } else if (closed() || !parts.isEmpty()) {
            parts.add(end.text());
        } else {
            parts.add("nothing");
        }
        return String.join(", ", parts);
    }

    private void others(List<String> parts) {
        int count = segments.size() - (alive ? 1 : 0);
        if (count > 0) {
            Segment first = segments.getFirst();
            parts.add(RdmapOpcode.name(first.opcode()) + (count > 1 ? " and " + (count - 1) + " more" : ""));
        }
    }

    private static String terminateText(Segment terminate) {
        if (terminate.payloadLength() < TerminateHeader.LENGTH) {
            return "Terminate without a code";
        }
        TerminateHeader header = terminate.terminateHeader();
        String text = "Terminate " + hex(header.code());
        boolean readable = TerminateCode.of(header.code()).isPresent();
        return readable ? text : text + " (" + hex(header.swappedCode()) + " if swapped)";
    }

    static String hex(int code) {
        return "0x" + HexFormat.of().toHexDigits((short) code);
    }

    private static boolean isTerminate(Segment segment) {
        return segment.hasHeader() && !segment.isTagged() && segment.opcode() == RdmapOpcode.TERMINATE;
    }
}
