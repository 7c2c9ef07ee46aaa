package io.stag.rnic.rdmap;

import io.stag.rnic.work.SendWork;
import io.stag.verbs.CompletionStatus;
import io.stag.verbs.ErrorDetail;
import io.stag.verbs.ErrorDetail.Layer;
import io.stag.wire.ddp.UntaggedHeader;
import io.stag.wire.rdmap.RdmapOpcode;
import io.stag.wire.rdmap.TerminateCode;
import io.stag.wire.rdmap.TerminateHeader;
import java.lang.foreign.MemorySegment;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Queue 2: the peer's Terminate. It needs no posted buffer, ends the stream and is never answered (RFC 5040, §5.4). */
final class InboundTerminate {
    private final RdmaStream stream;
    private final TerminateHeader terminate = new TerminateHeader();
    private final UntaggedHeader culpritHeader = new UntaggedHeader();

    InboundTerminate(RdmaStream stream) {
        this.stream = stream;
    }

    /** {@return false: nothing is accepted after it} */
    boolean accept(UntaggedHeader header, MemorySegment in, int at, int payload) {
        if (header.msn() != 1 || header.messageOffset() != 0 || !header.isLast()) {
            return refuse("with MSN " + Integer.toUnsignedString(header.msn()) + " and message offset "
                    + Integer.toUnsignedString(header.messageOffset()));
        }
        if (!terminate.wrap(in, at, payload)) {
            return refuse("of " + payload + " octets");
        }
        int code = terminate.code();
        Optional<TerminateCode> known = TerminateCode.of(code);
        // Linux siw puts layer and type into the other nibble (its bit fields follow the host's byte order)
        Optional<TerminateCode> swapped =
                TerminateCode.of(terminate.swappedCode()).filter(other -> !known.equals(Optional.of(other)));
        TerminateCode meant = known.or(() -> swapped).orElse(null);
        String text = "the peer ended the stream: "
                + (meant == null ? "unassigned code" : meant.meaning())
                + swapped.map(other -> siwText(code, known, other)).orElse("");
        SendWork culprit = culprit(in);
        CompletionStatus status = meant != null && meant.layer() == TerminateCode.Layer.RDMAP && meant.type() == 1
                ? CompletionStatus.REM_ACCESS_ERR
                : CompletionStatus.REM_OP_ERR;
        ErrorDetail detail = new ErrorDetail(
                layerOf(meant),
                meant == null ? "RFC 5040 §4.8" : meant.clause(),
                text,
                meant == null ? code : meant.wireValue());
        stream.terminated(detail, culprit, status);
        return false;
    }

    /** Some codes mean something in either order. */
    private static String siwText(int code, Optional<TerminateCode> known, TerminateCode swapped) {
        return known.isPresent()
                ? " (or, from Linux siw, which swaps the nibbles: " + swapped.meaning() + ")"
                : String.format(Locale.ROOT, " (sent as 0x%04x: nibbles swapped, as Linux siw does)", code);
    }

    /** A Terminate that is itself wrong ends the stream without an answer. */
    boolean refuse(String what) {
        stream.terminated(
                ErrorDetail.of(Layer.RDMAP, "RFC 5040 §4.8", "the peer sent a malformed Terminate " + what),
                null,
                CompletionStatus.REM_OP_ERR);
        return false;
    }

    /** The Read or atomic that the included headers name, if it is still outstanding. */
    private @Nullable SendWork culprit(MemorySegment in) {
        if (terminate.ddpHeaderLength() != UntaggedHeader.LENGTH) {
            return null;
        }
        culpritHeader.wrap(in, terminate.ddpHeaderOffset());
        return culpritHeader.queueNumber() == RdmapOpcode.READ_REQUEST_QUEUE
                ? stream.outstanding.withMsn(culpritHeader.msn())
                : null;
    }

    private static Layer layerOf(@Nullable TerminateCode code) {
        if (code == null) {
            return Layer.RDMAP;
        }
        return switch (code.layer()) {
            case RDMAP -> Layer.RDMAP;
            case DDP -> Layer.DDP;
            case LLP -> Layer.MPA;
        };
    }
}
