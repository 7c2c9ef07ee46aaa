package io.stag.rnic.rdmap;

import io.stag.wire.ddp.UntaggedHeader;
import io.stag.wire.rdmap.ReadRequestHeader;
import io.stag.wire.rdmap.TerminateCode;
import io.stag.wire.rdmap.TerminateHeader;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** The one Terminate message that a stream may send (RFC 5040, section 4.8), made when the error is found. */
final class TerminateMessage {
    /** No header of the offending segment is included. */
    static final int NO_HEADERS = 0;
    /** Length and DDP header of the offending segment are included. */
    static final int DDP_HEADER = 1;
    /** Besides, the Read Request header. */
    static final int READ_REQUEST = 2;

    private static final int OFFENDER = UntaggedHeader.LENGTH + ReadRequestHeader.LENGTH;

    private final MemorySegment payload = MemorySegment.ofArray(new byte[TerminateHeader.MAX_LENGTH]);
    private final MemorySegment offender = MemorySegment.ofArray(new byte[OFFENDER]);
    private final TerminateHeader header = new TerminateHeader();
    private @Nullable MemorySegment seen; // where the offender's headers are, while watching
    private boolean watching;
    private long seenAt;
    private int offenderLength;
    private int length;

    /** A segment that may turn out to be refused; its octets stay until {@link #prepare} or {@link #forget}. */
    @SuppressWarnings({"ReferenceEquality", "MemorySegmentReferenceEquality"
    }) // only whether there is something to store
    void watch(MemorySegment segment, long offset, int segmentLength) {
        if (seen != segment) {
            seen = segment;
        }
        watching = true;
        seenAt = offset;
        offenderLength = segmentLength;
    }

    /** The segment last watched was taken. */
    void forget() {
        watching = false;
    }

    private void keepOffender() {
        MemorySegment watched = seen;
        if (watching && watched != null) {
            MemorySegment.copy(watched, seenAt, offender, 0, Math.min(offenderLength, OFFENDER));
            watching = false;
        }
    }

    /** Room to rebuild the headers of a request of {@code segmentLength} octets that came earlier. */
    MemorySegment rebuildOffender(int segmentLength) {
        watching = false;
        offenderLength = segmentLength;
        return offender;
    }

    void prepare(TerminateCode code, int headers) {
        if (headers != NO_HEADERS) {
            keepOffender();
        }
        header.wrap(payload, 0, TerminateHeader.MAX_LENGTH);
        length = switch (headers) {
            case DDP_HEADER -> header.putWithDdpHeader(code.wireValue(), offenderLength, offender, 0);
            case READ_REQUEST -> header.putWithReadRequest(code.wireValue(), offenderLength, offender, 0);
            default -> header.put(code.wireValue());
        };
    }

    MemorySegment payload() {
        return payload;
    }

    int length() {
        return length;
    }
}
