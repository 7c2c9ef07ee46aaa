package io.stag.testkit;

import io.stag.verbs.Access;
import io.stag.verbs.CompletionQueue;
import io.stag.verbs.MemoryRegion;
import io.stag.verbs.Operation;
import io.stag.verbs.ProtectionDomain;
import io.stag.verbs.ReceiveRequests;
import io.stag.verbs.ReliableQueuePair;
import io.stag.verbs.ReliableQueuePairConfig;
import io.stag.verbs.ReliableSendRequests;
import io.stag.verbs.Rnic;
import io.stag.verbs.WorkCompletions;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/**
 * A process of {@link NamespaceReliableIT}. The client sends numbered messages of different lengths, the server answers each
 * with one of its own that also tells where its memory is; between rounds of them the client writes there, reads it back, and
 * counts.
 */
final class LossyPathProgram {
    private static final InetSocketAddress SERVER = new InetSocketAddress(InetAddress.ofLiteral("10.83.84.2"), 5_354);
    private static final InetSocketAddress CLIENT = new InetSocketAddress(InetAddress.ofLiteral("10.83.84.1"), 0);
    private static final Duration LIMIT = Duration.ofSeconds(15);
    private static final int ROUNDS = 100;
    private static final int ROUND = 10; // messages
    private static final int MESSAGES = (1 + ROUNDS) * ROUND; // the first round tells where to write
    private static final int LONGEST = 4_000;
    private static final int HEADER = 24; // of a message: number, STag, offset
    private static final int COUNTER = 0; // where in the server's memory
    private static final int WRITTEN = 64;
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED;

    private final CompletionQueue queue;
    private final ReliableQueuePair queuePair;
    private final ReliableSendRequests requests;
    private final ReceiveRequests receives;
    private final MemoryRegion incoming;
    private final MemoryRegion outgoing;
    private final MemoryRegion shared;
    private final WorkCompletions completions = WorkCompletions.ofCapacity(ROUND);
    private final Map<Operation, Integer> completed = new EnumMap<>(Operation.class);
    private int received;
    private int serverStag;
    private long serverOffset;

    private LossyPathProgram(Rnic rnic, InetSocketAddress address) {
        ProtectionDomain domain = rnic.allocateProtectionDomain();
        queue = rnic.createCompletionQueue(256);
        queuePair = domain.createReliableQueuePair(ReliableQueuePairConfig.builder(queue)
                .address(address)
                .offload(false) // so that datagrams get lost one by one
                .build());
        incoming = domain.allocate((long) ROUND * LONGEST, EnumSet.of(Access.LOCAL_WRITE));
        outgoing = domain.allocate((long) ROUND * LONGEST, EnumSet.of(Access.LOCAL_READ, Access.LOCAL_WRITE));
        shared = domain.allocate(WRITTEN + LONGEST, EnumSet.allOf(Access.class));
        requests = queuePair.newSendRequests();
        receives = queuePair.newReceiveRequests();
        for (int i = 0; i < ROUND; i++) {
            postReceive(i);
        }
    }

    /** Argument: {@code server} or {@code client}. */
    public static void main(String[] arguments) {
        boolean server = arguments[0].equals("server");
        try (Rnic rnic = Rnic.open()) {
            LossyPathProgram program = new LossyPathProgram(rnic, server ? SERVER : CLIENT);
            if (server) {
                program.serve();
            } else {
                program.ask();
            }
            while (program.queuePair.counters().activePeers() > 0) {
                LockSupport.parkNanos(1_000_000); // the other end may have missed our last acknowledgement
            }
        }
    }

    private void serve() {
        System.out.println("ready");
        while (received < MESSAGES || done(Operation.SEND) < MESSAGES) {
            poll(true);
        }
        System.out.println(
                received + " messages, counted to " + shared.segment().get(WORD, COUNTER) + repeats());
    }

    private void ask() {
        requests.to(queuePair.address(SERVER));
        for (int round = 0; round <= ROUNDS; round++) {
            if (round > 0) {
                useMemory(round);
            }
            for (int i = 0; i < ROUND; i++) {
                send(round * ROUND + i);
            }
            while (received < (round + 1) * ROUND || done(Operation.SEND) < (round + 1) * ROUND) {
                poll(false);
            }
        }
        System.out.println(
                "client: " + received + " messages there and back, " + done(Operation.RDMA_WRITE) + " Writes, "
                        + done(Operation.RDMA_READ) + " Reads, " + done(Operation.FETCH_ADD) + " atomics" + repeats());
    }

