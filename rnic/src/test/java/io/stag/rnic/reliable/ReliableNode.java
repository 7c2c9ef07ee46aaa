package io.stag.rnic.reliable;

import io.stag.rnic.datagram.DatagramAddress;
import io.stag.rnic.datagram.DatagramInput;
import io.stag.rnic.datagram.DatagramOutput;
import io.stag.rnic.datagram.SoftAddressHandle;
import io.stag.rnic.memory.Rights;
import io.stag.rnic.memory.SoftMemoryRegion;
import io.stag.rnic.memory.StagTable;
import io.stag.rnic.work.PostingTarget;
import io.stag.rnic.work.ReceiveList;
import io.stag.rnic.work.ReceiveQueue;
import io.stag.rnic.work.ReceiveWork;
import io.stag.rnic.work.ReliableSendList;
import io.stag.rnic.work.SendQueue;
import io.stag.verbs.AddressHandle;
import io.stag.verbs.CompletionStatus;
import io.stag.verbs.DatagramInfo;
import io.stag.verbs.DatagramRefusal;
import io.stag.verbs.ErrorDetail;
import io.stag.verbs.Operation;
import io.stag.verbs.ProtectionDomain;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** An engine with queues, memory and an owner that records; tests are its network. */
final class ReliableNode implements PostingTarget, ReliableOwner {
    static final int DOMAIN = 7;
    static final int QUEUE_PAIR = 3;
    static final int DEPTH = 512;
    static final long MILLISECOND = 1_000_000;
    static final int SEGMENT = 128;

    private static final ProtectionDomain OWNER_OF_REGIONS = (ProtectionDomain) Proxy.newProxyInstance(
            ReliableNode.class.getClassLoader(), new Class<?>[] {ProtectionDomain.class}, (_, method, _) -> {
                throw new UnsupportedOperationException(method.getName());
            });

    /** A receive that completed. */
    record Received(
            long id, Operation operation, CompletionStatus status, long length, int flags, long immediate, int port) {}

    /** A request that completed. */
    record Sent(
            long id,
            Operation operation,
            CompletionStatus status,
            @Nullable ErrorDetail detail) {}

    final int port;
    final StagTable stags;
    final SendQueue sendQueue = new SendQueue(DEPTH);
    final ReceiveQueue receiveQueue = new ReceiveQueue(DEPTH, false);
    final ReliableSendList requests = new ReliableSendList(sendQueue, this);
    final ReceiveList receives = new ReceiveList(receiveQueue, this);
    final ReliableCounts counts = new ReliableCounts();
    final ReliableSettings settings;
    final ReliableEngine engine;
    final DatagramInput input = new DatagramInput();
    final DatagramOutput output = new DatagramOutput();
    final List<Received> received = new ArrayList<>();
    final List<Sent> sent = new ArrayList<>();
    final List<String> failures = new ArrayList<>();
    final List<String> peerFailures = new ArrayList<>();
    final List<String> refusals = new ArrayList<>();
    int stalls;

    ReliableNode(int port, int epoch) {
        this(port, defaults(epoch));
    }

    ReliableNode(int port, ReliableSettings settings) {
        this.port = port;
        this.settings = settings;
        stags = new StagTable(new SplittableRandom(port + settings.epoch()), 10_000);
        engine = new ReliableEngine(settings, counts, sendQueue, receiveQueue, stags, this);
    }

    static ReliableSettings defaults(int epoch) {
        return settings(epoch, 64, 64);
    }

    static ReliableSettings settings(int epoch, int credit, int maxPeers) {
        return new ReliableSettings(
                DOMAIN,
                QUEUE_PAIR,
                epoch,
                42,
                SEGMENT,
                64,
                credit,
                maxPeers,
                1 << 16,
                4,
                60_000 * MILLISECOND,
                10_000 * MILLISECOND,
                20_000,
                true,
                true);
    }

    AddressHandle handle() {
        return new SoftAddressHandle(new InetSocketAddress("10.0.0.1", port));
    }

    SoftMemoryRegion region(long length) {
        return region(
                length,
                Rights.LOCAL_READ
                        | Rights.LOCAL_WRITE
                        | Rights.REMOTE_WRITE
                        | Rights.REMOTE_READ
                        | Rights.REMOTE_ATOMIC);
    }

    SoftMemoryRegion region(long length, int rights) {
        return register(Arena.ofAuto().allocate(length, 64), rights);
    }

    SoftMemoryRegion register(MemorySegment memory, int rights) {
        return stags.register(DOMAIN, memory, rights, OWNER_OF_REGIONS);
    }

    /** Posts a receive of its own memory. */
    SoftMemoryRegion post(long id, long length) {
        SoftMemoryRegion region = region(Math.max(1, length));
        receives.receive(id).into(region, 0, length).post();
        return region;
    }

    /** A datagram comes from {@code fromPort}. */
    void arrive(byte[] octets, int fromPort, long now) {
        arriveFrom(0x0A00_0001, octets, fromPort, now);
    }

    /** A datagram comes from {@code fromPort} of an IPv4 address. */
    void arriveFrom(int address, byte[] octets, int fromPort, long now) {
        input.clear();
        MemorySegment.copy(MemorySegment.ofArray(octets), 0, input.segment(), DatagramInput.offset(0), octets.length);
        input.add(octets.length, octets.length, 0, DatagramAddress.ipv4Low(address), fromPort, 0);
        engine.handle(input, now);
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
    public void ringDoorbell() {
        engine.receivesPosted();
    }

    // the owner

    @Override
    public void sendCompleted(
            long id, Operation operation, long length, CompletionStatus status, @Nullable ErrorDetail detail) {
        sent.add(new Sent(id, operation, status, detail));
    }

    @Override
    public void receiveTaken() {}

    @Override
    public void receiveCompleted(
            ReceiveWork work,
            Operation operation,
            long length,
            int flags,
            long immediate,
            int invalidatedStag,
            DatagramInfo info) {
        received.add(new Received(
                work.id, operation, CompletionStatus.SUCCESS, length, flags, immediate, info.sourcePort()));
    }

    @Override
    public void receiveFailed(ReceiveWork work, CompletionStatus status, ErrorDetail detail) {
        received.add(new Received(work.id, Operation.RECEIVE, status, 0, 0, 0, 0));
    }

    @Override
    public void sendingFailed(DatagramAddress peer, ErrorDetail detail) {
        failures.add(peer.port() + ": " + detail);
    }

    @Override
    public void peerFailed(DatagramAddress peer, ErrorDetail detail) {
        peerFailures.add(peer.port() + ": " + detail);
    }

    @Override
    public void refused(DatagramRefusal reason, DatagramAddress source, String fact) {
        refusals.add(reason + " from " + source.port() + ": " + fact);
    }

    @Override
    public void stalled(DatagramAddress peer) {
        stalls++;
    }

    @Override
    public boolean wantsRefusals() {
        return refusals.size() < 100;
    }
}
