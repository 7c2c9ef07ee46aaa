package io.stag.rnic.rdmap;

import io.stag.rnic.memory.BindResult;
import io.stag.rnic.memory.FastRegisterResult;
import io.stag.rnic.memory.InvalidateResult;
import io.stag.rnic.memory.SoftMemoryRegion;
import io.stag.rnic.memory.SoftMemoryWindow;
import io.stag.rnic.rdmap.StreamFailure.Origin;
import io.stag.rnic.work.SendWork;
import io.stag.verbs.CompletionStatus;
import io.stag.verbs.ErrorDetail;
import io.stag.verbs.ErrorDetail.Layer;
import io.stag.wire.rdmap.TerminateCode;

/** Requests that change STags and send nothing. They take effect before any later request starts. */
final class LocalOperations {
    private final RdmaStream stream;

    LocalOperations(RdmaStream stream) {
        this.stream = stream;
    }

    /** {@return false when it was refused and the stream failed} */
    boolean execute(SendWork work) {
        return switch (work.kind) {
            case INVALIDATE -> invalidate(work, work.remoteStag);
            case BIND -> bind(work);
            case FAST_REGISTER -> fastRegister(work);
            case SEND, WRITE, WRITE_IMMEDIATE, IMMEDIATE, READ, FETCH_ADD, COMPARE_SWAP ->
                throw new IllegalStateException(work.kind + " is not local");
        };
    }

    private boolean invalidate(SendWork work, int stag) {
        InvalidateResult result = stream.stags.invalidate(stag, stream.domain, stream.queuePair, false, false);
        return result == InvalidateResult.OK
                ? done(work)
                : refuse(work, CompletionStatus.MW_BIND_ERR, "RDMA verbs §7.8", result.text(), stag);
    }

    private boolean bind(SendWork work) {
        SoftMemoryWindow window = work.window;
        SoftMemoryRegion region = work.region;
        if (window == null || region == null) {
            throw new IllegalStateException("a bind names a window and a region");
        }
        BindResult result = stream.stags.bind(
                window, work.key, region, work.offset, work.length, work.rights, stream.domain, stream.queuePair);
        return result == BindResult.OK
                ? done(work)
                : refuse(work, CompletionStatus.MW_BIND_ERR, "RDMA verbs §7.10", result.text(), window.stag());
    }

    private boolean fastRegister(SendWork work) {
        SoftMemoryRegion region = work.region;
        if (region == null) {
            throw new IllegalStateException("a fast registration names a region");
        }
        FastRegisterResult result =
                stream.stags.fastRegister(region, work.key, work.memory, work.rights, stream.domain);
        return result == FastRegisterResult.OK
                ? done(work)
                : refuse(work, CompletionStatus.MW_BIND_ERR, "RDMA verbs §7.3.2", result.text(), region.stag());
    }

    private static boolean done(SendWork work) {
        work.endPosition = SendWork.DONE;
        return true;
    }

    private boolean refuse(SendWork work, CompletionStatus status, String clause, String fact, int stag) {
        work.failure = status;
        stream.fail(
                TerminateCode.RDMAP_LOCAL_CATASTROPHIC,
                TerminateMessage.NO_HEADERS,
                new StreamFailure(
                        new ErrorDetail(
                                Layer.VERBS,
                                clause,
                                work.kind + " of STag 0x" + Integer.toHexString(stag) + ": " + fact,
                                TerminateCode.RDMAP_LOCAL_CATASTROPHIC.wireValue()),
                        status,
                        Origin.SEND_WORK));
        return false;
    }
}