    private String repeats() {
        return queuePair.counters().retransmissions() > 0 ? ", some sent again" : ", none sent again";
    }

    /** A Write, a Read that finds what was written, and an atomic operation that finds what the one before left. */
    private void useMemory(int round) {
        int length = length(round);
        fill(outgoing.segment(), 0, length, round);
        requests.write(0, serverStag, serverOffset + WRITTEN)
                .from(outgoing, 0, length)
                .read(0, serverStag, serverOffset + WRITTEN)
                .into(shared, WRITTEN, length)
                .fetchAdd(0, serverStag, serverOffset + COUNTER, 1)
                .into(shared, COUNTER, Long.BYTES)
                .post();
        while (done(Operation.FETCH_ADD) < round) {
            poll(false);
        }
        check(done(Operation.RDMA_WRITE) == round && done(Operation.RDMA_READ) == round, "they complete in order");
        check(isRight(shared.segment(), WRITTEN, length, round), "what was read in round " + round + " is wrong");
        check(shared.segment().get(WORD, COUNTER) == round - 1, "the counter is wrong in round " + round);
    }

    private void send(int number) {
        long at = (long) (number % ROUND) * LONGEST;
        int length = length(number);
        outgoing.segment().set(WORD, at, number);
        outgoing.segment().set(WORD, at + Long.BYTES, shared.stag());
        outgoing.segment().set(WORD, at + 2 * Long.BYTES, shared.remoteOffset(0));
        fill(outgoing.segment(), at + HEADER, length - HEADER, number);
        check(requests.send(number).from(outgoing, at, length).post() == 1, "no room for message " + number);
    }

    private void poll(boolean answers) {
        int count = queue.await(completions, LIMIT);
        check(count > 0, "nothing happens any more: " + queuePair.counters());
        for (int i = 0; i < count; i++) {
            check(completions.isSuccess(i), completions.describe(i));
            Operation operation = completions.operation(i);
            if (operation != Operation.RECEIVE) {
                completed.merge(operation, 1, Integer::sum);
                continue;
            }
            receive((int) completions.id(i), completions.length(i));
            if (answers) {
                requests.to(completions.datagram(i));
                send(received - 1);
            }
        }
    }

    /** The messages have numbers, so one that is missing, comes twice or too early shows. */
    private void receive(int buffer, long length) {
        long at = (long) buffer * LONGEST;
        long number = incoming.segment().get(WORD, at);
        check(number == received, "message " + number + " came in place of " + received);
        check(length == length(received), "message " + number + " has " + length + " octets");
        check(isRight(incoming.segment(), at + HEADER, length - HEADER, number), "message " + number + " is wrong");
        serverStag = (int) incoming.segment().get(WORD, at + Long.BYTES);
        serverOffset = incoming.segment().get(WORD, at + 2 * Long.BYTES);
        received++;
        postReceive(buffer);
    }

    private void postReceive(int buffer) {
        receives.receive(buffer)
                .into(incoming, (long) buffer * LONGEST, LONGEST)
                .post();
    }

    private int done(Operation operation) {
        return completed.getOrDefault(operation, 0);
    }

    private static int length(int number) {
        return HEADER + number * 37 % (LONGEST - HEADER);
    }

    private static void fill(MemorySegment segment, long at, long length, long number) {
        for (long i = 0; i < length; i++) {
            segment.set(ValueLayout.JAVA_BYTE, at + i, octet(number, i));
        }
    }

    private static boolean isRight(MemorySegment segment, long at, long length, long number) {
        for (long i = 0; i < length; i++) {
            if (segment.get(ValueLayout.JAVA_BYTE, at + i) != octet(number, i)) {
                return false;
            }
        }
        return true;
    }

    private static byte octet(long number, long index) {
        return (byte) (31 * number + index);
    }

    private static void check(boolean right, String complaint) {
        if (!right) {
            throw new IllegalStateException(complaint);
        }
    }
}
