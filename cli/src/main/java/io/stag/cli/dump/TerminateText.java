package io.stag.cli.dump;

import io.stag.wire.ddp.DdpControl;
import io.stag.wire.ddp.TaggedHeader;
import io.stag.wire.ddp.UntaggedHeader;
import io.stag.wire.rdmap.ReadRequestHeader;
import io.stag.wire.rdmap.TerminateCode;
import io.stag.wire.rdmap.TerminateHeader;
import java.lang.foreign.MemorySegment;
import java.util.HexFormat;
import java.util.Optional;

/** What a Terminate says (RFC 5040, section 4.8), in words. */
final class TerminateText {
    private static final String CLAUSE = "RFC 5040 §4.8";
    private static final HexFormat HEX = HexFormat.of();

    private final TerminateHeader header = new TerminateHeader();
    private final TaggedHeader tagged = new TaggedHeader();
    private final UntaggedHeader untagged = new UntaggedHeader();
    private final ReadRequestHeader readRequest = new ReadRequestHeader();

    void describe(MemorySegment ulpdu, int offset, int available, Frame.Builder frame) {
        if (!header.wrap(ulpdu, offset, available)) {
            frame.anomaly("Terminate without its 4 octets of control", CLAUSE);
            return;
        }
        boolean swapped = isSwapped();
        int code = swapped ? header.swappedCode() : header.code();
        int control = swapped ? header.swappedHeaderControl() : header.headerControl();
        frame.summary.append(" code ").append(hex(header.code()));
        Optional<TerminateCode> meaning = TerminateCode.of(code);
        if (swapped) {
            frame.note(
                    "layer and type are in the order of Linux siw, read the RFC's way it is " + hex(code) + ": "
                            + meaning.map(TerminateCode::meaning).orElse("")
                            + (control == 0 ? "" : "; its header flags are swapped too"),
                    CLAUSE);
        } else if (meaning.isPresent()) {
            String other = TerminateCode.of(header.swappedCode())
                    .filter(swappedMeaning -> swappedMeaning != meaning.get())
                    .map(swappedMeaning -> " Or, in the order of Linux siw, " + hex(header.swappedCode()) + ": "
                            + swappedMeaning.meaning())
                    .orElse("");
            frame.note(
                    meaning.get().layer() + ": " + meaning.get().meaning() + other,
                    meaning.get().clause().replace(", section ", " §"));
        } else {
            frame.anomaly("Terminate code " + hex(code) + " is not assigned", CLAUSE);
        }
        if (frame.wantsDetails()) {
            describeHeaders(ulpdu, control, frame);
        }
    }

    /** Linux siw fills the control word from bit-fields of a little-endian machine. */
    private boolean isSwapped() {
        boolean readable = TerminateCode.of(header.swappedCode()).isPresent();
        boolean wrongCode = TerminateCode.of(header.code()).isEmpty();
        boolean wrongFlags = header.headerControl() == 0 && header.swappedHeaderControl() != 0;
        return readable && (wrongCode || wrongFlags);
    }

    private void describeHeaders(MemorySegment ulpdu, int control, Frame.Builder frame) {
        frame.detail(header.appendTo(new StringBuilder()).toString());
        int ddpLength = header.ddpHeaderLength(control);
        if (ddpLength > 0) {
            long at = header.ddpHeaderOffset();
            StringBuilder text = new StringBuilder("terminated DDP header: ");
            if (DdpControl.isTagged(DdpControl.ddpControl(ulpdu, at))) {
                tagged.wrap(ulpdu, at);
                tagged.appendTo(text);
            } else {
                untagged.wrap(ulpdu, at);
                untagged.appendTo(text);
            }
            frame.detail(text.toString());
        }
        if (header.rdmaHeaderLength(control) > 0 && readRequest.wrap(ulpdu, header.rdmaHeaderOffset(control))) {
            frame.detail(readRequest
                    .appendTo(new StringBuilder("terminated Read Request: "))
                    .toString());
        }
    }

    private static String hex(int code) {
        return "0x" + HEX.toHexDigits((short) code);
    }
}
