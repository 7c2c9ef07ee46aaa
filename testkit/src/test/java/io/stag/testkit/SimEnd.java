package io.stag.testkit;

import static io.stag.testkit.SimMemory.check;

import io.stag.verbs.Access;
import io.stag.verbs.AsyncEvent;
import io.stag.verbs.CompletionStatus;
import io.stag.verbs.MemoryRegion;
import io.stag.verbs.MemoryWindow;
import io.stag.verbs.Operation;
import io.stag.verbs.QueuePair;
import io.stag.verbs.QueuePairConfig;
import io.stag.verbs.QueuePairState;
import io.stag.verbs.ReceiveRequests;
import io.stag.verbs.SendRequests;
import io.stag.verbs.VerbsException;
import io.stag.verbs.WorkCompletions;
import io.stag.verbs.cm.Connection;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** One end of a simulated connection: a program that posts at random, and the checkers that know what must happen. */
final class SimEnd {
    /** One word for CmpSwap, then the octets that the peer may read, then slots for its Writes. */
    private static final int WORD = 8;

    private static final int DEPTH = 16;

    /** Where a message goes. */
    record Receive(MemorySegment memory, int slot, int length) {}

    final String name;
    final SimNode node;
    final QueuePair queuePair;
    final MemoryRegion exposed;

    @Nullable
    Connection connection;
    /** Something was done that lets the connection fail. */
    boolean mayFail;

    private final SplittableRandom random;
    private final int key;
    private final int budget;
    private final MemoryRegion source;
    private final MemoryRegion sinks;
    private final SendRequests sends;
    private final @Nullable ReceiveRequests receives;
    private final Deque<SimWork> inSendQueue = new ArrayDeque<>();
    private final List<SimWork> all = new ArrayList<>();
    private final List<SimWork> writes = new ArrayList<>();
    private final List<SimWork> messages = new ArrayList<>();
    private final Map<Long, Receive> posted = new HashMap<>();
    private final List<Receive> retiredReceives = new ArrayList<>();
    /** Lengths of receives that the peer posted and we did not use yet. */
    private final Deque<Integer> grants = new ArrayDeque<>();

    private @Nullable SimEnd peer;
    private int delivered; // messages of the peer that completed a receive
    private int operationsLeft;
    private long nextId = 1;
    private int nextSink;
    private int nextWriteSlot;
    private long casValue;
    private long receiveId = 1_000_000;
    private boolean sendError;
    private boolean receiveError;
    private int ownErrors;
    private byte @Nullable [] atError;
    private @Nullable MemoryWindow window;
    private boolean binding;
    private int boundStag;
    private boolean hasPosted;
    private boolean lastFence;
    private boolean closed;

    SimEnd(String name, SimNode node, SplittableRandom random, QueuePairConfig.Builder config, int budget) {
        this.name = name;
        this.node = node;
        this.random = random;
        this.budget = budget;
        key = random.nextInt();
        operationsLeft = 1 + random.nextInt(40);
        queuePair = node.domain.createQueuePair(
                config.sendDepth(DEPTH).receiveDepth(2 * DEPTH).build());
        source = node.domain.register(node.memory.allocate(budget), EnumSet.of(Access.LOCAL_READ));
        SimMemory.fill(source.segment(), key);
        exposed = node.domain.register(
                node.memory.allocate(WORD + 2L * budget),
                EnumSet.complementOf(EnumSet.of(Access.VIRTUAL_ADDRESS, Access.REMOTE_INVALIDATE)));
        SimMemory.fill(exposed.segment().asSlice(WORD, budget), key + 1);
        sinks = node.domain.register(
                node.memory.allocate(4L * budget), EnumSet.of(Access.LOCAL_READ, Access.LOCAL_WRITE));
        sends = queuePair.newSendRequests();
        receives = queuePair.config().sharedReceiveQueue().isPresent() ? null : queuePair.newReceiveRequests();
    }

    void join(SimEnd other) {
        peer = other;
        if (random.nextInt(3) == 0) {
            window = node.domain.allocateWindow();
        }
    }

