package io.stag.bench;

import io.stag.rnic.memory.Rights;
import io.stag.rnic.memory.SoftMemoryRegion;
import io.stag.rnic.memory.StagTable;
import io.stag.rnic.rdmap.RdmaStream;
import io.stag.rnic.rdmap.StreamCounters;
import io.stag.rnic.rdmap.StreamFailure;
import io.stag.rnic.rdmap.StreamOwner;
import io.stag.rnic.rdmap.StreamSettings;
import io.stag.rnic.work.PostingTarget;
import io.stag.rnic.work.ReceiveQueue;
import io.stag.rnic.work.ReceiveWork;
import io.stag.rnic.work.SendList;
import io.stag.rnic.work.SendQueue;
import io.stag.verbs.CompletionStatus;
import io.stag.verbs.ErrorDetail;
import io.stag.verbs.Operation;
import io.stag.verbs.ProtectionDomain;
import java.lang.reflect.Proxy;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * One end of a stream as the engine sees it: queues, memory, a stream, and an owner that only counts. No agent, no
 * socket, no thread.
 */
final class EngineEnd implements PostingTarget, StreamOwner {
    static final int DOMAIN = 1;
    static final int QUEUE_PAIR = 1;
    static final int DEPTH = 64;
    static final int ALL_RIGHTS = Rights.LOCAL_READ | Rights.LOCAL_WRITE | Rights.REMOTE_READ | Rights.REMOTE_WRITE;

    private static final int OUTSTANDING_READS = 16;
    private static final int MAX_ENTRIES = 1 << 20;

    /** Largest segment size that can be configured, so that every message here is one FPDU. */
    private static final int EMSS = 65_535;

    private static final ProtectionDomain NO_DOMAIN = (ProtectionDomain) Proxy.newProxyInstance(
            EngineEnd.class.getClassLoader(), new Class<?>[] {ProtectionDomain.class}, (_, method, _) -> {
                throw new UnsupportedOperationException(method.getName());
            });

    final StagTable stags = newTable();
    final SendQueue sends = new SendQueue(DEPTH);
    final SendList requests = new SendList(sends, this);
    final RdmaStream stream;
    long completions;

    EngineEnd(boolean initiator, boolean crc, boolean markers) {
        stream = new RdmaStream(
                new StreamSettings(
                        initiator,
                        crc,
                        markers,
                        markers,
                        EMSS,
                        OUTSTANDING_READS,
                        OUTSTANDING_READS,
                        null,
                        Set.of(),
                        true,
                        true),
                sends,
                new ReceiveQueue(DEPTH, false),
                stags,
                DOMAIN,
                QUEUE_PAIR,
                this,
                new StreamCounters());
    }

    static StagTable newTable() {
        return new StagTable(new SplittableRandom(1), MAX_ENTRIES);
    }

    /** Memory of so many octets with all rights. */
    static SoftMemoryRegion allocate(StagTable stags, long lengthOctets) {
        return stags.allocate(DOMAIN, lengthOctets, ALL_RIGHTS, NO_DOMAIN);
    }

    @Override
    public int domain() {
        return DOMAIN;
    }

    @Override
    public int maxSegments() {
        return 4;
    }

    @Override
    public int maxInline() {
        return 64;
    }

    @Override
    public void checkPosting() {}

    @Override
    public void ringDoorbell() {}

    @Override
    public void sendCompleted(long id, Operation operation, long length) {
        completions++;
    }

    @Override
    public void receiveCompleted(
            ReceiveWork work, Operation operation, long length, int flags, long immediate, int invalidatedStag) {
        completions++;
    }

    @Override
    public void receiveFailed(ReceiveWork work, CompletionStatus status, ErrorDetail detail) {
        throw new IllegalStateException(status + ": " + detail);
    }

    @Override
    public void receiveTaken() {}

    @Override
    public void firstSegmentReceived() {}

    @Override
    public void failed(StreamFailure failure) {
        throw new IllegalStateException(failure.detail().toString());
    }

    @Override
    public void terminateReceived(ErrorDetail detail) {
        throw new IllegalStateException(detail.toString());
    }
}
