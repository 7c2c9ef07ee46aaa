package io.stag.cli.perf;

import io.stag.cli.CommandFailure;
import io.stag.verbs.Access;
import io.stag.verbs.AddressHandle;
import io.stag.verbs.CompletionQueue;
import io.stag.verbs.DatagramInfo;
import io.stag.verbs.DatagramQueuePair;
import io.stag.verbs.DatagramQueuePairConfig;
import io.stag.verbs.DatagramSendRequests;
import io.stag.verbs.MemoryRegion;
import io.stag.verbs.Operation;
import io.stag.verbs.ProgressMode;
import io.stag.verbs.ProtectionDomain;
import io.stag.verbs.ReceiveRequests;
import io.stag.verbs.Rnic;
import io.stag.verbs.RnicConfig;
import io.stag.verbs.WorkCompletions;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteOrder;
import java.nio.channels.DatagramChannel;
import java.time.Duration;
import java.util.EnumSet;

/**
 * What both sides of a datagram test have: an RNIC, memory and a datagram queue pair. The memory holds an area to send from,
 * one to receive into, and words for the questions and answers of {@link ProbedWindow}, which travel as Write-Records so that
 * they touch nothing else.
 */
final class DatagramEnd implements AutoCloseable {
    /** Receives of a side to which one message comes at a time. */
    static final int FEW = 16;

    private static final Duration WAIT = Duration.ofMillis(20);
    /** What to look at when nothing comes. */
    static final String LOST_OR_GONE = "Is it still running, and do datagrams get through?";

    private static final int BATCH = 64;
    private static final int WORD = 64;

    /** Each question has a word of its own: one that comes before the last was looked at must not change what that one asks. */
    private static final int WORDS = 64;

    private static final ValueLayout.OfLong U64 = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    /** Identifier of requests that are the test, as opposed to its questions and answers. */
    static final long MESSAGE = 1;

    private static final long QUESTION = 2;

    /** Takes completions that are successful. */
    interface Handler {
        /** A message of the test came, completely or, as a Write-Record, in part. */
        void arrived(DatagramInfo info, long octets);

        /** A question came, or the answer to one. */
        void probed(DatagramInfo info, long value);

        /** A request of the test was handed to the network. */
        void sent();
    }

    final RunSpec spec;
    final Rnic rnic;
    final MemoryRegion region;
    final MemorySegment memory;
    final DatagramQueuePair queuePair;
    final DatagramSendRequests requests;
    private final ReceiveRequests receives;
    private final CompletionQueue queue;
    private final WorkCompletions completions = WorkCompletions.ofCapacity(BATCH);
    private final MemorySegment word = Arena.ofAuto().allocate(U64);
    private final boolean yields;
    private final boolean polls;
    private final long stride;
    private final long firstWord; // its tagged offset
    private int questions;
    private boolean receivesOwed;
    private final Silence silence = new Silence(LOST_OR_GONE);

    /**
     * Opens.
     *
     * @param address where to receive
     * @param arrivals messages that may arrive before this side looks
     */
    DatagramEnd(RunSpec spec, InetAddress address, int arrivals) {
        this.spec = spec;
        polls = spec.waitMode() == WaitMode.POLL;
        stride = spec.stride();
        // an agent that shares the only processor with a spinning program would wait for the scheduler
        yields = spec.progress() != ProgressMode.INVOKER && Runtime.getRuntime().availableProcessors() < 2;
        rnic = Rnic.open(RnicConfig.builder()
                .name("perf")
                .jmx(false) // starting it would share the processors with what is measured
                .progress(spec.progress())
                .nativeTransport(spec.path() == TransportPath.FFM)
                .build());
        rnic.onAsyncEvent(_ -> {});
        try {
            ProtectionDomain domain = rnic.allocateProtectionDomain();
            region = domain.allocate(
                    2 * stride + WORDS * WORD, EnumSet.of(Access.LOCAL_READ, Access.LOCAL_WRITE, Access.REMOTE_WRITE));
            memory = region.segment();
            firstWord = region.remoteOffset(wordArea(0));
            Content.fill(memory, 0, spec.size());
            int sendDepth = Math.max(spec.depth(), FEW) + FEW;
            queue = rnic.createCompletionQueue(sendDepth + 2 * arrivals + 1);
            queuePair = domain.createDatagramQueuePair(DatagramQueuePairConfig.builder(queue)
                    .address(new InetSocketAddress(address, 0))
                    .sendDepth(sendDepth)
                    .receiveDepth(arrivals)
                    .recordDepth(arrivals)
                    .datagramLength(spec.segment())
                    .maxMessageLength(Math.max(spec.size(), 16 << 20))
                    .flowWindow(spec.flow())
                    .flowReports(spec.flow() > 0)
                    .receiveBuffer(ProbedWindow.RECEIVE_BUFFER)
                    .build());
            requests = queuePair.newSendRequests();
            receives = queuePair.newReceiveRequests();
            for (int i = 0; i < arrivals; i++) {
                receives.receive(i).into(region, receiveArea(), spec.size());
            }
            receives.post();
        } catch (RuntimeException | OutOfMemoryError e) {
            rnic.close();
            throw e;
        }
    }

