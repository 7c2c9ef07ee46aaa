package io.stag.rnic.qp;

import io.stag.rnic.agent.RnicAgent;
import io.stag.rnic.agent.Task;
import io.stag.rnic.datagram.SoftAddressHandle;
import io.stag.rnic.memory.StagTable;
import io.stag.rnic.reliable.ReliableCounts;
import io.stag.rnic.reliable.ReliableEngine;
import io.stag.rnic.reliable.ReliableSettings;
import io.stag.rnic.transport.DatagramPort;
import io.stag.rnic.transport.DatagramPortOptions;
import io.stag.rnic.work.PostingTarget;
import io.stag.rnic.work.ReceiveList;
import io.stag.rnic.work.ReceiveQueue;
import io.stag.rnic.work.ReliableSendList;
import io.stag.rnic.work.SendQueue;
import io.stag.verbs.AddressHandle;
import io.stag.verbs.AsyncEvent;
import io.stag.verbs.DatagramError;
import io.stag.verbs.ErrorDetail;
import io.stag.verbs.ErrorDetail.Layer;
import io.stag.verbs.ProtectionDomain;
import io.stag.verbs.ReceiveRequests;
import io.stag.verbs.ReliableCounters;
import io.stag.verbs.ReliableQueuePair;
import io.stag.verbs.ReliableQueuePairConfig;
import io.stag.verbs.ReliableSendRequests;
import io.stag.verbs.ReliableSnapshot;
import io.stag.verbs.VerbsError;
import io.stag.verbs.VerbsException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A reliable datagram queue pair: its queues, and what programs call. */
public final class SoftReliableQueuePair implements ReliableQueuePair, DatagramPortDriver.Owner {
    private final SoftProtectionDomain domain;
    private final int id;
    private final ReliableQueuePairConfig config;
    private final RnicAgent agent;
    private final boolean invoker;
    private final SendQueue sends;
    private final ReceiveQueue receives;
    private final @Nullable SoftSharedReceiveQueue shared;
    private final ReliableCounts counts = new ReliableCounts();
    private final DatagramErrors errors;
    private final ReliableDelivery delivery;
    private final DatagramPortDriver<ReliableTraffic> driver;
    private final Runnable receivesPosted = this::feed;
    private final InetSocketAddress localAddress;
    private final int segmentLength;

    /**
     * Opens the port and is ready. Under the agent's lock.
     *
     * @param epoch a random number, not 0, that tells this queue pair from others that had its address before
     * @param salt a secret number
     */
    public SoftReliableQueuePair(
            SoftProtectionDomain domain,
            int id,
            ReliableQueuePairConfig config,
            RnicAgent agent,
            boolean invoker,
            StagTable stags,
            int epoch,
            long salt,
            Consumer<AsyncEvent> events)
            throws IOException {
        this.domain = domain;
        this.id = id;
        this.config = config;
        this.agent = agent;
        this.invoker = invoker;
        sends = new SendQueue(config.sendDepth());
        shared = (SoftSharedReceiveQueue) config.sharedReceiveQueue().orElse(null);
        receives = shared != null ? shared.queue() : new ReceiveQueue(config.receiveDepth(), false);
        errors = new DatagramErrors(config.errorDepth(), () -> counts.errorsDropped++);
        delivery = new ReliableDelivery(domain, id, agent, config, this, counts, errors, events);
        driver = new DatagramPortDriver<>(
                agent,
                DatagramPortOptions.of(config),
                port -> new ReliableTraffic(
                        new ReliableEngine(settings(port, epoch, salt), counts, sends, receives, stags, delivery),
                        counts,
                        receives),
                this);
        localAddress = driver.port().localAddress();
        segmentLength = DatagramLimits.segmentLength(config, driver.port());
        try {
            delivery.attach();
        } catch (VerbsException e) {
            driver.close();
            throw e;
        }
        if (shared != null) {
            shared.onPosted(receivesPosted);
        }
    }

    private ReliableSettings settings(DatagramPort port, int epoch, long salt) {
        return new ReliableSettings(
                domain.id(),
                id,
                epoch,
                salt,
                DatagramLimits.segmentLength(config, port),
                config.window(),
                DatagramLimits.credit(config, port),
                config.maxPeers(),
                config.maxReorderOctets(),
                config.maxReads(),
                config.remember().toNanos(),
                config.giveUp().toNanos(),
                config.ackDelay().toNanos(),
                config.allowRemoteRead(),
                config.allowRemoteWrite());
    }

    @Override
    public int id() {
        return id;
    }

