package io.stag.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.testkit.ReliableRequest.Fate;
import io.stag.verbs.AddressHandle;
import io.stag.verbs.CompletionQueue;
import io.stag.verbs.DatagramRefusal;
import io.stag.verbs.MemoryRegion;
import io.stag.verbs.Operation;
import io.stag.verbs.ReceiveRequests;
import io.stag.verbs.ReliableQueuePair;
import io.stag.verbs.ReliableQueuePairConfig;
import io.stag.verbs.ReliableSendRequests;
import io.stag.verbs.WorkCompletions;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;

/**
 * One life of a reliable datagram queue pair in a simulated run, and what must be true of everything that reaches it or
 * completes here (RD-001 to RD-003).
 */
final class ReliableNode {
    static final int LONGEST_SEND = 9_000;
    static final int HEADER = 8; // of a Send: number of its request

    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED;

    /** A counter in the memory of a host, reached through an address. */
    private record Counter(ReliableHost host, InetSocketAddress address) {}

    final ReliableHost host;
    final int life;
    final InetSocketAddress address;
    final ReliableQueuePair queuePair;

    private final String hint;
    private final CompletionQueue queue;
    private final MemoryRegion buffers;
    private final ReliableSendRequests requests;
    private final ReceiveRequests receives;
    private final int receiveCount;
    private final WorkCompletions completions = WorkCompletions.ofCapacity(7);
    private final Map<InetSocketAddress, AddressHandle> handles = new HashMap<>();
    private final Map<InetSocketAddress, Deque<ReliableRequest>> underWay = new HashMap<>();
    private final Map<ReliableNode, Integer> lastDelivered = new HashMap<>();
    private final Map<Counter, Long> lastFormer = new HashMap<>();
    private final Map<Integer, ReliableRequest> byNumber = new HashMap<>();
    private final Deque<Integer> idleReceives = new ArrayDeque<>();
    final long beganNanos;
    private int requestsBeforeEnd = Integer.MAX_VALUE;

    ReliableNode(
            ReliableHost host,
            int life,
            InetSocketAddress address,
            SplittableRandom random,
            UnaryOperator<ReliableQueuePairConfig.Builder> settings,
            String hint) {
        this.host = host;
        this.life = life;
        this.address = address;
        beganNanos = host.simulation.nanoTime();
        this.hint = hint;
        queue = host.rnic.createCompletionQueue(4_096);
        receiveCount = 2 + random.nextInt(20);
        queuePair = host.domain.createReliableQueuePair(settings.apply(ReliableQueuePairConfig.builder(queue)
                        .address(address)
                        .datagramLength(200 + random.nextInt(1_300))
                        .window(16 << random.nextInt(6))
                        .maxReads(1 + random.nextInt(8))
                        .maxReorderOctets(random.nextBoolean() ? 8L << 20 : 4_096 + random.nextInt(60_000))
                        .receiveDepth(receiveCount)
                        .sendDepth(256)
                        .errorDepth(1_000))
                .build());
        buffers = host.domain.allocate((long) receiveCount * LONGEST_SEND, ReliableHost.ALL);
        requests = queuePair.newSendRequests();
        receives = queuePair.newReceiveRequests();
        for (int i = 0; i < receiveCount; i++) {
            idleReceives.add(i);
        }
        postReceives();
    }

    void postReceives() {
        while (!idleReceives.isEmpty()) {
            int buffer = idleReceives.removeFirst();
            receives.receive(buffer).into(buffers, (long) buffer * LONGEST_SEND, LONGEST_SEND);
        }
        receives.post();
    }

    boolean isReady() {
        return queuePair.state() == ReliableQueuePair.State.READY && outstanding() < 200;
    }

    int outstanding() {
        return underWay.values().stream().mapToInt(Deque::size).sum();
    }

    void post(ReliableRequest request, MemoryRegion local, long at) {
        ReliableHost target = request.to.host;
        requests.to(handles.computeIfAbsent(request.address, queuePair::address));
        long id = request.number;
        switch (request.kind) {
            case SEND -> requests.send(id).from(local, at, request.length);
            case IMMEDIATE -> requests.immediate(id, id);
            case WRITE ->
                requests.write(id, target.target.stag(), request.offset).from(local, at, request.length);
            case WRITE_IMMEDIATE ->
                requests.writeImmediate(id, target.target.stag(), request.offset, id)
                        .from(local, at, request.length);
            case READ ->
                requests.read(id, target.readable.stag(), request.offset).into(local, at, request.length);
            case FETCH_ADD ->
                requests.fetchAdd(id, target.counters.stag(), request.offset, 1).into(local, at, 8);
        }
        if (!request.signaled) {
            requests.unsignaled();
        }
        assertThat(requests.post()).as(hint).isEqualTo(1);
        underWay.computeIfAbsent(request.address, _ -> new ArrayDeque<>()).add(request);
        byNumber.put(request.number, request);
    }

    /** Takes what completed, and looks at it. */
    void poll(List<ReliableRequest> all) {
        drain(all);
        if (underWay.values().stream().anyMatch(list -> list.stream().anyMatch(r -> !r.signaled))) {
            settleUnsignaled();
        }
    }

    private void drain(List<ReliableRequest> all) {
        while (queue.poll(completions) > 0) {
            for (int i = 0; i < completions.size(); i++) {
                Operation operation = completions.operation(i);
                if (operation == Operation.RECEIVE || operation == Operation.RECEIVE_IMMEDIATE) {
                    received(i, all);
                } else {
                    completed(i);
                }
            }
        }
    }

