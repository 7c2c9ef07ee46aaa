package io.stag.rnic.qp;

import io.stag.rnic.agent.RnicAgent;
import io.stag.rnic.agent.Task;
import io.stag.rnic.datagram.DatagramAddress;
import io.stag.rnic.datagram.DatagramCounts;
import io.stag.rnic.datagram.DatagramInput;
import io.stag.rnic.datagram.DatagramOutput;
import io.stag.rnic.datagram.DatagramOwner;
import io.stag.rnic.datagram.DatagramReceiver;
import io.stag.rnic.datagram.DatagramSender;
import io.stag.rnic.datagram.DatagramSettings;
import io.stag.rnic.datagram.SoftAddressHandle;
import io.stag.rnic.memory.Grant;
import io.stag.rnic.memory.SoftMemoryRegion;
import io.stag.rnic.memory.StagTable;
import io.stag.rnic.memory.ValidityBits;
import io.stag.rnic.transport.DatagramPort;
import io.stag.rnic.transport.DatagramPortOptions;
import io.stag.rnic.work.CompletionOwner;
import io.stag.rnic.work.DatagramSendList;
import io.stag.rnic.work.PostingTarget;
import io.stag.rnic.work.ReceiveList;
import io.stag.rnic.work.ReceiveQueue;
import io.stag.rnic.work.ReceiveWork;
import io.stag.rnic.work.SendQueue;
import io.stag.verbs.AddressHandle;
import io.stag.verbs.AsyncEvent;
import io.stag.verbs.CompletionStatus;
import io.stag.verbs.DatagramCounters;
import io.stag.verbs.DatagramError;
import io.stag.verbs.DatagramInfo;
import io.stag.verbs.DatagramQueuePair;
import io.stag.verbs.DatagramQueuePairConfig;
import io.stag.verbs.DatagramRefusal;
import io.stag.verbs.DatagramSendRequests;
import io.stag.verbs.ErrorDetail;
import io.stag.verbs.ErrorDetail.Layer;
import io.stag.verbs.MemoryRegion;
import io.stag.verbs.Operation;
import io.stag.verbs.ProtectionDomain;
import io.stag.verbs.ReceiveRequests;
import io.stag.verbs.ValidityMap;
import io.stag.verbs.VerbsError;
import io.stag.verbs.VerbsException;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A datagram queue pair: its queues, its port, and the engine between them. The engine and the port are used under the
 * agent's lock only.
 */
