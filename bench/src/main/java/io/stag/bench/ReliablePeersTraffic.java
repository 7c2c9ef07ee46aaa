package io.stag.bench;

import io.stag.verbs.Access;
import io.stag.verbs.CompletionQueue;
import io.stag.verbs.MemoryRegion;
import io.stag.verbs.Operation;
import io.stag.verbs.ProgressMode;
import io.stag.verbs.ReceiveRequests;
import io.stag.verbs.ReliableCounters;
import io.stag.verbs.ReliableQueuePair;
import io.stag.verbs.ReliableQueuePairConfig;
import io.stag.verbs.ReliableSendRequests;
import io.stag.verbs.WorkCompletions;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntConsumer;

/**
 * Many reliable datagram queue pairs that each have a message for a server once a minute, and what the thread of the server's
 * RNIC does meanwhile, and when they fall silent.
 */
final class ReliablePeersTraffic implements AutoCloseable {
    private static final String SERVER = "server";
    private static final int MESSAGE = 64;
    private static final int WINDOW = 16;
    private static final int RECEIVES = 1_024;
    private static final int SOCKET_BUFFER = 4 << 10; // of a peer
    private static final int AT_ONCE = 64; // peers that introduce themselves together
    private static final long MINUTE_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final long STALL_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long A_MOMENT_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final Node serverNode = Node.unobserved(SERVER, ProgressMode.SHARED);
    private final Node clientNode = Node.unobserved("client", ProgressMode.SHARED);
    private final List<ReliableSendRequests> peers = new ArrayList<>();
    private final WorkCompletions completions = WorkCompletions.ofCapacity(AT_ONCE);
    private final Duration remember;
    private final CompletionQueue arrivals;
    private final CompletionQueue acknowledged;
    private final ReliableQueuePair server;
    private final ReceiveRequests receives;
    private final MemoryRegion into;
    private final MemoryRegion from;
    private long sent;
    private long arrived;
    private long completed;

    /**
     * What happened in a period.
     *
     * @param messages that arrived
     * @param datagrams that the server received for them
     * @param receiveCalls that brought these
     * @param retransmissions of both sides
     * @param peers that the server remembers at the end
     * @param agent what the server's agent did
     */
    record Period(long messages, long datagrams, long receiveCalls, long retransmissions, int peers, AgentUse agent) {

        /** Times that the agent woke and no datagram had come: timers. */
        long timerWakeUps() {
            return Math.max(0, agent.sleeps() - receiveCalls);
        }
    }

    /** Opens a server that remembers {@code count} peers for as long as {@code remember}. */
    ReliablePeersTraffic(int count, Duration remember) {
        this.remember = remember;
        arrivals = serverNode.rnic.createCompletionQueue(2 * RECEIVES);
        acknowledged = clientNode.rnic.createCompletionQueue(count + 1);
        into = serverNode.domain.allocate(MESSAGE, EnumSet.of(Access.LOCAL_WRITE));
        from = clientNode.domain.allocate(MESSAGE, EnumSet.of(Access.LOCAL_READ));
        server = serverNode.domain.createReliableQueuePair(
                builder(arrivals).receiveDepth(RECEIVES).maxPeers(count).build());
        receives = server.newReceiveRequests();
        postReceives(RECEIVES);
    }

