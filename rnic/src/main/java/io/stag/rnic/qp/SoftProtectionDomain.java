package io.stag.rnic.qp;

import io.stag.rnic.flight.FlightEvents;
import io.stag.rnic.memory.Rights;
import io.stag.rnic.memory.StagTable;
import io.stag.verbs.Access;
import io.stag.verbs.CompletionQueue;
import io.stag.verbs.DatagramQueuePair;
import io.stag.verbs.DatagramQueuePairConfig;
import io.stag.verbs.ErrorDetail;
import io.stag.verbs.MemoryRegion;
import io.stag.verbs.MemoryWindow;
import io.stag.verbs.ProtectionDomain;
import io.stag.verbs.QueuePair;
import io.stag.verbs.QueuePairConfig;
import io.stag.verbs.ReliableQueuePair;
import io.stag.verbs.ReliableQueuePairConfig;
import io.stag.verbs.Rnic;
import io.stag.verbs.RnicLimits;
import io.stag.verbs.SharedReceiveQueue;
import io.stag.verbs.VerbsError;
import io.stag.verbs.VerbsException;
import java.lang.foreign.MemorySegment;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A protection domain and what belongs to it. */
public final class SoftProtectionDomain implements ProtectionDomain {

    /** What the RNIC does for its domains. */
    public interface Host {
        /** The RNIC itself. */
        Rnic rnic();

        /** Its STags. */
        StagTable stags();

        /** Makes a queue pair with a new number, bound to an agent for life. */
        SoftQueuePair newQueuePair(SoftProtectionDomain domain, QueuePairConfig config);

        /** Makes a datagram queue pair with a new number, bound to an agent for life, and opens its port. */
        SoftDatagramQueuePair newDatagramQueuePair(SoftProtectionDomain domain, DatagramQueuePairConfig config);

        /** Makes a reliable datagram queue pair with a new number, bound to an agent for life, and opens its port. */
        SoftReliableQueuePair newReliableQueuePair(SoftProtectionDomain domain, ReliableQueuePairConfig config);

        /** A queue pair is gone. */
        void queuePairClosed(SoftQueuePair queuePair);

        /** A reliable datagram queue pair is gone. */
        void queuePairClosed(SoftReliableQueuePair queuePair);

        /** A datagram queue pair is gone. */
        void queuePairClosed(SoftDatagramQueuePair queuePair);

        /** A completion found its queue full. */
        void completionLost();

        /** Errors that ended streams. */
        TerminateCounts terminates();

        /** The domain is gone. */
        void domainClosed(SoftProtectionDomain domain);
    }

    private final Host host;
    private final int id;
    private final Set<SoftQueuePair> queuePairs = ConcurrentHashMap.newKeySet();
    private final Set<SoftDatagramQueuePair> datagramQueuePairs = ConcurrentHashMap.newKeySet();
    private final Set<SoftReliableQueuePair> reliableQueuePairs = ConcurrentHashMap.newKeySet();
    private final Set<SoftSharedReceiveQueue> sharedQueues = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /** A domain with the number {@code id}, not 0, which no domain of another RNIC has. */
    public SoftProtectionDomain(Host host, int id) {
        this.host = host;
        this.id = id;
    }

    /** Its number, by age. */
    public int id() {
        return id;
    }

    @Override
    public Rnic rnic() {
        return host.rnic();
    }

    @Override
    public MemoryRegion register(MemorySegment segment, Set<Access> rights) {
        checkOpen();
        return host.stags().register(id, segment, Rights.of(rights), this);
    }

    @Override
    public MemoryRegion registerAs(int stag, MemorySegment segment, Set<Access> rights) {
        checkOpen();
        try {
            return host.stags().registerAs(stag, 0, id, segment, Rights.of(rights), this);
        } catch (IllegalArgumentException e) {
            throw new VerbsException(
                    VerbsError.INVALID_ARGUMENT,
                    String.format(Locale.ROOT, "STag 0x%08x: %s", stag, e.getMessage()),
                    e);
        }
    }

    @Override
    public MemoryRegion allocate(long lengthOctets, Set<Access> rights) {
        checkOpen();
        return host.stags().allocate(id, lengthOctets, Rights.of(rights), this);
    }

    @Override
    public MemoryRegion allocateStag(boolean remoteAccess) {
        checkOpen();
        return host.stags().allocateStag(id, remoteAccess, this);
    }

    @Override
    public MemoryWindow allocateWindow() {
        checkOpen();
        return host.stags().allocateWindow(id, this);
    }

    @Override
    public QueuePair createQueuePair(QueuePairConfig config) {
        checkOpen();
        RnicLimits limits = host.rnic().limits();
        check("sendDepth", config.sendDepth(), 1, limits.maxQueueDepth());
        check("receiveDepth", config.receiveDepth(), 1, limits.maxQueueDepth());
        check("maxSegments", config.maxSegments(), 1, limits.maxSegments());
        check("maxInline", config.maxInline(), 0, limits.maxInline());
        check("maxInboundReads", config.maxInboundReads(), 1, limits.maxInboundReads());
        check("maxOutboundReads", config.maxOutboundReads(), 0, limits.maxOutboundReads());
        checkOwn(config.sendCompletionQueue(), config.receiveCompletionQueue(), config.sharedReceiveQueue());
        SoftQueuePair queuePair = host.newQueuePair(this, config);
        queuePairs.add(queuePair);
        return queuePair;
    }

