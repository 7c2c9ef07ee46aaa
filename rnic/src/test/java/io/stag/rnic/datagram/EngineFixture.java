package io.stag.rnic.datagram;

import io.stag.rnic.memory.Rights;
import io.stag.rnic.memory.SoftMemoryRegion;
import io.stag.rnic.memory.StagTable;
import io.stag.rnic.work.DatagramSendList;
import io.stag.rnic.work.PostingTarget;
import io.stag.rnic.work.ReceiveList;
import io.stag.rnic.work.ReceiveQueue;
import io.stag.rnic.work.ReceiveWork;
import io.stag.rnic.work.SendQueue;
import io.stag.verbs.CompletionStatus;
import io.stag.verbs.DatagramInfo;
import io.stag.verbs.DatagramRefusal;
import io.stag.verbs.ErrorDetail;
import io.stag.verbs.Operation;
import io.stag.verbs.ProtectionDomain;
import io.stag.verbs.ValidityMap;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Both halves of a queue pair's engine, with queues, memory and an owner that records. No port: tests are the network. */
final class EngineFixture implements PostingTarget, DatagramOwner {
    static final int DOMAIN = 7;
    static final int QUEUE_PAIR = 3;
    static final int DEPTH = 512;
    static final long MILLISECOND = 1_000_000;
    static final long MIN_TIMEOUT = MILLISECOND;
    static final long MAX_TIMEOUT = 100 * MILLISECOND;

    private static final ProtectionDomain OWNER_OF_REGIONS = (ProtectionDomain) Proxy.newProxyInstance(
            EngineFixture.class.getClassLoader(), new Class<?>[] {ProtectionDomain.class}, (_, method, _) -> {
                throw new UnsupportedOperationException(method.getName());
            });

    /** A receive that completed. */
    record Received(long id, CompletionStatus status, long length, int flags, int port) {}

    /** A Write-Record that was recorded. */
    record Written(
            int port, int stag, long taggedOffset, long length, long valid, boolean complete, int flags, String map) {}

    /** A request that completed. */
    record Sent(
            long id,
            Operation operation,
            boolean signaled,
            CompletionStatus status,
            @Nullable ErrorDetail detail) {}

    final StagTable stags = new StagTable(new SplittableRandom(1), 10_000);
    final SendQueue sendQueue = new SendQueue(DEPTH);
    final ReceiveQueue receiveQueue = new ReceiveQueue(DEPTH, false);
    final DatagramSendList requests = new DatagramSendList(sendQueue, this);
    final ReceiveList receives = new ReceiveList(receiveQueue, this);
    final DatagramCounts counts = new DatagramCounts();
    final DatagramSettings settings;
    final DatagramSender sender;
    final DatagramReceiver receiver;
    final DatagramInput input = new DatagramInput();
    final List<Received> received = new ArrayList<>();
    final List<Written> written = new ArrayList<>();
    final List<Sent> sent = new ArrayList<>();
    final List<String> refusals = new ArrayList<>();
    Runnable onRecord = () -> {}; // as whoever polls may look at once
    boolean recording = true;
    boolean takingMaps; // as a completion queue does
    long sourceHigh;
    long sourceLow = DatagramAddress.ipv4Low(0x0A00_0001);
    int sourcePort = 1000;
    int sourceScope;
    long now = 1_000 * MILLISECOND;
    int timesAsked;
    final LongSupplier clock = () -> {
        timesAsked++;
        return now;
    };

    EngineFixture() {
        this(defaults());
    }

    EngineFixture(DatagramSettings settings) {
        this.settings = settings;
        sender = new DatagramSender(settings, counts, sendQueue, this);
        receiver = new DatagramReceiver(settings, counts, stags, receiveQueue, this, sender::reported);
    }

    static DatagramSettings defaults() {
        return settings(16, 4, 1 << 16, 64);
    }

    static DatagramSettings settings(int open, int openPerSource, long octets, int sources) {
        return settings(open, openPerSource, octets, sources, 0);
    }

    static DatagramSettings settings(int open, int openPerSource, long octets, int sources, int flowWindow) {
        return new DatagramSettings(
                DOMAIN,
                QUEUE_PAIR,
                0x0E70_C401,
                42,
                128,
                1 << 20,
                open,
                openPerSource,
                octets,
                sources,
                1_000 * MILLISECOND,
                MIN_TIMEOUT,
                MAX_TIMEOUT,
                true,
                flowWindow,
                10 * MILLISECOND,
                true);
    }

    SoftMemoryRegion region(long length) {
        return region(length, Rights.LOCAL_READ | Rights.LOCAL_WRITE | Rights.REMOTE_WRITE);
    }

