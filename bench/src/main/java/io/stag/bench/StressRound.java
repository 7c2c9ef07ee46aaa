package io.stag.bench;

import io.stag.verbs.Access;
import io.stag.verbs.CompletionChannel;
import io.stag.verbs.CompletionQueue;
import io.stag.verbs.MemoryRegion;
import io.stag.verbs.MemoryWindow;
import io.stag.verbs.ProgressMode;
import io.stag.verbs.ProtectionDomain;
import io.stag.verbs.QueuePair;
import io.stag.verbs.QueuePairConfig;
import io.stag.verbs.Rnic;
import io.stag.verbs.RnicConfig;
import io.stag.verbs.RnicSnapshot;
import io.stag.verbs.SharedReceiveQueue;
import io.stag.verbs.WorkCompletions;
import io.stag.verbs.cm.Connection;
import io.stag.verbs.cm.ConnectionConfig;
import io.stag.verbs.cm.ConnectionManager;
import io.stag.verbs.cm.ConnectionRequest;
import io.stag.verbs.cm.Listener;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * One round of stress: two RNICs, some connections with traffic both ways, and threads that close things in between. At
 * the end everything is closed, and nothing may be left.
 */
final class StressRound {
    private static final int MOST_CONNECTIONS = 4;
    private static final int MOST_SABOTEURS = 3;
    private static final int MOST_DEEDS = 4;
    private static final long LONGEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(60);
    private static final long HANG_NANOS = TimeUnit.SECONDS.toNanos(60);
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(1);
    private static final Duration SET_UP = Duration.ofSeconds(2);
    private static final Duration FOR_EVER = Duration.ofDays(1);
    private static final Duration A_MOMENT = Duration.ofMillis(20);
    private static final int[] SEGMENT_SIZES = {0, 256, 1460, 9000, 65_535};

    private final String name;
    private final SplittableRandom random;
    private final Failures failures;
    private final StressNode left;
    private final StressNode right;
    private final ConnectionManager manager;
    private final Listener listener;
    private final ConnectionConfig connectionConfig;
    private final Map<Integer, StressEnd> initiators = new ConcurrentHashMap<>();
    private final List<StressEnd> ends = new CopyOnWriteArrayList<>();
    private final List<Thread> threads = new CopyOnWriteArrayList<>();
    private final List<Thread> waiters = new CopyOnWriteArrayList<>();
    private final Map<Sabotage, Integer> deeds = new ConcurrentHashMap<>();
    private volatile boolean over;

    StressRound(String name, long seed, Failures failures) {
        this.name = name;
        this.failures = failures;
        random = new SplittableRandom(seed);
        left = newNode("left");
        right = newNode("right");
        manager = right.node.rnic.connectionManager();
        listener = right.node.listen(MOST_CONNECTIONS);
        connectionConfig = ConnectionConfig.builder()
                .crc(random.nextBoolean())
                .markers(random.nextBoolean())
                .segmentSize(SEGMENT_SIZES[random.nextInt(SEGMENT_SIZES.length)])
                .timeout(SET_UP)
                .build();
    }

    private StressNode newNode(String side) {
        ProgressMode[] modes = ProgressMode.values();
        RnicConfig config = RnicConfig.builder()
                .name(name + "-" + side)
                .progress(modes[random.nextInt(modes.length)])
                .agents(2)
                .spin(Duration.ofNanos(random.nextInt(50_000)))
                .closeTimeout(CLOSE_TIMEOUT)
                .startupTimeout(SET_UP)
                .build();
        return new StressNode(config, random.nextBoolean(), failures);
    }

    /** What was done, and how often. */
    Map<Sabotage, Integer> deeds() {
        return new TreeMap<>(deeds);
    }

    /** Requests completed, in error or not. */
    long completions() {
        return ends.stream().mapToLong(StressEnd::completions).sum();
    }

    String description() {
        return left.node.rnic.config().progress() + " and "
                + right.node.rnic.config().progress() + ", " + initiators.size() + " connections, " + deeds();
    }

    /** Runs the round. @return false when a call hangs, after which this process is of no use any more */
    boolean run() {
        start("acceptor", random.split(), this::acceptAll);
        int connections = 1 + random.nextInt(MOST_CONNECTIONS);
        for (int i = 0; i < connections; i++) {
            int index = i;
            start("initiator", random.split(), own -> initiate(index, own));
        }
        startWaiters(left);
        startWaiters(right);
        start("churn", random.split(), this::churn);
        int saboteurs = 1 + random.nextInt(MOST_SABOTEURS);
        Thread[] working = new Thread[saboteurs];
        for (int i = 0; i < saboteurs; i++) {
            working[i] = start("saboteur", random.split(), this::sabotage);
        }
        boolean ended = join(List.of(working));
        pause(random);
        over = true;
        ended = ended && join(threads);
        if (ended) {
            settle();
            ended = closeAll() && join(waiters);
        }
        if (ended) {
            probeAfterlife();
            checkNothingIsLeft();
        }
        ends.forEach(StressEnd::free);
        return ended;
    }