    @Override
    public DatagramQueuePair createDatagramQueuePair(DatagramQueuePairConfig config) {
        checkOpen();
        DatagramLimits.check(config, host.rnic().limits());
        checkOwn(config.sendCompletionQueue(), config.receiveCompletionQueue(), config.sharedReceiveQueue());
        SoftDatagramQueuePair queuePair = host.newDatagramQueuePair(this, config);
        datagramQueuePairs.add(queuePair);
        return queuePair;
    }

    @Override
    public ReliableQueuePair createReliableQueuePair(ReliableQueuePairConfig config) {
        checkOpen();
        DatagramLimits.check(config, host.rnic().limits());
        checkOwn(config.sendCompletionQueue(), config.receiveCompletionQueue(), config.sharedReceiveQueue());
        SoftReliableQueuePair queuePair = host.newReliableQueuePair(this, config);
        reliableQueuePairs.add(queuePair);
        return queuePair;
    }

    private void checkOwn(
            CompletionQueue sends, CompletionQueue receives, Optional<SharedReceiveQueue> sharedReceives) {
        if (isForeign(sends) || isForeign(receives)) {
            throw new VerbsException(VerbsError.INVALID_ARGUMENT, "a completion queue belongs to another RNIC");
        }
        if (sharedReceives.isPresent()
                && !(sharedReceives.get() instanceof SoftSharedReceiveQueue soft && soft.domain() == id)) {
            throw new VerbsException(
                    VerbsError.INVALID_ARGUMENT, "the shared receive queue belongs to another protection domain");
        }
    }

    private boolean isForeign(CompletionQueue queue) {
        return !(queue instanceof SoftCompletionQueue soft && soft.rnic().equals(host.rnic()));
    }

    @Override
    public SharedReceiveQueue createSharedReceiveQueue(int capacity, int maxSegments) {
        checkOpen();
        RnicLimits limits = host.rnic().limits();
        check("capacity", capacity, 1, limits.maxQueueDepth());
        check("maxSegments", maxSegments, 1, limits.maxSegments());
        SoftSharedReceiveQueue queue = new SoftSharedReceiveQueue(this, capacity, maxSegments);
        sharedQueues.add(queue);
        return queue;
    }

    static void check(String setting, long value, long min, long max) {
        if (value < min || value > max) {
            throw new VerbsException(
                    VerbsError.LIMIT_EXCEEDED, setting + " " + value + " is outside " + min + " to " + max);
        }
    }

    void closed(SoftQueuePair queuePair) {
        queuePairs.remove(queuePair);
        host.queuePairClosed(queuePair);
    }

    void closed(SoftDatagramQueuePair queuePair) {
        datagramQueuePairs.remove(queuePair);
        host.queuePairClosed(queuePair);
    }

    void closed(SoftReliableQueuePair queuePair) {
        reliableQueuePairs.remove(queuePair);
        host.queuePairClosed(queuePair);
    }

    void closed(SoftSharedReceiveQueue queue) {
        sharedQueues.remove(queue);
    }

    /** A Terminate went out or came in. */
    void terminated(SoftQueuePair queuePair, boolean sent, ErrorDetail detail) {
        host.terminates().count(detail.terminateCode(), sent);
        FlightEvents.terminate(queuePair, sent, detail);
    }

    void completionLost() {
        host.completionLost();
    }

    private void checkOpen() {
        if (closed) {
            throw new VerbsException(VerbsError.CLOSED, "the protection domain is closed");
        }
    }

    @Override
    public void close() {
        int memory = host.stags().entriesOf(id);
        int pairs = queuePairs.size() + datagramQueuePairs.size() + reliableQueuePairs.size();
        if (pairs > 0 || !sharedQueues.isEmpty() || memory > 0) {
            throw new VerbsException(
                    VerbsError.IN_USE,
                    String.format(
                            Locale.ROOT,
                            "%d queue pairs, %d shared receive queues, %d memory regions and windows still belong to"
                                    + " the domain",
                            pairs,
                            sharedQueues.size(),
                            memory));
        }
        if (!closed) {
            closed = true;
            host.domainClosed(this);
        }
    }

    /** The RNIC goes away: ends all traffic of the domain. */
    public void closeQueuePairs(ClosingSteps steps) {
        closed = true;
        // in the order of their numbers, so that a simulated run repeats itself
        queuePairs.stream()
                .sorted(Comparator.comparingInt(SoftQueuePair::id))
                .toList()
                .forEach(pair -> steps.run(pair::forceClose));
        datagramQueuePairs.stream()
                .sorted(Comparator.comparingInt(SoftDatagramQueuePair::id))
                .toList()
                .forEach(pair -> steps.run(pair::close));
        reliableQueuePairs.stream()
                .sorted(Comparator.comparingInt(SoftReliableQueuePair::id))
                .toList()
                .forEach(pair -> steps.run(pair::close));
    }

    /** The RNIC goes away, and its queue pairs have: closes the rest. */
    public void closeRest(ClosingSteps steps) {
        List.copyOf(sharedQueues).forEach(queue -> steps.run(queue::close));
        host.stags().removable(id).forEach(entry -> steps.run(() -> host.stags().remove(entry)));
        host.domainClosed(this);
    }
}
