package io.stag.testkit;

import static io.stag.testkit.SimMemory.check;

import io.stag.verbs.Access;
import io.stag.verbs.AsyncEvent;
import io.stag.verbs.CompletionQueue;
import io.stag.verbs.MemoryRegion;
import io.stag.verbs.ProtectionDomain;
import io.stag.verbs.Rnic;
import io.stag.verbs.SharedReceiveQueue;
import io.stag.verbs.WorkCompletions;
import io.stag.verbs.cm.Listener;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One RNIC of a simulation, with what all its connections share. */
final class SimNode {
    static final int COUNTERS = 4;
    private static final int COMPLETIONS = 4096;
    private static final int SHARED_RECEIVES = 64;
    private static final long SHARED_LENGTH = 200;

    final Rnic rnic;
    final ProtectionDomain domain;
    final CompletionQueue queue;
    final SimMemory memory;
    final MemoryRegion counters;
    final Listener listener;
    final @Nullable SharedReceiveQueue shared;
    boolean closed;

    private final WorkCompletions batch = WorkCompletions.ofCapacity(8);
    private final Map<Integer, SimEnd> ends = new HashMap<>();
    private final Map<Long, SimEnd.Receive> sharedPosted = new HashMap<>();
    private final MemoryRegion sharedSinks;
    private int nextSharedSink;
    private long nextSharedId = 2_000_000;
    private final long[] counterPosts = new long[COUNTERS];
    private final Set<Long> counterValues = new HashSet<>();

    SimNode(Rnic rnic, InetSocketAddress address, SimMemory memory, boolean withSharedQueue) {
        this.rnic = rnic;
        this.memory = memory;
        domain = rnic.allocateProtectionDomain();
        queue = rnic.createCompletionQueue(COMPLETIONS);
        counters = domain.register(
                memory.allocate(COUNTERS * 8L),
                EnumSet.of(Access.LOCAL_READ, Access.LOCAL_WRITE, Access.REMOTE_ATOMIC));
        shared = withSharedQueue ? domain.createSharedReceiveQueue(SHARED_RECEIVES, 1) : null;
        sharedSinks = domain.register(memory.allocate(SHARED_RECEIVES * SHARED_LENGTH), EnumSet.of(Access.LOCAL_WRITE));
        rnic.onAsyncEvent(this::onEvent);
        listener = rnic.connectionManager().listen(address, 64);
    }

    void add(SimEnd end) {
        ends.put(end.queuePair.id(), end);
    }

    private void onEvent(AsyncEvent event) {
        if (!(event instanceof AsyncEvent.OfQueuePair ofQueuePair)) {
            throw new AssertionError("unexpected " + event);
        }
        SimEnd end = ends.get(ofQueuePair.queuePair().id());
        check(end != null, "an event of nobody: " + event);
        if (end != null) {
            end.onEvent(ofQueuePair);
        }
    }

    /** Takes completions and checks them. @return how many */
    int poll() {
        int total = 0;
        int count = closed ? 0 : queue.poll(batch);
        while (count > 0) {
            total += count;
            for (int i = 0; i < count; i++) {
                SimEnd end = ends.get(batch.queuePairId(i));
                if (end == null) {
                    throw new AssertionError("a completion of nobody: " + batch.describe(i));
                }
                end.onCompletion(batch, i);
            }
            count = queue.poll(batch);
        }
        return total;
    }

    /** Posts a receive to the shared queue, for a message of {@code sender}; any sender's may take it. */
    void postShared(SimEnd sender) {
        SharedReceiveQueue queueOfAll = shared;
        if (queueOfAll == null || nextSharedSink + SHARED_LENGTH > sharedSinks.length()) {
            return;
        }
        long id = nextSharedId++;
        check(
                queueOfAll
                                .newReceiveRequests()
                                .receive(id)
                                .into(sharedSinks, nextSharedSink, SHARED_LENGTH)
                                .post()
                        == 1,
                "the shared queue was full");
        sharedPosted.put(id, new SimEnd.Receive(sharedSinks.segment(), nextSharedSink, (int) SHARED_LENGTH));
        nextSharedSink += (int) SHARED_LENGTH;
        sender.grant((int) SHARED_LENGTH);
    }

    SimEnd.@Nullable Receive takeShared(long id) {
        return sharedPosted.remove(id);
    }

    void counterPosted(int counter) {
        counterPosts[counter]++;
    }

    /** Every value is seen by exactly one FetchAdd. */
    void counterSeen(int counter, long value) {
        check(value >= 0 && value < counterPosts[counter], "counter " + counter + " gave " + value);
        check(counterValues.add(value * COUNTERS + counter), "counter " + counter + " gave " + value + " twice");
    }

    void checkCounters() {
        for (int i = 0; i < COUNTERS; i++) {
            int index = i;
            long value = counters.segment().get(ValueLayout.JAVA_LONG, i * 8L);
            long seen =
                    counterValues.stream().filter(v -> v % COUNTERS == index).count();
            check(
                    value >= seen && value <= counterPosts[i],
                    "counter " + i + " is " + value + ", " + seen + " seen, " + counterPosts[i] + " posted");
        }
    }

    void close() {
        closed = true;
        rnic.close();
    }
}