public final class SoftDatagramQueuePair extends Task
        implements DatagramQueuePair, DatagramOwner, CompletionOwner, PostingTarget {

    /** Calls to the network, in each direction, before it is another task's turn. */
    private static final int CALLS_PER_VISIT = 4;

    private final SoftProtectionDomain domain;
    private final int id;
    private final DatagramQueuePairConfig config;
    private final RnicAgent agent;
    private final boolean invoker;
    private final Consumer<AsyncEvent> events;
    private final SoftCompletionQueue sendCompletions;
    private final SoftCompletionQueue receiveCompletions;
    private final SendQueue sends;
    private final ReceiveQueue receives;
    private final @Nullable SoftSharedReceiveQueue shared;
    private final DatagramCounts counts = new DatagramCounts();
    private final ArrayBlockingQueue<DatagramError> errors;
    private final AtomicInteger recordsWaiting = new AtomicInteger();
    private final AtomicInteger validityWaiters = new AtomicInteger();
    private final DatagramPort port;
    private final InetSocketAddress localAddress;
    private final int segmentLength;
    private final DatagramSender sender;
    private final DatagramReceiver receiver;
    private boolean blocked; // the port takes nothing more for now
    private boolean flowOpened; // a report came
    private boolean drained; // nothing waited at the port when it was last asked
    private long armedDeadline = NEVER;
    private volatile boolean closed;

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
        this.events = events;
        sendCompletions = (SoftCompletionQueue) config.sendCompletionQueue();
        receiveCompletions = (SoftCompletionQueue) config.receiveCompletionQueue();
        sends = new SendQueue(config.sendDepth());
        shared = (SoftSharedReceiveQueue) config.sharedReceiveQueue().orElse(null);
        receives = shared != null ? shared.queue() : new ReceiveQueue(config.receiveDepth());
        errors = new ArrayBlockingQueue<>(config.errorDepth());
        port = agent.transport().openDatagramPort(portOptions(config), this);
        localAddress = port.localAddress();
        int longest = config.datagramLength() > 0 ? config.datagramLength() : port.unfragmentedLength();
        segmentLength = DatagramSender.segmentLength(Math.min(longest, DatagramOutput.LONGEST_ENTRY));
        DatagramSettings settings = new DatagramSettings(
                domain.id(),
                id,
                epoch,
                salt,
                segmentLength,
                config.maxMessageLength(),
                config.maxOpenMessages(),
                config.maxOpenMessagesPerSource(),
                config.maxReassemblyOctets(),
                config.maxSources(),
                config.sourceIdle().toNanos(),
                config.minMessageTimeout().toNanos(),
                config.maxMessageTimeout().toNanos(),
                config.allowWriteRecord(),
                config.flowWindow(),
                config.flowTimeout().toNanos(),
                config.flowReports());
        sender = new DatagramSender(settings, counts, sends, this);
        receiver = new DatagramReceiver(settings, counts, stags, receives, this);
        try {
            attach();
        } catch (VerbsException e) {
            port.close();
            throw e;
        }
    }

    private void attach() {
        sendCompletions.attach(agent);
        receiveCompletions.attach(agent);
        if (shared != null) {
            shared.attach();
        }
    }

    private static DatagramPortOptions portOptions(DatagramQueuePairConfig config) {
        return new DatagramPortOptions(
                config.address(),
                config.sharedAddress(),
                config.allowBroadcast(),
                config.datagramLength(),
                config.offload(),
                config.receiveBuffer(),
                config.sendBuffer(),
                config.multicastNetwork().orElse(null),
                config.multicastHops());
    }

    // what programs call

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
        if (address.isUnresolved()) {
            throw refused("the address " + address + " is not resolved");
        }
        boolean ipv4 = address.getAddress() instanceof Inet4Address;
        if (!localAddress.getAddress().isAnyLocalAddress()
                && ipv4 != localAddress.getAddress() instanceof Inet4Address) {
            throw refused(address + " cannot be reached from " + localAddress + ", which has the other version of IP");
        }
        if (!config.allowBroadcast() && address.getAddress().getHostAddress().equals("255.255.255.255")) {
            throw new VerbsException(
                    VerbsError.NOT_PERMITTED, "the queue pair was created without allowBroadcast(true)");
        }
        return new SoftAddressHandle(address);
    }

    @Override
    public DatagramSendRequests newSendRequests() {
        return new DatagramSendList(sends, this);
    }

    @Override
    public ReceiveRequests newReceiveRequests() {
        if (shared != null) {
            throw new VerbsException(
                    VerbsError.INVALID_STATE,
                    "the queue pair takes its receives from a shared receive queue; post there");
        }
        return new ReceiveList(receives, this);
    }

    private interface Membership {
        void change() throws IOException;
    }

    @Override
    public void join(InetAddress group) {
        member(group, () -> port.join(group, null));
    }

    @Override
    public void join(InetAddress group, NetworkInterface network) {
        member(group, () -> port.join(group, network));
    }

    @Override
    public void leave(InetAddress group) {
        member(group, () -> port.leave(group, null));
    }

    @Override
    public void leave(InetAddress group, NetworkInterface network) {
        member(group, () -> port.leave(group, network));
    }

    private void member(InetAddress group, Membership membership) {
        if (!group.isMulticastAddress()) {
            throw refused(group.getHostAddress() + " is no multicast address");
        }
        agent.lock();
        try {
            checkPosting();
            membership.change();
        } catch (IOException e) {
            throw new VerbsException(
                    VerbsError.INVALID_ARGUMENT, "group " + group.getHostAddress() + ": " + e.getMessage(), e);
        } finally {
            agent.unlock();
        }
    }

    @Override
    public long pollValidity(MemoryRegion region, long offset, long length, ValidityMap into) {
        checkPosting();
        ValidityBits bits = bits(region, offset, length);
        long count = bits.take(offset, length, into);
        if (count == 0 && invoker && agent.tryWork() > 0) {
            count = bits.take(offset, length, into);
        }
        return count;
    }

    @Override
    public long awaitValidity(MemoryRegion region, long offset, long length, ValidityMap into, Duration timeout) {
        checkPosting();
        ValidityBits bits = bits(region, offset, length);
        validityWaiters.incrementAndGet();
        try {
            agent.await(() -> closed || bits.hasAny(offset, length), RnicAgent.nanos(timeout), invoker);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new VerbsException(VerbsError.INTERRUPTED, "interrupted while waiting for Write-Records", e);
        } finally {
            validityWaiters.decrementAndGet();
        }
        checkPosting();
        return bits.take(offset, length, into);
    }

    private ValidityBits bits(MemoryRegion region, long offset, long length) {
        if (!(region instanceof SoftMemoryRegion soft) || soft.domain() != domain.id()) {
            throw refused("the region belongs to another protection domain");
        }
        Grant grant = soft.grant();
        if (grant == null) {
            throw new VerbsException(VerbsError.INVALID_STATE, "the region is not valid");
        }
        if (offset < 0 || length < 0 || length > grant.length() - offset) {
            throw refused("octets " + offset + " to " + (offset + length) + " are outside the region of "
                    + grant.length() + " octets");
        }
        return grant.validity();
    }

    private static VerbsException refused(String why) {
        return new VerbsException(VerbsError.INVALID_ARGUMENT, why);
    }

    @Override
    public Optional<DatagramError> pollError() {
        DatagramError error = errors.poll();
        if (error == null && invoker && !closed && agent.tryWork() > 0) {
            error = errors.poll();
        }
        return Optional.ofNullable(error);
    }

    @Override
    public DatagramCounters counters() {
        return counts.snapshot(receiver.openMessages(), receiver.sources(), receiver.reassemblyOctets());
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
        if (closed) {
            return;
        }
        closed = true;
        agent.remove(this);
        port.close();
        sendCompletions.detach();
        receiveCompletions.detach();
        if (shared != null) {
            shared.detach();
        }
        agent.signalChange();
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
        if (closed) {
            throw new VerbsException(VerbsError.CLOSED, "the datagram queue pair is closed");
        }
    }

    @Override
    public void ringDoorbell() {
        agent.ring(this);
        if (invoker || agent.isDrivenByProgram()) {
            agent.tryDoorbells();
        }
    }

    // the agent; under its lock

    @Override
    public int onDoorbell() {
        return closed || blocked ? 0 : pump();
    }

    @Override
    public int onPoll() {
        return closed ? 0 : read();
    }

    @Override
    public void onReady() {
        if (!closed) {
            read();
            if (blocked) {
                pump();
            }
        }
    }

    @Override
    public void onDeadline(long nowNanos) {
        if (closed) {
            return;
        }
        armedDeadline = nowNanos; // reading sets none
        read();
        armedDeadline = NEVER;
        if (!drained) {
            agent.setDeadline(this, nowNanos + 1); // what waits may belong to messages that seem to be over
            return;
        }
        if (receiver.nextDeadline() <= nowNanos) {
            receiver.handleTimeout(nowNanos);
        }
        if (sender.isHeldBack() && sender.flowDeadline() <= nowNanos) {
            pump();
        }
        arm();
    }

    @Override
    public void onBug(RuntimeException bug) {
        error(localAddress, ErrorDetail.of(Layer.VERBS, "own", "a bug in Stag ended the queue pair: " + bug));
        destroy();
    }

    private int read() {
        DatagramInput input = agent.datagramStaging().input();
        int total = 0;
        int count = DatagramInput.SLOTS;
        for (int call = 0; call < CALLS_PER_VISIT && count == DatagramInput.SLOTS; call++) {
            input.clear();
            count = receive(input);
            drained = !input.mayHaveMore();
            if (count > 0) {
                counts.receiveCalls++;
                receiver.handle(input, agent.nanoTime());
                total += count;
            }
        }
        if (total > 0) {
            agent.heat(this);
            agent.markActive(this);
            report();
            arm();
        }
        return total;
    }

    /** Reports are sent as they are: one that gets lost is followed by another. */
    private void report() {
        while (receiver.hasReports()) {
            DatagramOutput output = agent.datagramStaging().output();
            output.clear(1);
            receiver.fillReports(output);
            send(output);
        }
        if (flowOpened) {
            flowOpened = false;
            agent.ring(this);
        }
    }

    private int receive(DatagramInput input) {
        try {
            return port.receive(input);
        } catch (IOException e) {
            error(localAddress, ErrorDetail.of(Layer.TRANSPORT, "DG-029", "receiving failed: " + e.getMessage()));
            return 0;
        }
    }

    /** A timer once set is left alone unless it would be late: to move it with every datagram would cost more. */
    private void arm() {
        long due = receiver.nextDeadline();
        if (sender.isHeldBack()) {
            due = Math.min(due, sender.flowDeadline());
        }
        if (due < armedDeadline) {
            armedDeadline = due;
            agent.setDeadline(this, due);
        }
    }

    private int pump() {
        DatagramOutput output = agent.datagramStaging().output();
        int work = 0;
        blocked = false;
        long now = config.flowWindow() > 0 ? agent.nanoTime() : 0; // nothing else of sending depends on time
        for (int call = 0; call < CALLS_PER_VISIT && !blocked; call++) {
            output.clear(port.mostSegments());
            sender.fill(output, now);
            int taken = 0;
            if (output.count() > 0) {
                counts.sendCalls++;
                taken = send(output);
                work += output.count();
                blocked = taken < output.count() && output.failure() == null;
            }
            sender.transmitted(output, taken);
            if (!sender.hasWork() || (sender.isHeldBack() && !blocked)) {
                port.awaitWritable(false);
                arm();
                return work;
            }
        }
        port.awaitWritable(blocked);
        if (!blocked) {
            agent.ring(this); // others come first
        }
        return work;
    }

    private int send(DatagramOutput output) {
        try {
            return port.send(output);
        } catch (IOException e) {
            output.refuse(e);
            return 0;
        }
    }

    // the engine; under the agent's lock

    @Override
    public void sendCompleted(
            long workId, Operation operation, boolean signaled, CompletionStatus status, @Nullable ErrorDetail detail) {
        if (signaled || status != CompletionStatus.SUCCESS) {
            complete(sendCompletions, workId, status, operation, 0, 0, detail, null);
        }
    }

    @Override
    public void receiveTaken() {
        SoftSharedReceiveQueue source = shared;
        if (source != null && receives.limitReached()) {
            raise(source.limitReached());
        }
    }

    @Override
    public void receiveCompleted(ReceiveWork work, long length, int flags, DatagramInfo info) {
        complete(receiveCompletions, work.id, CompletionStatus.SUCCESS, Operation.RECEIVE, length, flags, null, info);
    }

    @Override
    public void receiveFailed(ReceiveWork work, CompletionStatus status, ErrorDetail detail) {
        complete(receiveCompletions, work.id, status, Operation.RECEIVE, 0, 0, detail, null);
    }

    @Override
    public void recordCompleted(int flags, DatagramInfo info) {
        // peers make records as they like: they must not fill a completion queue that others use as well
        if (recordsWaiting.get() >= config.recordDepth()) {
            counts.recordsNotQueued++;
            return;
        }
        recordsWaiting.incrementAndGet();
        if (!receiveCompletions.add(
                agent,
                0,
                CompletionStatus.SUCCESS,
                Operation.WRITE_RECORD,
                this,
                info.validOctets(),
                flags,
                0,
                0,
                null,
                info)) {
            recordsWaiting.decrementAndGet();
            counts.recordsNotQueued++;
        }
    }

    @Override
    public void memoryWritten() {
        if (validityWaiters.get() > 0) {
            agent.signalChange();
        }
    }

    @Override
    public void completionPolled(Operation operation) {
        if (operation == Operation.WRITE_RECORD) {
            recordsWaiting.decrementAndGet();
        }
    }

    @Override
    public void flowReported(DatagramAddress peer, int number) {
        sender.reported(peer, number);
        flowOpened = sender.isHeldBack();
    }

    @Override
    public boolean wantsRefusals() {
        return errors.remainingCapacity() > 0;
    }

    @Override
    public void refused(DatagramRefusal reason, DatagramAddress source, String fact) {
        error(
                DatagramAddress.object(source.high(), source.low(), source.port(), source.scope()),
                ErrorDetail.of(layer(reason), reason.rule(), fact + ": " + reason.text()));
    }

    private static Layer layer(DatagramRefusal reason) {
        return switch (reason) {
            case TOO_SHORT, VERSION, CRC, KIND -> Layer.TRANSPORT;
            case HEADER,
                    LAYOUT,
                    MESSAGE_TOO_LONG,
                    INCONSISTENT,
                    DUPLICATE,
                    LATE,
                    NO_RECEIVE,
                    RECEIVE_TOO_SHORT,
                    ACCESS,
                    TOO_MANY_MESSAGES,
                    TOO_MANY_SOURCES -> Layer.DDP;
            case NOT_PERMITTED -> Layer.RDMAP;
        };
    }

    private void error(InetSocketAddress source, ErrorDetail detail) {
        if (!errors.offer(new DatagramError(source, detail))) {
            counts.errorsDropped++;
        }
    }

    private void complete(
            SoftCompletionQueue queue,
            long workId,
            CompletionStatus status,
            Operation operation,
            long length,
            int flags,
            @Nullable ErrorDetail detail,
            @Nullable DatagramInfo info) {
        if (queue.add(agent, workId, status, operation, this, length, flags, 0, 0, detail, info)) {
            return;
        }
        counts.completionsLost++;
        domain.completionLost();
        ErrorDetail overflow = ErrorDetail.of(Layer.VERBS, "RFC 5042 §6.4.6", queue.overflowText());
        raise(new AsyncEvent.CompletionQueueFailed(queue, overflow));
    }

    private void raise(AsyncEvent event) {
        agent.deliver(() -> events.accept(event));
    }
}