    private ReliableQueuePairConfig.Builder builder(CompletionQueue queue) {
        return ReliableQueuePairConfig.builder(queue)
                .address(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .remember(remember);
    }

    private void postReceives(int count) {
        for (int i = 0; i < count; i++) {
            receives.receive(0).into(into, 0, MESSAGE);
        }
        if (receives.post() != count) {
            throw new Program.Failure("no room for a receive");
        }
    }

    /** Another peer, which says something at once, so that the server knows it. */
    void open(int count, IntConsumer progress) {
        for (int i = 0; i < count; i++) {
            ReliableQueuePair peer = clientNode.domain.createReliableQueuePair(builder(acknowledged)
                    .sendDepth(1)
                    .receiveDepth(1)
                    .window(WINDOW)
                    .maxPeers(1)
                    .errorDepth(1)
                    .sendBuffer(SOCKET_BUFFER)
                    .receiveBuffer(SOCKET_BUFFER)
                    .build());
            ReliableSendRequests requests = peer.newSendRequests();
            peers.add(requests.to(peer.address(server.localAddress())));
            send(i);
            if (sent - completed >= AT_ONCE) {
                awaitAll();
            }
            progress.accept(i + 1);
        }
        awaitAll();
        awaitSilence();
    }

    /** Lets each peer send a message a minute, evenly spread. */
    Period talk(double seconds, IntConsumer progress) {
        return watch(() -> {
            long messages = Math.round(seconds * peers.size() / 60);
            long start = System.nanoTime();
            for (long i = 0; i < messages; i++) {
                sleepUntil(start + Math.round((double) MINUTE_NANOS * i / peers.size()));
                send((int) (i % peers.size()));
                reap();
                progress.accept((int) i + 1);
            }
            awaitAll();
        });
    }

    /** Lets nobody say anything. */
    Period rest(double seconds) {
        awaitSilence();
        return watch(() -> sleepUntil(System.nanoTime() + Math.round(seconds * TimeUnit.SECONDS.toNanos(1))));
    }

    private Period watch(Runnable what) {
        ReliableCounters before = server.counters();
        long repeated = retransmissions();
        long messages = arrived;
        AgentUse use = AgentUse.now(serverNode.rnic, SERVER);
        what.run();
        use = AgentUse.now(serverNode.rnic, SERVER).minus(use);
        ReliableCounters after = server.counters();
        return new Period(
                arrived - messages,
                after.datagramsReceived() - before.datagramsReceived(),
                after.receiveCalls() - before.receiveCalls(),
                retransmissions() - repeated,
                after.peers(),
                use);
    }

    private long retransmissions() {
        return server.counters().retransmissions()
                + clientNode.rnic.snapshot().reliableTotals().retransmissions();
    }

    private void send(int peer) {
        if (peers.get(peer).send(peer).from(from, 0, MESSAGE).post() != 1) {
            throw new Program.Failure("peer " + peer + " waits for an acknowledgement since its last message");
        }
        sent++;
    }

    /** Takes completions without waiting in a queue, which would do the work of the agent's thread. */
    private void reap() {
        completed += take(acknowledged, Operation.SEND);
        int came = take(arrivals, Operation.RECEIVE);
        arrived += came;
        postReceives(came);
    }

    private int take(CompletionQueue queue, Operation expected) {
        int all = 0;
        for (int count = queue.poll(completions); count > 0; count = queue.poll(completions)) {
            for (int i = 0; i < count; i++) {
                if (!completions.isSuccess(i) || completions.operation(i) != expected) {
                    throw new Program.Failure(completions.describe(i));
                }
            }
            all += count;
        }
        return all;
    }

    private void awaitAll() {
        long deadline = System.nanoTime() + STALL_NANOS;
        reap();
        while (completed < sent || arrived < sent) {
            LockSupport.parkNanos(A_MOMENT_NANOS);
            reap();
            if (System.nanoTime() - deadline > 0) {
                throw new Program.Failure(
                        "of " + sent + " messages " + arrived + " arrived and " + completed + " were acknowledged");
            }
        }
    }

    private void awaitSilence() {
        long deadline = System.nanoTime() + STALL_NANOS;
        while (server.counters().activePeers() > 0) {
            LockSupport.parkNanos(A_MOMENT_NANOS);
            if (System.nanoTime() - deadline > 0) {
                throw new Program.Failure("peers seem to talk on: " + server.counters());
            }
        }
    }

    private static void sleepUntil(long nanos) {
        for (long left = nanos - System.nanoTime(); left > 0; left = nanos - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    @Override
    public void close() {
        clientNode.close();
        serverNode.close();
    }
}
