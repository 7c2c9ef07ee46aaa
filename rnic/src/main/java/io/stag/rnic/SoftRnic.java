package io.stag.rnic;

import io.stag.rnic.agent.NanoClock;
import io.stag.rnic.agent.RnicAgent;
import io.stag.rnic.agent.Task;
import io.stag.rnic.cm.CmHost;
import io.stag.rnic.cm.ConnectionCounters;
import io.stag.rnic.cm.ConnectionRegistry;
import io.stag.rnic.cm.SoftConnectionManager;
import io.stag.rnic.memory.SoftMemoryRegion;
import io.stag.rnic.memory.StagTable;
import io.stag.rnic.qp.ClosingSteps;
import io.stag.rnic.qp.DatagramRegistry;
import io.stag.rnic.qp.ReliableRegistry;
import io.stag.rnic.qp.SoftCompletionChannel;
import io.stag.rnic.qp.SoftCompletionQueue;
import io.stag.rnic.qp.SoftDatagramQueuePair;
import io.stag.rnic.qp.SoftProtectionDomain;
import io.stag.rnic.qp.SoftQueuePair;
import io.stag.rnic.qp.SoftReliableQueuePair;
import io.stag.rnic.qp.TerminateCounts;
import io.stag.rnic.rdmap.StreamCounters;
import io.stag.rnic.transport.Transport;
import io.stag.verbs.AsyncEvent;
import io.stag.verbs.CompletionChannel;
import io.stag.verbs.CompletionQueue;
import io.stag.verbs.CompletionQueueSnapshot;
import io.stag.verbs.DatagramQueuePairConfig;
import io.stag.verbs.ErrorDetail;
import io.stag.verbs.ErrorDetail.Layer;
import io.stag.verbs.ProgressMode;
import io.stag.verbs.ProtectionDomain;
import io.stag.verbs.QueuePairConfig;
import io.stag.verbs.QueuePairSnapshot;
import io.stag.verbs.RegionSnapshot;
import io.stag.verbs.ReliableQueuePairConfig;
import io.stag.verbs.Rnic;
import io.stag.verbs.RnicConfig;
import io.stag.verbs.RnicLimits;
import io.stag.verbs.RnicSnapshot;
import io.stag.verbs.VerbsError;
import io.stag.verbs.VerbsException;
import io.stag.verbs.cm.ConnectionEvent;
import io.stag.verbs.cm.ConnectionManager;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** The software RNIC: agents, their threads, and everything a program made with it. */
public final class SoftRnic implements Rnic, SoftProtectionDomain.Host, CmHost {
    private static final System.Logger LOG = System.getLogger(SoftRnic.class.getName());

    private static final RnicLimits LIMITS = new RnicLimits(
            1 << 20, 1 << 15, 32, 1024, 1 << 16, 1 << 22, StagTable.MAX_ENTRIES, 1024, 1024, 512, 0xFFFF_FFFFL);

    /** Of all RNICs here: memory of a domain of another one is told by the same comparison as that of another domain. */
    private static final AtomicInteger LAST_DOMAIN = new AtomicInteger();

    /** Opens a transport for one agent. */
    public interface TransportFactory {
        /** A new transport. */
        Transport open() throws IOException;
    }

    private final RnicConfig config;
    private final RandomGenerator random;
    private final List<RnicAgent> agents = new ArrayList<>();
    private final List<Transport> transports = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private final StagTable stags;
    private final SoftConnectionManager connectionManager;
    private final ConnectionCounters connectionCounters = new ConnectionCounters();
    private final AtomicLong completionsLost = new AtomicLong();
    private final AtomicInteger lastQueuePair = new AtomicInteger();
    private final Set<SoftProtectionDomain> domains = ConcurrentHashMap.newKeySet();
    private final Set<SoftQueuePair> queuePairs = ConcurrentHashMap.newKeySet();
    private final DatagramRegistry datagramQueuePairs = new DatagramRegistry();
    private final ReliableRegistry reliableQueuePairs = new ReliableRegistry();
    private final Map<SoftCompletionQueue, Integer> completionQueues = new ConcurrentHashMap<>(); // with their numbers
    private final AtomicInteger lastCompletionQueue = new AtomicInteger();
    private final ConnectionRegistry connections = new ConnectionRegistry();
    private final TerminateCounts terminates = new TerminateCounts();
    private final StreamCounters retired = new StreamCounters(); // of closed queue pairs, under its own lock
    private final List<Runnable> closeActions = new CopyOnWriteArrayList<>();
    private final Set<SoftCompletionChannel> completionChannels = ConcurrentHashMap.newKeySet();
    private volatile Consumer<AsyncEvent> asyncHandler = SoftRnic::log;
    private volatile Consumer<ConnectionEvent> connectionHandler = _ -> {};
    private volatile boolean closed;