    private SimEnd peer() {
        SimEnd other = peer;
        if (other == null) {
            throw new IllegalStateException("not joined");
        }
        return other;
    }

    // the program

    boolean hasMoreToDo() {
        return operationsLeft > 0 && !sendError && !closed && isOpen();
    }

    boolean isClosed() {
        return closed;
    }

    /** Whether the last {@link #post} found something that could be done. */
    boolean hasPosted() {
        return hasPosted;
    }

    boolean isEmpty() {
        return queuePair.snapshot().sendQueueDepth() == 0 && posted.isEmpty();
    }

    private boolean isOpen() {
        return queuePair.state() == QueuePairState.RTS || queuePair.state() == QueuePairState.IDLE;
    }

    /** A Read of nothing comes back when all before it has arrived: only then is an orderly close without risk. */
    void postLastFence() {
        if (!lastFence && !hasMoreToDo() && isOpen() && inSendQueue.size() < DEPTH) {
            lastFence = true;
            SimWork work = begin(Operation.RDMA_READ, 0, 0, true);
            sends.read(work.id, 0, 0);
            finish(work);
        }
    }

    boolean isIdle() {
        return inSendQueue.stream().noneMatch(work -> work.signaled) && !binding;
    }

    /** The RNIC was closed: no completion comes any more. */
    void nodeClosed() {
        mayFail = true;
        closed = true;
        remember();
    }

    /** Posts a few requests; a queue pair that is about to end may refuse them. */
    void post(boolean hostile) {
        if (!isOpen() || closed) {
            return;
        }
        hasPosted = false;
        try {
            int count = 1 + random.nextInt(4);
            for (int i = 0; i < count && operationsLeft > 0; i++) {
                postReceive();
                postOne(hostile);
            }
        } catch (VerbsException refused) {
            hasPosted = true;
            check(queuePair.state() != QueuePairState.IDLE, "an idle queue pair takes requests: " + refused);
            check(!isOpen() || peerMayHaveClosed(), "refused in state " + queuePair.state() + ": " + refused);
        }
    }

    private boolean peerMayHaveClosed() {
        return mayFail || peer().mayFail || connection == null || connection.state() != Connection.State.ESTABLISHED;
    }

    private void postReceive() {
        ReceiveRequests list = receives;
        if (list == null) {
            node.postShared(peer());
            return;
        }
        int length = random.nextInt(budget / 4 + 1);
        if (nextSink + length > sinks.length() || posted.size() >= 2 * DEPTH) {
            return;
        }
        Receive receive = new Receive(sinks.segment(), nextSink, length);
        long id = receiveId++;
        list.receive(id);
        int first = length > 1 ? random.nextInt(length) : length;
        list.into(sinks, nextSink, first);
        if (first < length) {
            list.into(sinks, nextSink + first, length - first);
        }
        if (list.post() == 1) {
            nextSink += length;
            posted.put(id, receive);
            peer().grant(length);
        }
    }

    /** The peer posted a receive of so many octets. */
    void grant(int length) {
        grants.add(length);
    }

    private void postOne(boolean hostile) {
        if (inSendQueue.size() >= DEPTH) {
            hasPosted = true; // enough is under way
            return;
        }
        operationsLeft--;
        if (hostile && random.nextInt(10) == 0) {
            postWrong();
            return;
        }
        switch (random.nextInt(9)) {
            case 0, 1 -> send();
            case 2, 3 -> write(false);
            case 4 -> write(true);
            case 5, 6 -> read();
            case 7 -> atomic();
            default -> localOrImmediate();
        }
    }

    private int lengthUpTo(int limit) {
        int bits = random.nextInt(33 - Integer.numberOfLeadingZeros(Math.max(limit, 1)));
        return Math.min(limit, random.nextInt(1 << bits));
    }

    private void send() {
        if (grants.isEmpty()) {
            return;
        }
        int length = lengthUpTo(Math.min(grants.removeFirst(), budget));
        SimWork work = begin(Operation.SEND, length, 0);
        SimEnd other = peer();
        if (other.boundStag != 0 && random.nextInt(3) == 0) {
            work.invalidatedStag = other.boundStag;
            other.boundStag = 0;
            sends.sendInvalidate(work.id, work.invalidatedStag);
        } else {
            sends.send(work.id);
        }
        payload(work);
        if (random.nextInt(3) == 0) {
            work.solicited = true;
            sends.solicited();
        }
        finish(work);
    }

