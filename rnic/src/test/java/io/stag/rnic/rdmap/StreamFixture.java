package io.stag.rnic.rdmap;

import io.stag.rnic.memory.Rights;
import io.stag.rnic.memory.SoftMemoryRegion;
import io.stag.rnic.memory.SoftMemoryWindow;
import io.stag.rnic.memory.StagTable;
import io.stag.rnic.work.PostingTarget;
import io.stag.rnic.work.ReceiveList;
import io.stag.rnic.work.ReceiveQueue;
import io.stag.rnic.work.SendList;
import io.stag.rnic.work.SendQueue;
import io.stag.verbs.ProtectionDomain;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Proxy;
import java.util.SplittableRandom;

/**
 * One stream with its queues, its memory and an owner that records: the queue pair of the vectors' precondition. The
 * peer, raw or real, is somebody else.
 */
final class StreamFixture implements PostingTarget {
    /** STag and first octet of {@link #exposed}, and its length. */
    static final int STAG = 0x12345678;

    static final long BASE = 0x1_0000_2000L;
    static final int LENGTH = 256;

    /** STag and first octet of {@link #sink}. */
    static final int SINK_STAG = 0xa1b2c301;

    static final long SINK_BASE = 0x1_0000L;

    static final int DOMAIN = 7;
    static final int QUEUE_PAIR = 3;
    static final int ALL_RIGHTS =
            Rights.LOCAL_READ | Rights.LOCAL_WRITE | Rights.REMOTE | Rights.WINDOW_BIND | Rights.REMOTE_INVALIDATE;
    static final int DEPTH = 64;

    private static final ProtectionDomain OWNER_OF_REGIONS = (ProtectionDomain) Proxy.newProxyInstance(
            StreamFixture.class.getClassLoader(), new Class<?>[] {ProtectionDomain.class}, (_, method, _) -> {
                throw new UnsupportedOperationException(method.getName());
            });

    final StagTable stags;

    /** What the peer may read, write and change atomically, under {@link #STAG}. */
    final GuardedMemory exposed;

    final SoftMemoryRegion exposedRegion;

    /** Where Reads go, under {@link #SINK_STAG}; the peer has no right to it. */
    final GuardedMemory sink;

    final SoftMemoryRegion sinkRegion;

    final SendQueue sendQueue = new SendQueue(DEPTH);
    final ReceiveQueue receiveQueue = new ReceiveQueue(DEPTH, false);
    final SendList requests = new SendList(sendQueue, this);
    final ReceiveList receives = new ReceiveList(receiveQueue, this);
    final RecordingOwner owner = new RecordingOwner();
    final StreamCounters counters = new StreamCounters();
    final RdmaStream stream;

    StreamFixture(Settings settings) {
        stags = new StagTable(new SplittableRandom(1), 10_000);
        exposed = new GuardedMemory(LENGTH);
        exposedRegion = register(STAG, BASE, exposed.segment(), ALL_RIGHTS);
        sink = new GuardedMemory(LENGTH);
        sinkRegion = register(SINK_STAG, SINK_BASE, sink.segment(), Rights.LOCAL_READ | Rights.LOCAL_WRITE);
        stream = newStream(settings);
    }

    /** Another stream, over the memory of an existing one. */
    StreamFixture(Settings settings, StreamFixture memory) {
        stags = memory.stags;
        exposed = memory.exposed;
        exposedRegion = memory.exposedRegion;
        sink = memory.sink;
        sinkRegion = memory.sinkRegion;
        stream = newStream(settings);
    }

    private RdmaStream newStream(Settings settings) {
        return new RdmaStream(
                settings.build(),
                sendQueue,
                receiveQueue,
                stags,
                DOMAIN,
                QUEUE_PAIR,
                owner,
                counters,
                settings.firstMsn());
    }

    ProtectionDomain regionOwner() {
        return OWNER_OF_REGIONS;
    }

    SoftMemoryRegion register(int stag, long base, MemorySegment memory, int rights) {
        return register(stag, base, DOMAIN, memory, rights);
    }

    SoftMemoryRegion register(int stag, long base, int domain, MemorySegment memory, int rights) {
        return stags.registerAs(stag, base, domain, memory, rights, OWNER_OF_REGIONS);
    }

    /** Registers memory under a random STag with all rights. */
    SoftMemoryRegion register(GuardedMemory memory) {
        return register(memory, ALL_RIGHTS);
    }

    /** Registers memory under a random STag. */
    SoftMemoryRegion register(GuardedMemory memory, int rights) {
        return stags.register(DOMAIN, memory.segment(), rights, OWNER_OF_REGIONS);
    }

    /** A region filled with octets to send. */
    SoftMemoryRegion source(byte[] octets) {
        var memory = new GuardedMemory(Math.max(1, octets.length));
        memory.put(0, octets);
        return register(memory);
    }

    SoftMemoryWindow window() {
        return stags.allocateWindow(DOMAIN, OWNER_OF_REGIONS);
    }

    /** Posts a receive of so many octets. */
    GuardedMemory receive(long id, int length) {
        var memory = new GuardedMemory(Math.max(1, length));
        receives.receive(id).into(register(memory), 0, length).post();
        return memory;
    }

    /** Completes everything left in error, as the queue pair does when its stream has ended. */
    void flush() {
        owner.flush(stream, sendQueue, receiveQueue);
    }

    /** {@code length} octets as the vectors have them: from {@code first} on in steps of 7. */
    static byte[] pattern(int first, int length) {
        byte[] octets = new byte[length];
        for (int i = 0; i < length; i++) {
            octets[i] = (byte) (first + 7 * i);
        }
        return octets;
    }

    @Override
    public int domain() {
        return DOMAIN;
    }

    @Override
    public int maxSegments() {
        return 8;
    }

    @Override
    public int maxInline() {
        return 64;
    }

    @Override
    public void checkPosting() {}

    @Override
    public void ringDoorbell() {}
}