    /**
     * Opens an RNIC over any transport.
     *
     * @param random source of STags and keys; a secure one but in tests
     */
    public SoftRnic(RnicConfig config, TransportFactory transportFactory, NanoClock clock, RandomGenerator random) {
        this.config = config;
        this.random = random;
        int count = config.progress() == ProgressMode.DEDICATED ? config.agents() : 1;
        try {
            for (int i = 0; i < count; i++) {
                Transport transport = transportFactory.open();
                transports.add(transport);
                agents.add(new RnicAgent(
                        config.name() + "-agent-" + i,
                        transport,
                        clock,
                        config.spin().toNanos(),
                        config.stallThreshold().toNanos()));
            }
        } catch (IOException e) {
            closeTransports();
            throw new VerbsException(VerbsError.CONNECTION_FAILED, "no transport: " + e.getMessage(), e);
        } catch (RuntimeException e) {
            closeTransports();
            throw e;
        }
        stags = new StagTable(random, LIMITS.maxRegions(), this::quiesce);
        connectionManager = new SoftConnectionManager(this, handler -> connectionHandler = handler);
        if (!invoker()) {
            for (RnicAgent agent : agents) {
                threads.add(Thread.ofPlatform().daemon().name(agent.name()).start(() -> drive(agent)));
            }
        }
    }

    /** The life of an agent's thread. What one task does wrong ends that task; what gets as far as here nobody foresaw. */
    private void drive(RnicAgent agent) {
        try {
            agent.run();
        } catch (RuntimeException | Error failure) {
            LOG.log(System.Logger.Level.ERROR, "the thread of " + agent.name() + " ended", failure);
            asyncHandler.accept(new AsyncEvent.RnicFailed(
                    this,
                    ErrorDetail.of(Layer.VERBS, "own", "nobody drives " + agent.name() + ": " + Task.text(failure))));
        }
    }

    private void quiesce() {
        for (RnicAgent agent : agents) {
            if (agent.isHeldByCurrentThread()) {
                agent.quiesceOthers(agents);
                return;
            }
        }
        for (RnicAgent agent : agents) {
            agent.quiesce();
        }
    }

    private static void log(AsyncEvent event) {
        LOG.log(
                event instanceof AsyncEvent.CloseComplete ? System.Logger.Level.DEBUG : System.Logger.Level.WARNING,
                "{0}: {1}",
                event.getClass().getSimpleName(),
                event.detail());
    }

    @Override
    public String name() {
        return config.name();
    }

    @Override
    public RnicConfig config() {
        return config;
    }

    @Override
    public RnicLimits limits() {
        return LIMITS;
    }

    @Override
    public ProtectionDomain allocateProtectionDomain() {
        checkOpen();
        SoftProtectionDomain domain = new SoftProtectionDomain(this, LAST_DOMAIN.incrementAndGet());
        domains.add(domain);
        return domain;
    }

    @Override
    public CompletionQueue createCompletionQueue(int capacity) {
        return newCompletionQueue(capacity, null);
    }

    @Override
    public CompletionQueue createCompletionQueue(int capacity, CompletionChannel channel) {
        if (!(channel instanceof SoftCompletionChannel soft && soft.rnic().equals(this))) {
            throw new VerbsException(VerbsError.INVALID_ARGUMENT, "the completion channel belongs to another RNIC");
        }
        return newCompletionQueue(capacity, soft);
    }

    private CompletionQueue newCompletionQueue(int capacity, @Nullable SoftCompletionChannel channel) {
        checkOpen();
        if (capacity < 1 || capacity > LIMITS.maxCompletions()) {
            throw new VerbsException(
                    VerbsError.LIMIT_EXCEEDED, "capacity " + capacity + " is outside 1 to " + LIMITS.maxCompletions());
        }
        SoftCompletionQueue[] self = new SoftCompletionQueue[1];
        SoftCompletionQueue queue = new SoftCompletionQueue(
                this,
                capacity,
                invoker() ? agents.getFirst() : null,
                channel,
                config.spin().toNanos(),
                () -> completionQueues.remove(self[0]));
        self[0] = queue;
        completionQueues.put(queue, lastCompletionQueue.incrementAndGet());
        return queue;
    }

    @Override
    public CompletionChannel createCompletionChannel() {
        checkOpen();
        SoftCompletionChannel channel = new SoftCompletionChannel(
                this, agents.size() == 1 ? agents.getFirst() : null, invoker(), completionChannels::remove);
        completionChannels.add(channel);
        return channel;
    }

