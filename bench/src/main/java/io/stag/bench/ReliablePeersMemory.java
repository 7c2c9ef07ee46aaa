package io.stag.bench;

import io.stag.verbs.Access;
import io.stag.verbs.CompletionQueue;
import io.stag.verbs.MemoryRegion;
import io.stag.verbs.Operation;
import io.stag.verbs.ProgressMode;
import io.stag.verbs.ReliableQueuePair;
import io.stag.verbs.ReliableQueuePairConfig;
import io.stag.verbs.WorkCompletions;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.BitSet;
import java.util.EnumSet;
import java.util.function.IntConsumer;

/**
 * What one reliable datagram queue pair remembers of peers that it talked to. Each peer sends a message in several datagrams,
 * gets one back, and is closed when both ends know that everything arrived.
 */
final class ReliablePeersMemory {
    private static final int MESSAGE = 3_000;
    private static final int ANSWER = 64;
    private static final int DATAGRAM = 1_472;
    private static final int DEPTH = 16;
    private static final int COMPLETIONS_OF_A_TALK = 4; // a request and a receive at each end
    private static final long LIMIT_NANOS = 5_000_000_000L;
    private static final int PEERS_PER_ADDRESS = 16_384; // the system has to find a port that was not used before
    private static final Duration REMEMBER = Duration.ofMinutes(10);

    private final BitSet usedPorts = new BitSet(1 << 16); // by peers of the address in use
    private final WorkCompletions completions = WorkCompletions.ofCapacity(DEPTH);

    /**
     * The server's memory.
     *
     * @param alone with its queue pair that knows nobody
     * @param grown with all peers remembered and nothing on its way
     * @param peers how many it remembers
     */
    record Result(MemoryUse alone, MemoryUse grown, int peers) {
        double octetsPerPeer() {
            return (grown.total() - alone.total()) / (double) peers;
        }
    }

    /** The end that stays: its queue pair and the buffer that it receives into and answers from. */
    private record Server(Node node, CompletionQueue queue, ReliableQueuePair queuePair, MemoryRegion buffer) {
        static Server open(Node node, MemoryRegion buffer, int peers) {
            CompletionQueue queue = node.rnic.createCompletionQueue(4 * DEPTH);
            var server = new Server(node, queue, ReliablePeersMemory.open(node, queue, loopback(0), peers), buffer);
            server.postReceive();
            return server;
        }

        void postReceive() {
            queuePair.newReceiveRequests().receive(0).into(buffer, 0, MESSAGE).post();
        }

        void close() {
            queuePair.close();
            queue.close();
        }
    }

    private static ReliableQueuePair open(Node node, CompletionQueue queue, InetAddress address, int peers) {
        return node.domain.createReliableQueuePair(ReliableQueuePairConfig.builder(queue)
                .address(new InetSocketAddress(address, 0))
                .sendDepth(DEPTH)
                .receiveDepth(DEPTH)
                .datagramLength(DATAGRAM)
                .maxPeers(peers)
                .remember(REMEMBER)
                .build());
    }

    private static InetAddress loopback(int index) {
        return InetAddress.ofLiteral("127.0.0." + (index + 1));
    }

    /** A queue pair at an address that no peer had before. */
    private ReliableQueuePair openPeer(Node node, CompletionQueue queue, int index) {
        if (index % PEERS_PER_ADDRESS == 0) {
            usedPorts.clear();
        }
        while (true) {
            ReliableQueuePair peer = open(node, queue, loopback(index / PEERS_PER_ADDRESS), 1);
            int port = peer.localAddress().getPort();
            if (!usedPorts.get(port)) {
                usedPorts.set(port);
                return peer;
            }
            peer.close();
        }
    }

    /** Lets {@code peers} of them come and go; {@code progress} is told how many did. */
    Result measure(int peers, IntConsumer progress) {
        try (Node serverNode = Node.unobserved("server", ProgressMode.INVOKER);
                Node client = Node.unobserved("client", ProgressMode.INVOKER)) {
            MemoryRegion into = serverNode.domain.allocate(MESSAGE, EnumSet.of(Access.LOCAL_READ, Access.LOCAL_WRITE));
            MemoryRegion from = client.domain.allocate(MESSAGE, EnumSet.of(Access.LOCAL_READ, Access.LOCAL_WRITE));
            Server trial = Server.open(serverNode, into, 1);
            talk(client, from, trial, 0); // everything that exists once is there
            trial.close();
            MemoryUse none = MemoryUse.now();
            Server server = Server.open(serverNode, into, peers);
            MemoryUse alone = MemoryUse.now().minus(none);
            for (int i = 0; i < peers; i++) {
                talk(client, from, server, i);
                progress.accept(i + 1);
            }
            awaitSilence(server);
            MemoryUse grown = MemoryUse.now().minus(none);
            int known = server.queuePair.counters().peers();
            if (known < peers) {
                throw new Program.Failure("the server remembers " + known + " of " + peers + " peers");
            }
            return new Result(alone, grown, known);
        }
    }

    /** A new peer says what it has to say, hears the answer and is gone. */
    private void talk(Node client, MemoryRegion from, Server server, int index) {
        CompletionQueue own = client.rnic.createCompletionQueue(DEPTH);
        try (ReliableQueuePair peer = openPeer(client, own, index)) {
            peer.newReceiveRequests().receive(0).into(from, 0, ANSWER).post();
            peer.newSendRequests()
                    .to(peer.address(server.queuePair.localAddress()))
                    .send(1)
                    .from(from, 0, MESSAGE)
                    .post();
            int missing = COMPLETIONS_OF_A_TALK;
            long deadline = System.nanoTime() + LIMIT_NANOS;
            while (missing > 0) {
                missing -= reap(own) + serve(server);
                if (System.nanoTime() - deadline > 0) {
                    throw new Program.Failure("a peer's messages did not arrive: " + server.queuePair.counters());
                }
            }
        }
        own.close();
    }

    private int serve(Server server) {
        int count = reap(server.queue);
        for (int i = 0; i < count; i++) {
            if (completions.operation(i) == Operation.RECEIVE) {
                server.postReceive();
                server.queuePair
                        .newSendRequests()
                        .to(completions.datagram(i))
                        .send(2)
                        .from(server.buffer, 0, ANSWER)
                        .post();
            }
        }
        return count;
    }

    private int reap(CompletionQueue queue) {
        int count = queue.poll(completions);
        for (int i = 0; i < count; i++) {
            if (!completions.isSuccess(i)) {
                throw new Program.Failure(completions.describe(i));
            }
        }
        return count;
    }

    /** What is kept for peers that may go on talking is given back a moment after they stopped. */
    private static void awaitSilence(Server server) {
        long deadline = System.nanoTime() + LIMIT_NANOS;
        while (server.queuePair.counters().activePeers() > 0) {
            server.node.rnic.progress();
            if (System.nanoTime() - deadline > 0) {
                throw new Program.Failure("peers seem to talk on: " + server.queuePair.counters());
            }
        }
    }
}