    private void payload(SimWork work) {
        int first = work.length > 1 && random.nextInt(3) == 0 ? random.nextInt(work.length) : work.length;
        if (work.length <= 64 && random.nextInt(3) == 0) {
            sends.inline(source.segment().asSlice(work.patternAt, work.length));
            return;
        }
        sends.from(source, work.patternAt, first);
        if (first < work.length) {
            sends.from(source, work.patternAt + first, work.length - first);
        }
    }

    private void write(boolean withImmediate) {
        if (withImmediate && grants.isEmpty()) {
            return;
        }
        SimEnd other = peer();
        int length = lengthUpTo(Math.min(budget / 2, budget - nextWriteSlot));
        int slot = WORD + budget + nextWriteSlot;
        nextWriteSlot += length;
        SimWork work = begin(Operation.RDMA_WRITE, length, slot);
        // a window shows all of the exposed memory, so offsets are the same
        int stag = other.boundStag != 0 && random.nextBoolean() ? other.boundStag : other.exposed.stag();
        if (withImmediate) {
            grants.removeFirst();
            work.withImmediate = true;
            work.immediate = random.nextLong();
            sends.writeImmediate(work.id, stag, slot, work.immediate);
        } else {
            sends.write(work.id, stag, slot);
        }
        payload(work);
        if (random.nextInt(8) == 0) {
            sends.readFence();
        }
        finish(work);
    }

    private void read() {
        int length = lengthUpTo((int) Math.min(budget / 2, sinks.length() - nextSink));
        SimWork work = begin(Operation.RDMA_READ, length, nextSink);
        nextSink += length;
        sends.read(work.id, peer().exposed.stag(), WORD + work.patternAt);
        int first = length > 1 && random.nextBoolean() ? random.nextInt(length) : length;
        sends.into(sinks, work.slot, first);
        if (first < length) {
            sends.into(sinks, work.slot + first, length - first);
        }
        finish(work);
    }

    private void atomic() {
        int slot = (nextSink + 7) / 8 * 8;
        if (slot + 8 > sinks.length()) {
            return;
        }
        nextSink = slot + 8;
        boolean add = random.nextBoolean();
        SimWork work = begin(add ? Operation.FETCH_ADD : Operation.COMPARE_SWAP, 8, slot);
        SimNode target = peer().node;
        if (add) {
            work.counter = random.nextInt(SimNode.COUNTERS);
            sends.fetchAdd(work.id, target.counters.stag(), work.counter * 8L, 1);
            target.counterPosted(work.counter);
        } else {
            boolean hit = random.nextBoolean();
            long swap = random.nextLong();
            work.expectedResult = casValue;
            sends.compareSwap(work.id, peer().exposed.stag(), 0, hit ? casValue : ~casValue, swap);
            casValue = hit ? swap : casValue;
        }
        sends.into(sinks, slot, 8);
        finish(work);
    }

    private void localOrImmediate() {
        MemoryWindow mine = window;
        if (mine != null && !binding && boundStag == 0 && !mine.isBound()) {
            SimWork work = begin(Operation.BIND_WINDOW, 0, 0, true);
            binding = true;
            sends.bindWindow(
                    work.id,
                    mine,
                    random.nextInt(256),
                    exposed,
                    0,
                    exposed.length(),
                    Set.of(Access.REMOTE_WRITE, Access.REMOTE_READ));
            finish(work);
        } else if (!grants.isEmpty()) {
            grants.removeFirst();
            SimWork work = begin(Operation.IMMEDIATE, 0, 0);
            work.withImmediate = true;
            work.immediate = random.nextLong();
            sends.immediate(work.id, work.immediate);
            finish(work);
        }
    }

