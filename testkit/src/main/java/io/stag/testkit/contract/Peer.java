package io.stag.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.verbs.Access;
import io.stag.verbs.AsyncEvent;
import io.stag.verbs.CompletionQueue;
import io.stag.verbs.CompletionStatus;
import io.stag.verbs.MemoryRegion;
import io.stag.verbs.ProtectionDomain;
import io.stag.verbs.QueuePair;
import io.stag.verbs.QueuePairConfig;
import io.stag.verbs.QueuePairState;
import io.stag.verbs.ReceiveRequests;
import io.stag.verbs.Rnic;
import io.stag.verbs.SendRequests;
import io.stag.verbs.WorkCompletions;
import io.stag.verbs.cm.Connection;
import io.stag.verbs.cm.ConnectionEvent;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** One side of a test: an RNIC with a domain, a completion queue, usually one queue pair, and all that happened to them. */
final class Peer {
    /** Everything that can be granted, but for virtual addresses and invalidation by peers. */
    static final Set<Access> ALL = EnumSet.complementOf(EnumSet.of(Access.VIRTUAL_ADDRESS, Access.REMOTE_INVALIDATE));

    /** What receives and sources need. */
    static final Set<Access> LOCAL = EnumSet.of(Access.LOCAL_READ, Access.LOCAL_WRITE);

    private static final int COMPLETIONS = 1024;

    final Rnic rnic;
    final ProtectionDomain domain;
    final CompletionQueue queue;
    /** Written on the thread that drives the RNIC. */
    final List<AsyncEvent> events = new CopyOnWriteArrayList<>();

    final List<ConnectionEvent> connectionEvents = new CopyOnWriteArrayList<>();

    private final ContractFixture world;
    private final GuardedMemory memory;
    private final WorkCompletions batch = WorkCompletions.ofCapacity(16);
    private final Deque<Completion> completions = new ArrayDeque<>();
    private @Nullable QueuePair queuePair;
    private @Nullable SendRequests sends;
    private @Nullable ReceiveRequests receives;
    private @Nullable Connection connection;

    Peer(ContractFixture world, GuardedMemory memory, Rnic rnic) {
        this.world = world;
        this.memory = memory;
        this.rnic = rnic;
        rnic.onAsyncEvent(events::add);
        rnic.connectionManager().onEvent(connectionEvents::add);
        domain = rnic.allocateProtectionDomain();
        queue = rnic.createCompletionQueue(COMPLETIONS);
    }

    // queue pair

    /** Creates the queue pair with settings of its own. */
    QueuePair create(UnaryOperator<QueuePairConfig.Builder> settings) {
        return use(another(settings));
    }

    /** Makes {@code other} the queue pair that the methods below are about. */
    QueuePair use(QueuePair other) {
        queuePair = other;
        sends = null;
        receives = null;
        return other;
    }

    /** Creates a queue pair besides {@link #queuePair}. */
    QueuePair another(UnaryOperator<QueuePairConfig.Builder> settings) {
        return domain.createQueuePair(
                settings.apply(QueuePairConfig.builder(queue)).build());
    }

    QueuePair queuePair() {
        QueuePair present = queuePair;
        return present != null ? present : create(config -> config);
    }

    QueuePairState state() {
        return queuePair().state();
    }

    SendRequests requests() {
        SendRequests present = sends;
        if (present == null) {
            present = queuePair().newSendRequests();
            sends = present;
        }
        return present;
    }

    ReceiveRequests receives() {
        ReceiveRequests present = receives;
        if (present == null) {
            present = queuePair().newReceiveRequests();
            receives = present;
        }
        return present;
    }

    /** Posts one receive for the whole region. */
    void postReceive(long id, MemoryRegion region) {
        assertThat(receives().receive(id).into(region, 0, region.length()).post())
                .as("receives posted")
                .isEqualTo(1);
    }

    /** Posts receives without buffers, for messages without payload. */
    void postEmptyReceives(long firstId, int count) {
        for (int i = 0; i < count; i++) {
            receives().receive(firstId + i);
        }
        assertThat(receives().post()).as("receives posted").isEqualTo(count);
    }

    /** A receive that is never completed, unless the state forbids it. */
    void postEmptyReceivesIfPossible() {
        if (state() == QueuePairState.IDLE || state() == QueuePairState.RTS) {
            postEmptyReceives(99, 1);
        }
    }