    @Override
    public ConnectionManager connectionManager() {
        checkOpen();
        return connectionManager;
    }

    @Override
    public void onAsyncEvent(Consumer<AsyncEvent> handler) {
        asyncHandler = handler;
    }

    @Override
    public int progress() {
        return invoker() ? agents.getFirst().tryWork() : 0;
    }

    /** The earliest moment at which a timer of this RNIC is due; for drivers with a clock of their own. */
    public long nextDeadline() {
        long next = Long.MAX_VALUE;
        for (RnicAgent agent : agents) {
            agent.lock();
            try {
                next = Math.min(next, agent.nextDeadline());
            } finally {
                agent.unlock();
            }
        }
        return next;
    }

    /** Staging buffers that streams hold: none when all of them are idle or gone. For tests of leaks. */
    public int stagingBuffersInUse() {
        int count = 0;
        for (RnicAgent agent : agents) {
            agent.lock();
            try {
                count += agent.staging().leased();
            } finally {
                agent.unlock();
            }
        }
        return count;
    }

    @Override
    public RnicSnapshot snapshot() {
        StreamCounters totals = new StreamCounters();
        List<QueuePairSnapshot> pairs = new ArrayList<>();
        synchronized (retired) { // no queue pair is counted twice, or not at all, because it is just being closed
            totals.add(retired);
            for (SoftQueuePair queuePair : queuePairs) {
                pairs.add(queuePair.snapshot());
                totals.add(queuePair.counters());
            }
        }
        pairs.sort(Comparator.comparingInt(QueuePairSnapshot::id));
        DatagramRegistry.State datagrams = datagramQueuePairs.state();
        ReliableRegistry.State reliable = reliableQueuePairs.state();
        return new RnicSnapshot(
                config.name(),
                connectionCounters.open.get(),
                connectionCounters.halfOpen.get(),
                connectionCounters.accepted.get(),
                connectionCounters.made.get(),
                connectionCounters.failed.get(),
                connectionCounters.rejected.get(),
                connectionCounters.turnedAway.get(),
                connectionCounters.lost.get(),
                completionsLost.get(),
                totals.snapshot(),
                datagrams.totals(),
                reliable.totals(),
                terminates.snapshot(),
                agents.stream().map(RnicAgent::snapshot).toList(),
                connections.snapshots(),
                List.copyOf(pairs),
                datagrams.queuePairs(),
                reliable.queuePairs(),
                completionQueueSnapshots(),
                regionSnapshots());
    }

    private List<CompletionQueueSnapshot> completionQueueSnapshots() {
        return completionQueues.entrySet().stream()
                .map(entry -> new CompletionQueueSnapshot(
                        entry.getValue(),
                        entry.getKey().capacity(),
                        entry.getKey().depth(),
                        entry.getKey().hasOverflowed()))
                .sorted(Comparator.comparingInt(CompletionQueueSnapshot::id))
                .toList();
    }

    private List<RegionSnapshot> regionSnapshots() {
        return stags.entries().stream()
                .filter(SoftMemoryRegion.class::isInstance)
                .map(entry -> ((SoftMemoryRegion) entry).snapshot())
                .sorted(Comparator.comparingLong(RegionSnapshot::id))
                .toList();
    }

    /** What to do first when the RNIC is closed. */
    public void onClose(Runnable action) {
        closeActions.add(action);
    }