    /** Something that must be refused, by us or by the peer; nothing after it can succeed. */
    private void postWrong() {
        mayFail = true;
        SimEnd other = peer();
        int length = 1 + lengthUpTo(budget / 4);
        int kind = random.nextInt(8);
        if (kind == 5 && grants.isEmpty()) {
            kind = 0; // a receive might still come in time
        }
        Operation operation = switch (kind) {
            case 0, 1, 2 -> Operation.RDMA_WRITE;
            case 3 -> Operation.RDMA_READ;
            case 4 -> Operation.FETCH_ADD;
            case 5 -> Operation.SEND;
            case 6 -> Operation.LOCAL_INVALIDATE;
            default -> Operation.RDMA_READ;
        };
        SimWork work = begin(operation, length, 0);
        work.wrong = true;
        int at = 0;
        switch (kind) {
            case 0 -> sends.write(work.id, other.exposed.stag() ^ 0x100, at).from(source, 0, length);
            case 1 ->
                sends.write(work.id, other.exposed.stag(), other.exposed.length() - length + 1)
                        .from(source, 0, length);
            case 2 -> sends.write(work.id, other.source.stag(), at).from(source, 0, length);
            case 3 ->
                sends.read(work.id, other.exposed.stag() ^ 1, at)
                        .into(sinks, 0, 0)
                        .into(sinks, 0, 1);
            case 4 -> sends.fetchAdd(work.id, other.exposed.stag(), 3, 1).into(sinks, 0, 8);
            case 5 -> sends.send(work.id).from(source, 0, grants.removeFirst()).from(source, 0, 1);
            case 6 -> sends.invalidate(work.id, exposed.stag() ^ 0x40);
            default -> sends.read(work.id, other.exposed.stag(), 0).into(source, 0, length);
        }
        finish(work);
    }

    private SimWork begin(Operation operation, int length, int slot) {
        return begin(operation, length, slot, random.nextInt(4) != 0);
    }

    private SimWork begin(Operation operation, int length, int slot, boolean signaled) {
        int patternAt = length >= budget ? 0 : random.nextInt(budget - length + 1);
        return new SimWork(nextId++, operation, signaled, length, patternAt, slot);
    }

    private void finish(SimWork work) {
        if (!work.signaled) {
            sends.unsignaled();
        }
        work.writesBefore = writes.size();
        check(sends.post() == 1, "the send queue was full");
        hasPosted = true;
        inSendQueue.add(work);
        all.add(work);
        if (work.wrong) {
            return;
        }
        if (work.operation == Operation.RDMA_WRITE) {
            writes.add(work);
        }
        if (work.isQueueZeroMessage()) {
            messages.add(work);
        }
    }

    /** All is checked and forgotten, but for the memory that was used: the next connection gets other slots. */
    void restart() {
        queuePair.modify(QueuePairState.IDLE);
        connection = null;
        inSendQueue.clear();
        all.clear();
        writes.clear();
        messages.clear();
        retiredReceives.clear();
        grants.clear();
        delivered = 0;
        operationsLeft = 1 + random.nextInt(20);
        sendError = false;
        receiveError = false;
        ownErrors = 0;
        atError = null;
        lastFence = false;
        binding = false;
        MemoryWindow mine = window;
        boundStag = mine != null && mine.isBound() ? mine.stag() : 0;
        // an answer may have been lost on the way, so that only the memory knows
        casValue = peer().exposed.segment().get(ValueLayout.JAVA_LONG, 0);
    }

    void closeQueuePair() {
        mayFail = true;
        if (boundWindows() == 0) {
            closed = true;
            queuePair.close();
            remember();
        }
    }

    private int boundWindows() {
        MemoryWindow mine = window;
        return mine != null && (mine.isBound() || binding) ? 1 : 0;
    }

    /** The owner takes its memory away; nothing changes it from now on. */
    void closeExposed() {
        mayFail = true;
        if (boundWindows() == 0) {
            exposed.close();
            remember();
        }
    }

    // checkers

    void onEvent(AsyncEvent.OfQueuePair event) {
        check(!(event instanceof AsyncEvent.InProgressLimitReached), "no limit was set");
        check(event.detail().fact().length() > 3, "an event that says nothing: " + event);
        check(!event.detail().fact().contains("bug"), "a bug: " + event);
        remember();
    }