    /** The address from which this machine talks to a server; its interface decides on the length of datagrams. */
    static InetAddress addressTowards(InetSocketAddress server) throws IOException {
        try (DatagramChannel channel = DatagramChannel.open()) {
            return ((InetSocketAddress) channel.connect(server).getLocalAddress()).getAddress();
        }
    }

    ControlChannel.Buffers buffers() {
        return new ControlChannel.Buffers(region.stag(), region.remoteOffset(0));
    }

    long receiveArea() {
        return stride;
    }

    private long wordArea(int index) {
        return 2 * stride + (long) index * WORD;
    }

    /** Which word a record wrote; negative if it is a message. */
    private int wordOf(DatagramInfo info) {
        return (int) Math.floorDiv(info.taggedOffset() - firstWord, (long) WORD);
    }

    /**
     * Adds what all messages of the test carry to a request and posts it; false when the queue is full. Nobody waits for its
     * completion: that it was sent shows when the peer answers.
     */
    boolean post(DatagramSendRequests request) {
        return request.from(region, 0, spec.size()).unsignaled().post() == 1;
    }

    /** Asks, or answers: the request names the peer's memory by the place of its word. */
    void postProbe(DatagramSendRequests request, long value) {
        word.set(U64, 0, value);
        request.inline(word).unsignaled().post(); // one that finds the queue full is as good as lost, and asked again
    }

    /** Starts a question to a peer. */
    DatagramSendRequests question(AddressHandle peer, ControlChannel.Buffers memoryOfPeer) {
        long place = wordArea(questions++ & WORDS - 1);
        return requests.writeRecord(QUESTION, peer, memoryOfPeer.stag(), memoryOfPeer.offset() + place);
    }

    /** Starts the answer to a question. */
    DatagramSendRequests answer(DatagramInfo question, ControlChannel.Buffers memoryOfPeer) {
        long place = wordArea(wordOf(question));
        return requests.replyRecord(QUESTION, question, memoryOfPeer.stag(), memoryOfPeer.offset() + place);
    }

    /**
     * Takes completions, after the way of waiting that was asked for; may come back without any.
     *
     * @return completions handled
     */
    int poll(Handler handler) {
        if (receivesOwed) {
            receivesOwed = false;
            receives.post(); // not before the next message has left, which somebody waits for
        }
        int count = polls ? queue.poll(completions) : queue.await(completions, WAIT);
        for (int i = 0; i < count; i++) {
            if (!completions.isSuccess(i)) {
                throw new CommandFailure(completions.describe(i), "");
            }
            take(i, handler);
        }
        if (count == 0) {
            pause();
        } else {
            silence.broken();
        }
        return count;
    }

    private void take(int index, Handler handler) {
        Operation operation = completions.operation(index);
        if (operation == Operation.RECEIVE) {
            handler.arrived(completions.datagram(index), completions.length(index));
            receives.receive(completions.id(index)).into(region, receiveArea(), spec.size());
            receivesOwed = true;
        } else if (operation != Operation.WRITE_RECORD) {
            handler.sent();
        } else {
            DatagramInfo info = completions.datagram(index);
            int word = wordOf(info);
            if (word >= 0) {
                handler.probed(info, memory.get(U64, wordArea(word)));
            } else {
                handler.arrived(info, info.validOctets());
            }
        }
    }

    /** Fails when nothing has come for long. To be called now and then while waiting. */
    void checkSilence() {
        silence.check(System.nanoTime());
    }

    boolean isContentRight() {
        return Content.isRight(memory, receiveArea(), spec.size());
    }

    @SuppressWarnings("ThreadPriorityCheck") // the agent next to us needs the processor
    private void pause() {
        if (yields) {
            Thread.yield();
        } else {
            Thread.onSpinWait();
        }
    }

    @Override
    public void close() {
        rnic.close();
    }
}
