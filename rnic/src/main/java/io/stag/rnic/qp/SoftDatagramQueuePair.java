package io.stag.rnic.qp;

import io.stag.rnic.agent.RnicAgent;
import io.stag.rnic.agent.Task;
import io.stag.rnic.datagram.DatagramCounts;
import io.stag.rnic.datagram.DatagramSettings;
import io.stag.rnic.datagram.SoftAddressHandle;
import io.stag.rnic.datagram.UnreliableEngine;
import io.stag.rnic.memory.StagTable;
import io.stag.rnic.transport.DatagramPortOptions;
import io.stag.rnic.work.DatagramSendList;
import io.stag.rnic.work.PostingTarget;
import io.stag.rnic.work.ReceiveList;
import io.stag.rnic.work.ReceiveQueue;
import io.stag.rnic.work.SendQueue;
import io.stag.verbs.AddressHandle;
import io.stag.verbs.AsyncEvent;
import io.stag.verbs.DatagramCounters;
import io.stag.verbs.DatagramError;
import io.stag.verbs.DatagramQueuePair;
import io.stag.verbs.DatagramQueuePairConfig;
import io.stag.verbs.DatagramSendRequests;
import io.stag.verbs.DatagramSnapshot;
import io.stag.verbs.ErrorDetail;
import io.stag.verbs.ErrorDetail.Layer;
import io.stag.verbs.MemoryRegion;
import io.stag.verbs.ProtectionDomain;
import io.stag.verbs.ReceiveRequests;
import io.stag.verbs.ValidityMap;
import io.stag.verbs.VerbsError;
import io.stag.verbs.VerbsException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/** A datagram queue pair: its queues, and what programs call. */
public final class SoftDatagramQueuePair implements DatagramQueuePair, PostingTarget, DatagramPortDriver.Owner {
    private final SoftProtectionDomain domain;
    private final int id;
    private final DatagramQueuePairConfig config;
    private final RnicAgent agent;
    private final boolean invoker;
    private final SendQueue sends;
    private final ReceiveQueue receives;
    private final DatagramCounts counts = new DatagramCounts();
    private final DatagramErrors errors;
    private final ValidityPolling validity;
    private final DatagramDelivery delivery;
    private final DatagramPortDriver<UnreliableEngine> driver;
    private final GroupMembership groups;
    private final LossWatch losses;
    private final InetSocketAddress localAddress;
    private final int segmentLength;

    /**
     * Opens the port and is ready. Under the agent's lock.
     *
     * @param epoch a random number that tells this queue pair from others that had its address before
     * @param salt a secret number
     */
    public SoftDatagramQueuePair(
            SoftProtectionDomain domain,
            int id,
            DatagramQueuePairConfig config,
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
        receives = config.sharedReceiveQueue()
                .map(shared -> ((SoftSharedReceiveQueue) shared).queue())
                .orElseGet(() -> new ReceiveQueue(config.receiveDepth(), false));
        errors = new DatagramErrors(config.errorDepth(), () -> counts.errorsDropped++);
        validity = new ValidityPolling(domain.id(), agent, invoker);
        delivery = new DatagramDelivery(domain, id, agent, config, counts, errors, validity, events);
        driver = new DatagramPortDriver<>(
                agent,
                DatagramPortOptions.of(config),
                port -> new UnreliableEngine(
                        DatagramSettings.of(config, domain.id(), id, port.unfragmentedLength(), epoch, salt),
                        counts,
                        stags,
                        sends,
                        receives,
                        delivery),
                this);
        losses = new LossWatch(counts, agent.nanoTime());
        groups = new GroupMembership(agent, driver);
        localAddress = driver.port().localAddress();
        segmentLength = driver.engine().segmentLength();
        try {
            delivery.attach();
        } catch (VerbsException e) {
            driver.close();
            throw e;
        }
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
    public DatagramQueuePairConfig config() {
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
        AddressHandle handle = SoftAddressHandle.reachableFrom(localAddress, address);
        if (!config.allowBroadcast() && address.getAddress().getHostAddress().equals("255.255.255.255")) {
            throw new VerbsException(
                    VerbsError.NOT_PERMITTED, "the queue pair was created without allowBroadcast(true)");
        }
        return handle;
    }

    @Override
    public DatagramSendRequests newSendRequests() {
        return new DatagramSendList(sends, this);
    }

    @Override
    public ReceiveRequests newReceiveRequests() {
        if (config.sharedReceiveQueue().isPresent()) {
            throw new VerbsException(
                    VerbsError.INVALID_STATE,
                    "the queue pair takes its receives from a shared receive queue; post there");
        }
        return new ReceiveList(receives, this);
    }

    @Override
    public void join(InetAddress group) {
        groups.join(group, null);
    }

    @Override
    public void join(InetAddress group, NetworkInterface network) {
        groups.join(group, network);
    }

    @Override
    public void leave(InetAddress group) {
        groups.leave(group, null);
    }

    @Override
    public void leave(InetAddress group, NetworkInterface network) {
        groups.leave(group, network);
    }

    @Override
    public long pollValidity(MemoryRegion region, long offset, long length, ValidityMap into) {
        checkPosting();
        return validity.poll(region, offset, length, into);
    }

    @Override
    public long awaitValidity(MemoryRegion region, long offset, long length, ValidityMap into, Duration timeout) {
        checkPosting();
        long nanos = RnicAgent.nanos(timeout);
        long began = agent.nanoTime();
        long left = nanos;
        while (true) {
            validity.await(region, offset, length, left, driver::isClosed);
            long count = pollValidity(region, offset, length, into);
            left = nanos - (agent.nanoTime() - began);
            if (count > 0 || left <= 0) {
                return count;
            } // else another thread was quicker
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
    public DatagramCounters counters() {
        return driver.engine().counters();
    }

    /** What it does and has done. Any thread. */
    public DatagramSnapshot snapshot() {
        agent.tryStampActivity();
        long idleNanos = Math.max(0, agent.nanoTime() - driver.lastActiveNanos());
        return new DatagramSnapshot(
                id, localAddress, sends.size(), receives.size(), Duration.ofNanos(idleNanos), counters());
    }

    /** What it has done, to be added up. */
    public DatagramCounts counts() {
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
            delivery.detach();
            losses.end(this);
            agent.signalChange();
        }
    }

    // posting

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
        if (driver.isClosed()) {
            throw new VerbsException(VerbsError.CLOSED, "the datagram queue pair is closed");
        }
    }

    @Override
    public void ringDoorbell() {
        agent.posted(driver, invoker);
    }

    // the driver; under the agent's lock

    @Override
    public void receivingFailed(IOException why) {
        errors.add(localAddress, ErrorDetail.of(Layer.TRANSPORT, "DG-029", "receiving failed: " + why.getMessage()));
    }

    @Override
    public void datagramsHandled(LongSupplier clock) {
        losses.look(this, clock);
    }

    @Override
    public void failed(Throwable failure) {
        errors.add(localAddress, ErrorDetail.of(Layer.VERBS, "own", "the queue pair ended: " + Task.text(failure)));
        destroy();
    }
}