    /** Threads that wait for very long; closing the RNIC must wake them. */
    private void startWaiters(StressNode node) {
        Rnic rnic = node.node.rnic;
        CompletionQueue idle = rnic.createCompletionQueue(1);
        CompletionChannel channel = rnic.createCompletionChannel();
        CompletionQueue armed = rnic.createCompletionQueue(1, channel);
        armed.arm(CompletionQueue.NotifyOn.NEXT);
        startWaiter("waiter for completions", _ -> drain(idle, FOR_EVER));
        startWaiter("waiter for notifications", _ -> channel.await(FOR_EVER));
    }

    private void startWaiter(String role, Work work) {
        Thread thread = start(role, random.split(), work);
        threads.remove(thread);
        waiters.add(thread);
    }

    /** Makes and closes things of all kinds while others do the same. */
    private void churn(SplittableRandom own) {
        while (!over) {
            StressNode node = own.nextBoolean() ? left : right;
            failures.attempt("churn", () -> churn(node, own));
            LockSupport.parkNanos(own.nextLong(LONGEST_PAUSE_NANOS) / 16);
        }
    }

    private void churn(StressNode node, SplittableRandom own) {
        ProtectionDomain domain = node.node.domain;
        try (MemoryRegion region = domain.allocate(1024, StressEnd.exposedRights());
                MemoryWindow window = domain.allocateWindow();
                CompletionQueue completions = node.node.rnic.createCompletionQueue(16);
                SharedReceiveQueue receives = domain.createSharedReceiveQueue(4, 1);
                QueuePair queuePair = domain.createQueuePair(QueuePairConfig.builder(completions)
                        .sharedReceiveQueue(receives)
                        .sendDepth(4)
                        .build())) {
            receives.newReceiveRequests().receive(1).into(region, 0, 1024).post();
            Connection connection =
                    node.node.rnic.connectionManager().connect(queuePair, listener.address(), connectionConfig);
            if (own.nextBoolean()) {
                connection.awaitEstablished(A_MOMENT);
            }
            queuePair
                    .newSendRequests()
                    .bindWindow(1, window, 1, region, 0, 8, Set.of(Access.REMOTE_READ))
                    .invalidate(2, (window.stag() & ~0xff) | 1)
                    .post();
            drain(completions, A_MOMENT);
        }
    }

    private interface Work {
        void run(SplittableRandom own);
    }

    private Thread start(String role, SplittableRandom own, Work work) {
        Thread.Builder builder =
                own.nextInt(3) == 0 ? Thread.ofVirtual() : Thread.ofPlatform().daemon();
        Thread thread = builder.name(name + "-" + role).unstarted(() -> {
            try {
                failures.attempt(role, () -> work.run(own));
            } finally {
                Thread.interrupted();
            }
        });
        threads.add(thread);
        thread.start();
        return thread;
    }

    private void initiate(int index, SplittableRandom own) {
        var end = new StressEnd(left, own);
        ends.add(end);
        initiators.put(index, end);
        ConnectionConfig config = connectionConfig.toBuilder()
                .privateData(ByteBuffer.allocate(Integer.BYTES).putInt(index).array())
                .build();
        Connection connection = left.node.rnic.connectionManager().connect(end.queuePair, listener.address(), config);
        end.connection = connection;
        connection.awaitEstablished(SET_UP);
        while (end.peer == null && !over) {
            pause(own);
        }
        if (end.peer != null) {
            end.work(own, () -> over);
        }
    }

    private void acceptAll(SplittableRandom own) {
        while (!over) {
            Optional<ConnectionRequest> request = listener.await(A_MOMENT);
            if (request.isPresent() && own.nextInt(20) == 0) {
                request.get().reject(new byte[0]);
            } else if (request.isPresent()) {
                start("responder", own.split(), mine -> respond(request.get(), mine));
            }
        }
    }

    private void respond(ConnectionRequest request, SplittableRandom own) {
        if (request.privateData().length == 0) { // of the churn
            right.withoutTraffic(request, connectionConfig);
            return;
        }
        int index = ByteBuffer.wrap(request.privateData()).getInt();
        StressEnd other = initiators.get(index);
        if (other == null) {
            throw new IllegalStateException("no initiator " + index);
        }
        var end = new StressEnd(right, own);
        ends.add(end);
        end.peer = other;
        end.connection = request.accept(end.queuePair, connectionConfig);
        other.peer = end;
        end.work(own, () -> over);
    }

