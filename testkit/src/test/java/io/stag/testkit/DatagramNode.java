package io.stag.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.verbs.Access;
import io.stag.verbs.AddressHandle;
import io.stag.verbs.CompletionQueue;
import io.stag.verbs.DatagramCounters;
import io.stag.verbs.DatagramInfo;
import io.stag.verbs.DatagramQueuePair;
import io.stag.verbs.DatagramQueuePairConfig;
import io.stag.verbs.DatagramSendRequests;
import io.stag.verbs.MemoryRegion;
import io.stag.verbs.ProtectionDomain;
import io.stag.verbs.ReceiveRequests;
import io.stag.verbs.Rnic;
import io.stag.verbs.ValidityMap;
import io.stag.verbs.WorkCompletions;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A datagram queue pair of a simulated run, and what must be true of everything that reaches it. Targets of Write-Records are
 * used once, so memory itself tells what was placed: what a record calls valid holds the message, everything else is zero.
 */
final class DatagramNode {
    static final int RECEIVES = 24;
    static final int LONGEST_SEND = 9_000;
    static final int TARGET = 1 << 20;
    static final int MAX_OPEN = 12;
    static final int HEADER = 8; // of a Send: number of its message

    private static final int GUARD = 128;

    /** A message on its way, known to the run but not to the engines. */
    record Message(int number, int from, int to, boolean write, long offset, int length) {}

    final int index;
    final DatagramQueuePair queuePair;
    final MemoryRegion target;

    private final String hint;
    private final CompletionQueue queue;
    private final MemoryRegion source;
    private final MemoryRegion buffers;
    private final MemorySegment targetWithGuards;
    private final DatagramSendRequests requests;
    private final ReceiveRequests receives;
    private final WorkCompletions completions = WorkCompletions.ofCapacity(7);
    private final Map<Integer, AddressHandle> peers = new HashMap<>();
    private final List<Message> delivered = new ArrayList<>();
    private final List<byte[]> handedOn = new ArrayList<>(); // what records named when they came
    private final List<Message> recorded = new ArrayList<>();
    private final boolean[] valid = new boolean[TARGET / DatagramInfo.BLOCK];
    private long nextTarget = 7; // targets begin anywhere in a block
    private long sourceUsed;
    private int added;
    long sends;
    long writes;
    long partial;

    DatagramNode(int index, Rnic rnic, SimulatedRnics simulation, int datagramLength, String hint) {
        this.index = index;
        this.hint = hint;
        ProtectionDomain domain = rnic.allocateProtectionDomain();
        queue = rnic.createCompletionQueue(4_096);
        queuePair = domain.createDatagramQueuePair(DatagramQueuePairConfig.builder(queue)
                .address(simulation.address(index, 0))
                .datagramLength(datagramLength)
                .receiveDepth(RECEIVES)
                .sendDepth(256)
                .recordDepth(1_000)
                .maxOpenMessages(MAX_OPEN)
                .maxOpenMessagesPerSource(8)
                .maxReassemblyOctets(8_192)
                .build());
        Arena arena = Arena.ofAuto();
        targetWithGuards = arena.allocate(TARGET + 2L * GUARD, 64);
        target = domain.register(
                targetWithGuards.asSlice(GUARD, TARGET), EnumSet.of(Access.LOCAL_WRITE, Access.REMOTE_WRITE));
        source = domain.allocate(TARGET, EnumSet.of(Access.LOCAL_READ));
        buffers = domain.allocate((long) RECEIVES * LONGEST_SEND, EnumSet.of(Access.LOCAL_WRITE));
        requests = queuePair.newSendRequests();
        receives = queuePair.newReceiveRequests();
        for (int i = 0; i < RECEIVES; i++) {
            receives.receive(i).into(buffers, (long) i * LONGEST_SEND, LONGEST_SEND);
        }
        receives.post();
    }

    static byte pattern(int number, long at) {
        return (byte) (1 + Math.floorMod(number * 31L + at * 7 + at / 64, 255)); // never zero
    }

    /** Reserves memory for a Write-Record to this node. */
    long reserveTarget(int length, int gap) {
        long at = nextTarget;
        nextTarget += length + gap;
        return nextTarget <= TARGET ? at : -1;
    }

    /** Adds a message to those that {@link #post} sends. */
    void add(Message message, DatagramNode to, List<Message> all) {
        MemorySegment memory = source.segment().asSlice(sourceUsed, message.length());
        if (!message.write()) {
            memory.set(ValueLayout.JAVA_LONG_UNALIGNED, 0, message.number());
        }
        for (int i = message.write() ? 0 : HEADER; i < message.length(); i++) {
            memory.set(ValueLayout.JAVA_BYTE, i, pattern(message.number(), i));
        }
        AddressHandle handle = peers.computeIfAbsent(to.index, _ -> queuePair.address(to.queuePair.localAddress()));
        if (message.write()) {
            requests.writeRecord(message.number(), handle, to.target.stag(), message.offset());
        } else {
            requests.send(message.number(), handle);
        }
        requests.from(source, sourceUsed, message.length()).unsignaled();
        sourceUsed += message.length();
        added++;
        all.add(message);
    }

    void post() {
        assertThat(requests.post()).as(hint).isEqualTo(added);
        added = 0;
        sourceUsed = 0;
    }

    /** A Write-Record that must be refused. */
    void postForbidden(DatagramNode to, int stag, long offset, int length) {
        AddressHandle handle = peers.computeIfAbsent(to.index, _ -> queuePair.address(to.queuePair.localAddress()));
        requests.writeRecord(-1, handle, stag, offset)
                .from(source, 0, length)
                .unsignaled()
                .post();
    }