    /** After an error, or the close of the memory, no octet may be placed any more. */
    void remember() {
        if (atError == null) {
            atError = exposed.segment().toArray(ValueLayout.JAVA_BYTE);
        }
    }

    void onCompletion(WorkCompletions batch, int index) {
        Operation operation = batch.operation(index);
        if (operation == Operation.RECEIVE || operation == Operation.RECEIVE_IMMEDIATE) {
            onReceive(batch, index);
        } else {
            onSend(batch, index);
        }
    }

    private void onSend(WorkCompletions batch, int index) {
        long id = batch.id(index);
        SimWork work = inSendQueue.pollFirst();
        while (work != null && work.id != id) {
            check(!work.signaled, "no completion came for " + work);
            check(work.status == null, "twice: " + work);
            succeeded(work);
            work = inSendQueue.pollFirst();
        }
        if (work == null) {
            throw new AssertionError("a completion for nothing: " + batch.describe(index));
        }
        work.status = batch.status(index);
        check(batch.operation(index) == work.operation, "another operation: " + batch.describe(index));
        if (batch.isSuccess(index)) {
            check(work.signaled, "not signalled: " + work);
            check(!sendError, "a success after an error: " + work);
            // a Send or Write is complete when TCP has it; what the peer thinks of it comes later
            boolean oneWay = work.operation == Operation.SEND || work.operation == Operation.RDMA_WRITE;
            check(oneWay || !work.wrong, "this cannot succeed: " + work);
            succeeded(work);
        } else {
            sendError = true;
            failed(batch, index);
            if (work.operation == Operation.BIND_WINDOW) {
                binding = false;
            }
        }
    }

    private void failed(WorkCompletions batch, int index) {
        check(batch.detail(index) != null, "no detail: " + batch.describe(index));
        if (batch.status(index) != CompletionStatus.WR_FLUSH_ERR) {
            ownErrors++;
            check(ownErrors == 1, "more than one request has an error of its own: " + batch.describe(index));
        }
        boolean orderly = queuePair.state() == QueuePairState.IDLE || queuePair.state() == QueuePairState.CLOSING;
        check(mayFail || peer().mayFail || orderly, name + " failed without a reason: " + batch.describe(index));
    }

    private void succeeded(SimWork work) {
        work.status = CompletionStatus.SUCCESS;
        switch (work.operation) {
            case RDMA_READ -> {
                SimMemory.checkComplete(sinks.segment(), work.slot, work.length, peer().key + 1, work.patternAt, work);
                SimMemory.retire(sinks.segment(), work.slot, work.length);
                work.retired = true;
            }
            case FETCH_ADD -> peer().node.counterSeen(work.counter, result(work));
            case COMPARE_SWAP ->
                check(
                        result(work) == work.expectedResult,
                        "CmpSwap gave " + result(work) + " instead of " + work.expectedResult);
            case BIND_WINDOW -> {
                binding = false;
                MemoryWindow mine = window;
                if (mine != null) {
                    boundStag = mine.stag();
                }
            }
            default -> {}
        }
    }

    private long result(SimWork work) {
        return sinks.segment().get(ValueLayout.JAVA_LONG_UNALIGNED, work.slot);
    }

    private void onReceive(WorkCompletions batch, int index) {
        Receive receive = receives == null ? node.takeShared(batch.id(index)) : posted.remove(batch.id(index));
        if (receive == null) {
            throw new AssertionError("a completion for no receive: " + batch.describe(index));
        }
        if (!batch.isSuccess(index)) {
            receiveError = true;
            failed(batch, index);
            return;
        }
        check(!receiveError, "a message was delivered after an error: " + batch.describe(index));
        SimEnd other = peer();
        check(delivered < other.messages.size(), "a message that nobody sent: " + batch.describe(index));
        SimWork message = other.messages.get(delivered++);
        boolean send = message.operation == Operation.SEND;
        check(batch.operation(index) == (send ? Operation.RECEIVE : Operation.RECEIVE_IMMEDIATE), "kind of " + message);
        check(batch.length(index) == (send ? message.length : 0), "length of " + message);
        check(batch.isSolicited(index) == message.solicited, "solicited: " + message);
        check(batch.hasImmediate(index) == message.withImmediate, "immediate data: " + message);
        check(!message.withImmediate || batch.immediate(index) == message.immediate, "immediate data: " + message);
        check(batch.hasInvalidatedStag(index) == (message.invalidatedStag != 0), "invalidated: " + message);
        int octets = send ? message.length : 0;
        SimMemory.checkComplete(receive.memory(), receive.slot(), octets, other.key, message.patternAt, message);
        SimMemory.checkUntouched(receive.memory(), receive.slot() + octets, receive.length() - octets, message);
        SimMemory.retire(receive.memory(), receive.slot(), receive.length());
        retiredReceives.add(receive);
        other.writesArePlaced(message.writesBefore + (send ? 0 : message.operation == Operation.RDMA_WRITE ? 1 : 0));
    }