    private void sabotage(SplittableRandom own) {
        int count = 1 + own.nextInt(MOST_DEEDS);
        Sabotage[] all = Sabotage.values();
        for (int i = 0; i < count; i++) {
            pause(own);
            if (ends.isEmpty()) {
                continue;
            }
            StressEnd victim = ends.get(own.nextInt(ends.size()));
            Sabotage deed = all[own.nextInt(all.length)];
            deeds.merge(deed, 1, Integer::sum);
            failures.attempt(deed.toString(), () -> deed.run(this, victim, own));
        }
    }

    private static void pause(SplittableRandom own) {
        LockSupport.parkNanos(own.nextLong(LONGEST_PAUSE_NANOS));
    }

    void closeListener() {
        listener.close();
    }

    void interruptSomebody(SplittableRandom own) {
        threads.get(own.nextInt(threads.size())).interrupt();
    }

    /** What is neither destroyed nor on a closed RNIC owes a completion for each request. */
    private void settle() {
        for (StressEnd end : ends) {
            end.settle(System.nanoTime() + TimeUnit.SECONDS.toNanos(5));
        }
    }

    private boolean closeAll() {
        Thread first = start("closer", random.split(), _ -> left.close());
        Thread second = start("closer", random.split(), _ -> right.close());
        return join(List.of(first, second));
    }

    private boolean join(List<Thread> awaited) {
        long deadline = System.nanoTime() + HANG_NANOS;
        for (Thread thread : awaited) {
            while (thread.isAlive()) {
                try {
                    if (!thread.join(Duration.ofNanos(Math.max(1, deadline - System.nanoTime())))) {
                        failures.add("a call hangs: " + stackOf(thread) + "\n" + ThreadDump.now());
                        return false;
                    }
                } catch (InterruptedException e) {
                    throw new Program.Failure("interrupted", e);
                }
            }
        }
        return true;
    }

    private static String stackOf(Thread thread) {
        var text = new StringBuilder(thread.toString());
        for (StackTraceElement frame : thread.getStackTrace()) {
            text.append("\n        at ").append(frame);
        }
        return text.toString();
    }

    /** What still has references to closed things may call them. */
    private void probeAfterlife() {
        for (StressEnd end : ends) {
            ProtectionDomain domain = end.node.node.domain;
            Rnic rnic = end.node.node.rnic;
            probe("post", () -> end.queuePair.newSendRequests().send(1).post());
            probe(
                    "post from a region",
                    () -> end.queuePair
                            .newSendRequests()
                            .send(1)
                            .from(end.local, 0, 1)
                            .post());
            probe("receive", () -> end.queuePair.newReceiveRequests().receive(1).post());
            probe("poll", () -> drain(end.completionQueue, Duration.ZERO));
            probe("await", () -> drain(end.completionQueue, A_MOMENT));
            probe("region close", end.exposed::close);
            probe("region snapshot", end.exposed::snapshot);
            probe("queue pair close", end.queuePair::close);
            probe("queue pair snapshot", end.queuePair::snapshot);
            probe("completion queue close", end.completionQueue::close);
            probe("register", () -> domain.register(end.local.segment(), StressEnd.exposedRights()));
            probe("allocate", () -> domain.allocate(1, StressEnd.exposedRights()));
            probe(
                    "create queue pair",
                    () -> domain.createQueuePair(
                            QueuePairConfig.builder(end.completionQueue).build()));
            probe("create completion queue", () -> rnic.createCompletionQueue(1));
            Connection connection = end.connection;
            if (connection != null) {
                probe("disconnect", connection::disconnect);
                probe("abort", connection::abort);
                probe("connection close", connection::close);
                probe("awaitDisconnected", () -> connection.awaitDisconnected(A_MOMENT));
                probe("awaitEstablished", () -> connection.awaitEstablished(A_MOMENT));
            }
        }
        probe("listen", () -> manager.listen(listener.address(), 1));
        probe("listener await", () -> listener.await(A_MOMENT));
        probe("listener close", listener::close);
        probe("progress", left.node.rnic::progress);
        probe("RNIC close", left.node.rnic::close);
    }

    private void probe(String what, Failures.Call call) {
        failures.attempt(what + " after the end", call);
    }

    private static void drain(CompletionQueue queue, Duration timeout) {
        var completions = WorkCompletions.ofCapacity(64);
        int count;
        do {
            count = timeout.isZero() ? queue.poll(completions) : queue.await(completions, timeout);
        } while (count > 0);
    }

    private void checkNothingIsLeft() {
        for (StressNode node : List.of(left, right)) {
            RnicSnapshot last = node.node.rnic.snapshot();
            if (last.connectionsOpen() != 0
                    || last.connectionsHalfOpen() != 0
                    || !last.queuePairs().isEmpty()
                    || !last.regions().isEmpty()
                    || last.completionQueueOverflows() != 0) {
                failures.add("left on the closed RNIC: " + last);
            }
        }
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().startsWith(name + "-") && thread.getName().contains("agent")) {
                failures.add("an agent outlives its RNIC: " + stackOf(thread));
            }
        }
    }
}