    SoftMemoryRegion region(long length, int rights) {
        return register(Arena.ofAuto().allocate(length, 64), rights);
    }

    SoftMemoryRegion register(MemorySegment memory, int rights) {
        return stags.register(DOMAIN, memory, rights, OWNER_OF_REGIONS);
    }

    /** Registers memory of its own under a well-known STag. */
    SoftMemoryRegion regionAs(int stag, long length) {
        int rights = Rights.LOCAL_READ | Rights.LOCAL_WRITE | Rights.REMOTE_WRITE;
        return stags.registerAs(stag, 0, DOMAIN, Arena.ofAuto().allocate(length, 64), rights, OWNER_OF_REGIONS);
    }

    static byte[] octets(SoftMemoryRegion region, long offset, long length) {
        return region.segment().asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE);
    }

    /** Posts a receive of its own memory. */
    SoftMemoryRegion post(long id, long length) {
        SoftMemoryRegion region = region(length);
        receives.receive(id).into(region, 0, length).post();
        return region;
    }

    /** A datagram comes from the source that is set, now. */
    void arrive(RawDatagram datagram) {
        arrive(datagram.octets());
    }

    void arrive(byte[] octets) {
        arrive(octets, octets.length);
    }

    /** Octets come, joined from datagrams of {@code segmentSize}. */
    void arrive(byte[] octets, int segmentSize) {
        arrive(octets, segmentSize, receiver);
    }

    /** A datagram comes to another receiver. */
    void arriveAt(DatagramReceiver other, RawDatagram datagram) {
        byte[] octets = datagram.octets();
        arrive(octets, octets.length, other);
    }

    private void arrive(byte[] octets, int segmentSize, DatagramReceiver at) {
        input.clear();
        MemorySegment.copy(MemorySegment.ofArray(octets), 0, input.segment(), DatagramInput.offset(0), octets.length);
        input.add(octets.length, segmentSize, sourceHigh, sourceLow, sourcePort, sourceScope);
        at.handle(input, clock);
    }

    void pass(long nanos) {
        now += nanos;
        if (receiver.nextDeadline() <= now) {
            receiver.handleTimeout(now);
        }
    }

    long refused(DatagramRefusal reason) {
        return counts.snapshot(0, 0, 0).refused(reason);
    }

    /** The blocks of a region that are marked, as '1' and '0', which are then forgotten. */
    static String takeValidity(SoftMemoryRegion region) {
        ValidityMap map = ValidityMap.ofLength(region.length());
        var grant = region.grant();
        if (grant == null) {
            throw new AssertionError("invalid region");
        }
        grant.validity().take(0, region.length(), map);
        StringBuilder text = new StringBuilder();
        for (long at = 0; at < region.length(); at += 64) {
            text.append(map.isValid(at) ? '1' : '0');
        }
        return text.toString();
    }

    // posting

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

    // the owner

    @Override
    public void sendCompleted(
            long id, Operation operation, boolean signaled, CompletionStatus status, @Nullable ErrorDetail detail) {
        if (recording) {
            sent.add(new Sent(id, operation, signaled, status, detail));
        }
    }

    @Override
    public void receiveTaken() {}

    @Override
    public void receiveCompleted(ReceiveWork work, long length, int flags, DatagramInfo info) {
        if (recording) {
            received.add(new Received(work.id, CompletionStatus.SUCCESS, length, flags, info.sourcePort()));
        }
    }

    @Override
    public void receiveFailed(ReceiveWork work, CompletionStatus status, ErrorDetail detail) {
        received.add(new Received(work.id, status, 0, 0, 0));
    }

    @Override
    public void recordCompleted(int flags, DatagramInfo info) {
        onRecord.run();
        if (!recording) {
            return;
        }
        StringBuilder map = new StringBuilder();
        for (long at = 0; at < info.messageLength(); at += 64) {
            map.append(info.isValid(at) ? '1' : '0');
        }
        written.add(new Written(
                info.sourcePort(),
                info.stag(),
                info.taggedOffset(),
                info.messageLength(),
                info.validOctets(),
                info.isComplete(),
                flags,
                map.toString()));
        if (takingMaps) {
            new DatagramInfo().takeFrom(info);
        }
    }

    @Override
    public void memoryWritten() {}

    @Override
    public void refused(DatagramRefusal reason, DatagramAddress source, String fact) {
        refusals.add(reason + " from " + source.port() + ": " + fact);
    }

    @Override
    public boolean wantsRefusals() {
        return recording && refusals.size() < 100;
    }
}