    @Override
    public InetSocketAddress localAddress() {
        return localAddress;
    }

    @Override
    public ReliableQueuePairConfig config() {
        return config;
    }

    @Override
    public ProtectionDomain protectionDomain() {
        return domain;
    }

    @Override
    public int segmentLength() {
        return segmentLength;
    }

    @Override
    public AddressHandle address(InetSocketAddress address) {
        SoftAddressHandle handle = SoftAddressHandle.reachableFrom(localAddress, address);
        if (handle.numbers().meansMany()) {
            throw new VerbsException(
                    VerbsError.INVALID_ARGUMENT, address + " means many, and only one peer can acknowledge");
        }
        return handle;
    }

    @Override
    public ReliableSendRequests newSendRequests() {
        return new ReliableSendList(sends, new Posting(true));
    }

    @Override
    public ReceiveRequests newReceiveRequests() {
        if (shared != null) {
            throw new VerbsException(
                    VerbsError.INVALID_STATE,
                    "the queue pair takes its receives from a shared receive queue; post there");
        }
        return new ReceiveList(receives, new Posting(false));
    }

    @Override
    public State state() {
        return delivery.failure() == null ? State.READY : State.ERROR;
    }

    @Override
    public Optional<ErrorDetail> firstCause() {
        return Optional.ofNullable(delivery.failure());
    }

    @Override
    public void reset() {
        agent.lock();
        try {
            checkOpen();
            driver.engine().engine().reset();
            delivery.reset();
        } finally {
            agent.unlock();
        }
    }

    @Override
    public Optional<DatagramError> pollError() {
        DatagramError error = errors.poll();
        if (error == null && invoker && !driver.isClosed() && agent.tryWork() > 0) {
            error = errors.poll();
        }
        return Optional.ofNullable(error);
    }

    @Override
    public ReliableCounters counters() {
        ReliableEngine engine = driver.engine().engine();
        return counts.snapshot(engine.peers(), engine.activePeers(), engine.roundTripNanos(), engine.window());
    }

    /** What it does and has done. Any thread. */
    public ReliableSnapshot snapshot() {
        agent.tryStampActivity();
        long idleNanos = Math.max(0, agent.nanoTime() - driver.lastActiveNanos());
        return new ReliableSnapshot(
                id, localAddress, state(), sends.size(), receives.size(), Duration.ofNanos(idleNanos), counters());
    }

    /** What it has done, to be added up. */
    public ReliableCounts counts() {
        return counts;
    }

    @Override
    public void close() {
        agent.lock();
        try {
            destroy();
        } finally {
            agent.unlock();
        }
        domain.closed(this);
    }

    private void destroy() {
        if (!driver.isClosed()) {
            driver.close();
            if (shared != null) {
                shared.offPosted(receivesPosted);
            }
            delivery.detach();
            agent.signalChange();
        }
    }

    private void checkOpen() {
        if (driver.isClosed()) {
            throw new VerbsException(VerbsError.CLOSED, "the reliable datagram queue pair is closed");
        }
    }

    /** Receives are taken in any state, requests only when nothing failed (RD-041, RD-042). */
    private final class Posting implements PostingTarget {
        private final boolean requests;

        Posting(boolean requests) {
            this.requests = requests;
        }

        @Override
        public int domain() {
            return domain.id();
        }

        @Override
        public int maxSegments() {
            return config.maxSegments();
        }

        @Override
        public int maxInline() {
            return config.maxInline();
        }

        @Override
        public void checkPosting() {
            checkOpen();
            ErrorDetail failure = requests ? delivery.failure() : null;
            if (failure != null) {
                throw new VerbsException(
                        VerbsError.INVALID_STATE,
                        "the queue pair is in the error state; call reset() when the failure is dealt with: "
                                + failure);
            }
        }

        @Override
        public void ringDoorbell() {
            ring();
        }

        @Override
        public void receivesPosted() {
            feed();
        }
    }

    /** Receives were posted: that matters only when a message waits for them. */
    private void feed() {
        if (driver.engine().isStarved()) {
            ring();
        }
    }

    private void ring() {
        agent.posted(driver, invoker);
    }

    // the driver; under the agent's lock

    @Override
    public void receivingFailed(IOException why) {
        errors.add(localAddress, ErrorDetail.of(Layer.TRANSPORT, "DG-029", "receiving failed: " + why.getMessage()));
    }

    @Override
    public void failed(Throwable failure) {
        errors.add(localAddress, ErrorDetail.of(Layer.VERBS, "own", "the queue pair ended: " + Task.text(failure)));
        destroy();
    }
}