    /** Unsignaled requests end without a word: when everything is over, those that did not fail are done. */
    private void settleUnsignaled() {
        if (queuePair.counters().activePeers() == 0) {
            for (Deque<ReliableRequest> list : underWay.values()) {
                while (!list.isEmpty() && !list.getFirst().signaled) {
                    done(list.removeFirst());
                }
            }
        }
    }

    private void completed(int at) {
        ReliableRequest request = byNumber.get((int) completions.id(at));
        assertThat(request).as("%s, %s", completions.describe(at), hint).isNotNull();
        Deque<ReliableRequest> list = underWay.get(request.address);
        while (!list.isEmpty() && list.getFirst() != request && !list.getFirst().signaled) {
            done(list.removeFirst()); // it said nothing, so it was a success
        }
        assertThat(list.isEmpty() ? null : list.getFirst())
                .as("in the order of posting: %s; %s", completions.describe(at), hint)
                .isSameAs(request);
        list.removeFirst();
        if (completions.isSuccess(at)) {
            assertThat(request.signaled).as("%s, %s", request, hint).isTrue();
            done(request);
        } else {
            request.fate = Fate.FAILED;
            request.failure = ", " + completions.describe(at);
            assertThat(completions.detail(at)).as("%s, %s", request, hint).isNotNull();
        }
    }

    private void done(ReliableRequest request) {
        request.fate = Fate.DONE;
        request.doneNanos = host.simulation.nanoTime();
        ReliableHost target = request.to.host;
        switch (request.kind) {
            case WRITE, WRITE_IMMEDIATE -> {
                target.checkWritten(request, hint);
                target.clear(request); // whatever is there at the end came too late
            }
            case READ -> target.checkRead(request, host.local(request), hint);
            case FETCH_ADD -> {
                request.former = host.local(request).get(WORD, 0);
                Counter counter = new Counter(target, request.address);
                long last = lastFormer.getOrDefault(counter, -1L);
                assertThat(request.former)
                        .as("each sees the one before it: %s, %s", request, hint)
                        .isGreaterThan(last);
                lastFormer.put(counter, request.former);
            }
            case SEND, IMMEDIATE -> {
                // counted where it is received
            }
        }
        host.free(request);
    }

    private void received(int at, List<ReliableRequest> all) {
        assertThat(completions.isSuccess(at))
                .as("%s, %s", completions.describe(at), hint)
                .isTrue();
        int buffer = (int) completions.id(at);
        long start = (long) buffer * LONGEST_SEND;
        boolean send = completions.operation(at) == Operation.RECEIVE;
        int number = (int) (send ? buffers.segment().get(WORD, start) : completions.immediate(at));
        ReliableRequest request = all.get(number);
        assertThat(request.kind.isTold()).as("%s, %s", request, hint).isTrue();
        assertThat(request.kind == ReliableRequest.Kind.SEND)
                .as("%s, %s", request, hint)
                .isEqualTo(send);
        assertThat(request.address).as("%s, %s", request, hint).isEqualTo(address);
        assertThat(completions.datagram(at).source()).as(hint).isEqualTo(request.from.address);
        if (send) {
            assertThat(completions.length(at)).as("%s, %s", request, hint).isEqualTo(request.length);
            checkOctets(request, start);
        } else if (request.kind == ReliableRequest.Kind.WRITE_IMMEDIATE && request.fate == Fate.UNDER_WAY) {
            host.checkWritten(request, hint);
        }
        int last = lastDelivered.getOrDefault(request.from, -1);
        assertThat(number)
                .as("once and in order, after %d of the same sender: %s, %s", last, request, hint)
                .isGreaterThan(last);
        lastDelivered.put(request.from, number);
        request.deliveries++;
        idleReceives.add(buffer);
    }

    private void checkOctets(ReliableRequest request, long start) {
        MemorySegment memory = buffers.segment();
        for (int i = HEADER; i < request.length; i++) {
            if (memory.get(ValueLayout.JAVA_BYTE, start + i) != request.octet(i)) {
                throw new AssertionError("octet " + i + " of " + request + "; " + hint);
            }
        }
    }

    /** Notes what went wrong and goes on. */
    void dealWithErrors() {
        while (queuePair.pollError().isPresent()) {
            // what peers and networks do wrong
        }
        queuePair.reset();
    }

    /** The end of this life, which takes what has completed with it; what was under way is nobody's matter any more. */
    void close(List<ReliableRequest> all) {
        queuePair.close();
        drain(all);
        requestsBeforeEnd = all.size();
        underWay.values().forEach(list -> list.forEach(request -> request.fate = Fate.UNKNOWN));
        underWay.clear();
    }

    /** Whether it may have taken a request: it has the address, and was not over when that was posted. */
    boolean mayHaveTaken(ReliableRequest request) {
        return address.equals(request.address) && request.number < requestsBeforeEnd;
    }

    /** At the end, when nothing is under way any more. */
    void checkAtRest() {
        assertThat(queuePair.counters().completionsLost()).as(hint).isZero();
        assertThat(queuePair.counters().refused(DatagramRefusal.BEYOND_CREDIT))
                .as(hint)
                .isZero();
        assertThat(queuePair.counters().activePeers())
                .as("%s, %s", queuePair.counters(), hint)
                .isZero();
    }

    @Override
    public String toString() {
        return "host " + host + " life " + life;
    }
}