    void poll(List<Message> all, List<DatagramNode> nodes) {
        while (queue.poll(completions) > 0) {
            for (int i = 0; i < completions.size(); i++) {
                assertThat(completions.isSuccess(i))
                        .as("%s, %s", completions.describe(i), hint)
                        .isTrue();
                switch (completions.operation(i)) {
                    case RECEIVE -> received(i, all, nodes);
                    case WRITE_RECORD -> recorded(completions.datagram(i), completions.length(i), all, nodes);
                    default -> throw new AssertionError(completions.describe(i));
                }
            }
        }
        DatagramCounters counters = queuePair.counters();
        assertThat(counters.openMessages()).as(hint).isLessThanOrEqualTo(MAX_OPEN);
        assertThat(counters.reassemblyOctets()).as(hint).isLessThanOrEqualTo(8_192 + 2_048);
    }

    private void received(int at, List<Message> all, List<DatagramNode> nodes) {
        int buffer = (int) completions.id(at);
        long start = (long) buffer * LONGEST_SEND;
        MemorySegment memory = buffers.segment();
        int number = (int) memory.get(ValueLayout.JAVA_LONG_UNALIGNED, start);
        Message message = all.get(number);
        assertThat(message.to()).as(hint).isEqualTo(index);
        assertThat(message.write()).as(hint).isFalse();
        assertThat(completions.length(at)).as(hint).isEqualTo(message.length());
        assertThat(completions.datagram(at).source())
                .as(hint)
                .isEqualTo(nodes.get(message.from()).queuePair.localAddress());
        for (int i = HEADER; i < message.length(); i++) {
            if (memory.get(ValueLayout.JAVA_BYTE, start + i) != pattern(number, i)) {
                throw new AssertionError("octet " + i + " of " + message + "; " + hint);
            }
        }
        assertThat(delivered).as("delivered twice, %s", hint).doesNotContain(message);
        delivered.add(message);
        sends++;
        receives.receive(buffer).into(buffers, start, LONGEST_SEND).post();
    }

    private void recorded(DatagramInfo info, long placed, List<Message> all, List<DatagramNode> nodes) {
        assertThat(info.stag()).as(hint).isEqualTo(target.stag());
        Message message = all.stream()
                .filter(m -> m.write() && m.to() == index && m.offset() == info.taggedOffset())
                .findFirst()
                .orElseThrow(() -> new AssertionError("nobody wrote to " + info.taggedOffset() + "; " + hint));
        assertThat(info.messageLength()).as(hint).isEqualTo(message.length());
        assertThat(info.source())
                .as(hint)
                .isEqualTo(nodes.get(message.from()).queuePair.localAddress());
        assertThat(recorded).as("recorded twice, %s", hint).doesNotContain(message);
        MemorySegment memory = target.segment();
        long there = 0;
        for (int i = 0; i < message.length(); i++) {
            boolean is = info.isValid(i);
            there += is ? 1 : 0;
            byte expected = is ? pattern(message.number(), i) : 0;
            if (memory.get(ValueLayout.JAVA_BYTE, message.offset() + i) != expected) {
                throw new AssertionError("octet " + i + " of " + message + ", valid " + is + "; " + hint);
            }
        }
        assertThat(there)
                .as(hint)
                .isEqualTo(placed)
                .isEqualTo(info.validOctets())
                .isPositive();
        noteValid(message, info);
        recorded.add(message);
        handedOn.add(memory.asSlice(message.offset(), message.length()).toArray(ValueLayout.JAVA_BYTE));
        writes++;
        partial += info.isComplete() ? 0 : 1;
    }

    private void noteValid(Message message, DatagramInfo info) {
        long first = message.offset() / DatagramInfo.BLOCK;
        long last = (message.offset() + message.length() - 1) / DatagramInfo.BLOCK;
        for (long block = first; block <= last; block++) {
            long from = Math.max(block * DatagramInfo.BLOCK - message.offset(), 0);
            long to = Math.min((block + 1) * DatagramInfo.BLOCK - message.offset(), message.length());
            valid[(int) block] |= info.isValid(from) && info.isValid(to - 1);
        }
    }

    /** At the end, when nothing is under way any more. */
    void checkAtRest() {
        DatagramCounters counters = queuePair.counters();
        assertThat(counters.openMessages()).as(hint).isZero();
        assertThat(counters.completionsLost()).as(hint).isZero();
        assertThat(counters.recordsNotQueued()).as(hint).isZero();
        for (int i = 0; i < recorded.size(); i++) {
            Message message = recorded.get(i);
            assertThat(target.segment()
                            .asSlice(message.offset(), message.length())
                            .toArray(ValueLayout.JAVA_BYTE))
                    .as("memory that was handed on, %s, %s", message, hint)
                    .isEqualTo(handedOn.get(i));
        }
        checkMap();
        checkRestIsZero();
    }

    private void checkMap() {
        ValidityMap map = ValidityMap.ofLength(TARGET);
        queuePair.pollValidity(target, 0, TARGET, map);
        for (int block = 0; block < valid.length; block++) {
            assertThat(map.isValid((long) block * DatagramInfo.BLOCK))
                    .as("block %d, %s", block, hint)
                    .isEqualTo(valid[block]);
        }
    }

    private void checkRestIsZero() {
        boolean[] named = new boolean[TARGET];
        for (Message message : recorded) {
            Arrays.fill(named, (int) message.offset(), (int) message.offset() + message.length(), true);
        }
        for (int i = -GUARD; i < TARGET + GUARD; i++) {
            boolean inside = i >= 0 && i < TARGET && named[i];
            if (!inside && targetWithGuards.get(ValueLayout.JAVA_BYTE, i + (long) GUARD) != 0) {
                throw new AssertionError("octet " + i + " was written by nobody; " + hint);
            }
        }
    }
}