    @Override
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
        }
        ClosingSteps steps = new ClosingSteps();
        closeActions.forEach(steps::run);
        steps.run(connectionManager::close);
        // in the order of their numbers, so that a simulated run repeats itself
        List<SoftProtectionDomain> inOrder = domains.stream()
                .sorted(Comparator.comparingInt(SoftProtectionDomain::id))
                .toList();
        inOrder.forEach(domain -> domain.closeQueuePairs(steps));
        inOrder.forEach(domain -> domain.closeRest(steps));
        List.copyOf(completionQueues.keySet()).forEach(queue -> steps.run(queue::forceClose));
        List.copyOf(completionChannels).forEach(channel -> steps.run(channel::forceClose));
        agents.forEach(agent -> steps.run(agent::close));
        threads.forEach(SoftRnic::join);
        closeTransports();
        steps.end();
    }

    private void closeTransports() {
        for (Transport transport : transports) {
            try {
                transport.close();
            } catch (IOException e) {
                LOG.log(System.Logger.Level.WARNING, "closing a transport of " + config.name(), e);
            }
        }
    }

    private static void join(Thread thread) {
        if (thread.equals(Thread.currentThread())) {
            return; // closed from an event handler: the agent ends after it
        }
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void checkOpen() {
        if (closed) {
            throw new VerbsException(VerbsError.CLOSED, "the RNIC is closed");
        }
    }

    // for domains

    @Override
    public Rnic rnic() {
        return this;
    }

    @Override
    public StagTable stags() {
        return stags;
    }

    @Override
    public SoftQueuePair newQueuePair(SoftProtectionDomain domain, QueuePairConfig queuePairConfig) {
        checkOpen();
        checkQueuePairs();
        int id = lastQueuePair.incrementAndGet();
        RnicAgent agent = agents.get(Math.floorMod(id, agents.size()));
        SoftQueuePair queuePair = new SoftQueuePair(
                domain, id, queuePairConfig, agent, invoker(), stags, event -> asyncHandler.accept(event));
        queuePairs.add(queuePair);
        return queuePair;
    }

    private void checkQueuePairs() {
        if (queuePairs.size() + datagramQueuePairs.size() + reliableQueuePairs.size() >= LIMITS.maxQueuePairs()) {
            throw new VerbsException(
                    VerbsError.LIMIT_EXCEEDED, "there are already " + LIMITS.maxQueuePairs() + " queue pairs");
        }
    }

    @Override
    public SoftDatagramQueuePair newDatagramQueuePair(
            SoftProtectionDomain domain, DatagramQueuePairConfig queuePairConfig) {
        SoftDatagramQueuePair queuePair = atPort(
                queuePairConfig.address(),
                (id, agent) -> new SoftDatagramQueuePair(
                        domain,
                        id,
                        queuePairConfig,
                        agent,
                        invoker(),
                        stags,
                        random.nextInt(),
                        random.nextLong(),
                        event -> asyncHandler.accept(event)));
        datagramQueuePairs.add(queuePair);
        return queuePair;
    }

    @Override
    public SoftReliableQueuePair newReliableQueuePair(
            SoftProtectionDomain domain, ReliableQueuePairConfig queuePairConfig) {
        int epoch = random.nextInt();
        SoftReliableQueuePair queuePair = atPort(
                queuePairConfig.address(),
                (id, agent) -> new SoftReliableQueuePair(
                        domain,
                        id,
                        queuePairConfig,
                        agent,
                        invoker(),
                        stags,
                        epoch != 0 ? epoch : 1,
                        random.nextLong(),
                        event -> asyncHandler.accept(event)));
        reliableQueuePairs.add(queuePair);
        return queuePair;
    }

    private interface PortUser<T> {
        T open(int id, RnicAgent agent) throws IOException;
    }

    private <T> T atPort(InetSocketAddress address, PortUser<T> user) {
        checkOpen();
        checkQueuePairs();
        int id = lastQueuePair.incrementAndGet();
        RnicAgent agent = agents.get(Math.floorMod(id, agents.size()));
        agent.lock();
        try {
            return user.open(id, agent);
        } catch (UnsupportedOperationException e) {
            throw new VerbsException(VerbsError.UNSUPPORTED, String.valueOf(e.getMessage()), e);
        } catch (IOException e) {
            throw new VerbsException(
                    VerbsError.INVALID_ARGUMENT, "no datagram port at " + address + ": " + e.getMessage(), e);
        } finally {
            agent.unlock();
        }
    }

    @Override
    public void queuePairClosed(SoftQueuePair queuePair) {
        synchronized (retired) {
            if (queuePairs.remove(queuePair)) {
                retired.add(queuePair.counters());
            }
        }
    }

    @Override
    public void queuePairClosed(SoftDatagramQueuePair queuePair) {
        datagramQueuePairs.remove(queuePair);
    }

    @Override
    public void queuePairClosed(SoftReliableQueuePair queuePair) {
        reliableQueuePairs.remove(queuePair);
    }

    @Override
    public TerminateCounts terminates() {
        return terminates;
    }

    @Override
    public void completionLost() {
        completionsLost.incrementAndGet();
    }

    @Override
    public void domainClosed(SoftProtectionDomain domain) {
        domains.remove(domain);
    }

    // for connections

    @Override
    public RnicAgent listeningAgent() {
        return agents.getFirst();
    }

    @Override
    public boolean invoker() {
        return config.progress() == ProgressMode.INVOKER;
    }

    @Override
    public void raise(RnicAgent agent, ConnectionEvent event) {
        agent.deliver(() -> connectionHandler.accept(event));
    }

    @Override
    public ConnectionRegistry registry() {
        return connections;
    }

    @Override
    public ConnectionCounters counters() {
        return connectionCounters;
    }
}