    /** A message was delivered, so the Writes before it are placed (RFC 5040, section 5.5). */
    private void writesArePlaced(int count) {
        SimEnd other = peer();
        if (other.atError != null) {
            return; // its memory may be closed
        }
        for (int i = 0; i < count; i++) {
            SimWork write = writes.get(i);
            if (!write.retired) {
                SimMemory.checkComplete(other.exposed.segment(), write.slot, write.length, key, write.patternAt, write);
                SimMemory.retire(other.exposed.segment(), write.slot, write.length);
                write.retired = true;
            }
        }
    }

    /** When the connection is over and all completions were taken. */
    void checkAtEnd() {
        for (SimWork work : inSendQueue) {
            check(closed || !work.signaled, "never completed: " + work);
        }
        check(closed || posted.isEmpty(), posted.size() + " receives were never completed");
        checkWrites();
        for (SimWork work : all) {
            if (work.operation == Operation.RDMA_READ && !work.wrong) {
                if (work.retired) {
                    SimMemory.checkRetired(sinks.segment(), work.slot, work.length, work);
                } else {
                    SimMemory.placed(sinks.segment(), work.slot, work.length, peer().key + 1, work.patternAt, work);
                }
            }
        }
        for (Receive receive : retiredReceives) {
            SimMemory.checkRetired(receive.memory(), receive.slot(), receive.length(), receive);
        }
        byte[] then = atError;
        if (then != null) {
            check(
                    exposed.segment().mismatch(MemorySegment.ofArray(then)) == -1,
                    name + ": octets were placed after the error");
        }
        SimMemory.checkComplete(exposed.segment(), WORD, budget, key + 1, 0, "memory that is only read");
        SimMemory.checkComplete(source.segment(), 0, budget, key, 0, "memory that is only sent");
    }

    /** Writes are placed whole and in order, but for the last one. */
    private void checkWrites() {
        MemorySegment memory = peer().exposed.segment();
        boolean cut = false;
        for (SimWork write : writes) {
            if (write.retired) {
                SimMemory.checkRetired(memory, write.slot, write.length, write);
                continue;
            }
            int placed = SimMemory.placed(memory, write.slot, write.length, key, write.patternAt, write);
            check(!cut || placed == 0, "placed behind a Write that is not whole: " + write);
            cut |= placed < write.length;
        }
    }

    /** The connection was closed in order, so all that was posted has happened. */
    void checkEverythingHappened() {
        check(!sendError, name + ": a request failed");
        for (SimWork write : writes) {
            if (!write.retired) {
                SimMemory.checkComplete(
                        peer().exposed.segment(), write.slot, write.length, key, write.patternAt, write);
            }
        }
        check(
                peer().delivered == messages.size(),
                name + ": " + (messages.size() - peer().delivered) + " messages were lost");
    }

    void release() {
        if (!closed) {
            MemoryWindow mine = window;
            if (mine != null) {
                mine.close();
            }
            queuePair.close();
        }
    }

    @Override
    public String toString() {
        return name + " " + queuePair.state() + " " + queuePair.firstCause() + ", connection "
                + (connection == null ? "none" : connection.state() + " " + connection.cause()) + ", " + operationsLeft
                + " operations left, in the send queue " + inSendQueue + ", receives " + posted.size();
    }
}