    void connection(Connection made) {
        connection = made;
    }

    Connection connection() {
        Connection present = connection;
        if (present == null) {
            throw new IllegalStateException("not connected");
        }
        return present;
    }

    // memory

    /** Zeroed memory with everything allowed. */
    MemoryRegion memory(long length) {
        return memory(length, ALL);
    }

    MemoryRegion memory(long length, Set<Access> rights) {
        return domain.register(octets(length), rights);
    }

    MemoryRegion memory(long length, Access first, Access... others) {
        return memory(length, EnumSet.of(first, others));
    }

    /** Memory with everything allowed and a content that follows from {@code seed}. */
    MemoryRegion filled(long length, int seed) {
        MemoryRegion region = memory(length);
        fill(region.segment(), seed);
        return region;
    }

    /** Zeroed memory that is not registered. */
    MemorySegment octets(long length) {
        return memory.allocate(length);
    }

    static void fill(MemorySegment segment, int seed) {
        for (long i = 0; i < segment.byteSize(); i++) {
            segment.set(ValueLayout.JAVA_BYTE, i, pattern(seed, i));
        }
    }

    /** Octet {@code index} of the content that {@link #fill} makes. */
    static byte pattern(int seed, long index) {
        long mixed = (index + 1) * 0x9E37_79B9_7F4A_7C15L + seed * 0xBF58_476D_1CE4_E5B9L;
        return (byte) (mixed >>> 56);
    }

    static byte[] bytes(MemoryRegion region, long offset, long length) {
        return region.segment().asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE);
    }

    static byte[] bytes(MemoryRegion region) {
        return bytes(region, 0, region.length());
    }

    static long word(MemoryRegion region, long offset) {
        return region.segment().get(ValueLayout.JAVA_LONG_UNALIGNED, offset);
    }

    static void word(MemoryRegion region, long offset, long value) {
        region.segment().set(ValueLayout.JAVA_LONG_UNALIGNED, offset, value);
    }

    // completions

    /** Takes what is there without waiting. @return whether there is something to take with {@link #next} */
    boolean poll() {
        while (queue.poll(batch) > 0) {
            for (int i = 0; i < batch.size(); i++) {
                completions.add(Completion.of(batch, i));
            }
        }
        return !completions.isEmpty();
    }

    /** The next completion, whatever it is. */
    Completion next() {
        world.runUntil("a completion at " + rnic.name(), this::poll);
        return completions.removeFirst();
    }

    List<Completion> next(int count) {
        List<Completion> taken = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            taken.add(next());
        }
        return taken;
    }

    /** The next completion, which must be a success of request {@code id}. */
    Completion expect(long id) {
        return expect(id, CompletionStatus.SUCCESS);
    }

    Completion expect(long id, CompletionStatus status) {
        Completion completion = next();
        assertThat(completion.status()).as("status of %s", completion).isEqualTo(status);
        assertThat(completion.id()).as("id of %s", completion).isEqualTo(id);
        return completion;
    }

    /** Nothing completes that was not taken yet. */
    void expectNothingMore() {
        poll();
        assertThat(completions).as("completions left at " + rnic.name()).isEmpty();
    }

    // events

    <T extends AsyncEvent> T awaitEvent(Class<T> kind) {
        world.runUntil(
                kind.getSimpleName() + " at " + rnic.name() + ", whose events are " + events,
                () -> events.stream().anyMatch(kind::isInstance));
        return kind.cast(events.stream().filter(kind::isInstance).findFirst().orElseThrow());
    }

    <T extends AsyncEvent> List<T> eventsOf(Class<T> kind) {
        return events.stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    <T extends ConnectionEvent> T awaitConnectionEvent(Class<T> kind) {
        world.runUntil(
                kind.getSimpleName() + " at " + rnic.name(),
                () -> connectionEvents.stream().anyMatch(kind::isInstance));
        return kind.cast(
                connectionEvents.stream().filter(kind::isInstance).findFirst().orElseThrow());
    }

    void awaitState(QueuePairState state) {
        world.runUntil(
                "state " + state + " at " + rnic.name(), () -> queuePair().state() == state);
    }

    void awaitConnection(Connection.State state) {
        world.runUntil(
                "connection " + state + " at " + rnic.name(),
                () -> connection().state().equals(state));
    }
}
