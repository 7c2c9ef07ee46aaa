package io.stag.bench;

import io.stag.verbs.Access;
import io.stag.verbs.AddressHandle;
import io.stag.verbs.CompletionQueue;
import io.stag.verbs.DatagramQueuePair;
import io.stag.verbs.DatagramQueuePairConfig;
import io.stag.verbs.MemoryRegion;
import io.stag.verbs.Operation;
import io.stag.verbs.ProgressMode;
import io.stag.verbs.QueuePair;
import io.stag.verbs.WorkCompletions;
import io.stag.verbs.cm.ConnectionConfig;
import io.stag.verbs.cm.Listener;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What many peers cost a server: one queue pair without connections that hears them all, beside a connection for each. */
@Command(
        name = "many-peers",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        header = "A server with many peers: memory of one datagram queue pair beside many connections, and timers.",
        description = {
            "Each peer is a datagram queue pair that sends a message in several datagrams and a Write-Record, and is"
                + " closed when they have arrived, so that what grows is the server's memory of it. Then as many"
                + " connections are made over loopback; of their memory half is the server's. Memory is what the Java"
                + " heap and direct buffers hold after a garbage collection; sockets of the system come on top: one"
                + " for the datagrams, one per connection.",
            "A peer of a reliable datagram queue pair gets an answer to its message, too. For the traffic all of them"
                + " are there at once, in this process, so each needs a socket (see ulimit -n) and some of the heap."
                + " They are introduced, then each sends a message a minute, evenly spread, then none says anything."
                + " What the thread of the server's RNIC does meanwhile is shown: how often it woke, how often of"
                + " these because of a timer (no datagram had come), and its processor time. A timer for each peer"
                + " that ran again and again would show as wake-ups of the idle server; one for each datagram as many"
                + " wake-ups per message."
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:all messages arrived", "1:not so", "2:wrong usage"})
public final class ManyPeers implements Callable<Integer> {
    /** What can be measured. */
    enum Part {
        /** Of datagrams, reliable datagrams, and connections. */
        MEMORY,
        /** Of reliable datagrams: timers, processor time. */
        TRAFFIC
    }

    private static final int MESSAGE = 3_000;
    private static final int DATAGRAM = 1_472;
    private static final int DEPTH = 16;
    private static final long LIMIT_NANOS = 5_000_000_000L;
    private static final long SECOND_NANOS = 1_000_000_000L;
    private static final int INTRODUCTION_SECONDS = 60; // until all peers are there
    private static final int LONGEST_SECONDS = 500;
    private static final double GIGA = 1e9;
    private static final double KIBI = 1024;

    @Spec
    private CommandSpec spec;

    @Option(names = "--peers", description = "How many. Default: ${DEFAULT-VALUE}.")
    private int peers = 10_000;

    @Option(
            names = "--connections",
            description = "How many connections to measure; what they cost is scaled to the number of peers. Each needs"
                    + " two sockets in this process. Default: as many as peers, at most 2,000.")
    private @Nullable Integer connections;

    @Option(
            names = "--parts",
            split = ",",
            description = "What to measure: ${COMPLETION-CANDIDATES}. Default: all, about two minutes.")
    private Set<Part> parts = EnumSet.allOf(Part.class);

    @Option(
            names = "--seconds",
            description = "How long peers send a message a minute each. Default: ${DEFAULT-VALUE}.")
    private double seconds = 60;

    @Option(
            names = "--idle-seconds",
            description = "How long to watch the server while none does. Default: ${DEFAULT-VALUE}.")
    private double idleSeconds = 30;

    private final WorkCompletions completions = WorkCompletions.ofCapacity(DEPTH);

    /** For picocli. */
    public ManyPeers() {}

    /** Runs the command. */
    public static void main(String[] args) {
        Program.main(new ManyPeers(), args);
    }

    @Override
    public Integer call() {
        int made = connections == null ? Math.min(peers, 2_000) : connections;
        if (peers < 1 || made < 1) {
            throw new ParameterException(spec.commandLine(), "--peers and --connections must be 1 or more");
        }
        if (!(seconds > 0 && idleSeconds > 0 && seconds + idleSeconds <= LONGEST_SECONDS)) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--seconds and --idle-seconds must be more than 0 and together at most " + LONGEST_SECONDS
                            + ", so that no peer is forgotten meanwhile");
        }
        if (parts.contains(Part.MEMORY)) {
            measureMemory(made);
        }
        if (parts.contains(Part.TRAFFIC)) {
            measureTraffic();
        }
        return Program.DONE;
    }

    private void measureMemory(int made) {
        double datagrams = measureDatagrams();
        measureReliable();
        double perConnection = measureConnections(made);
        print(
                "%d connections at that rate: %.0f KiB; the datagram queue pair needs %.1f %% less",
                peers, perConnection * peers, 100 * (1 - datagrams / (perConnection * peers)));
    }

    private static Node node(String name) {
        return Node.unobserved(name, ProgressMode.INVOKER);
    }

    // one datagram queue pair

    /** KiB that the server needs for its queue pair and all peers. */
    private double measureDatagrams() {
        try (Node server = node("server");
                Node client = node("client")) {
            MemoryRegion into = server.domain.allocate(MESSAGE, EnumSet.of(Access.LOCAL_WRITE, Access.REMOTE_WRITE));
            MemoryRegion from = client.domain.allocate(MESSAGE, EnumSet.of(Access.LOCAL_READ));
            openAndClose(client, server, from, into); // everything that exists once is there
            MemoryUse none = MemoryUse.now();
            CompletionQueue queue = server.rnic.createCompletionQueue(4 * DEPTH);
            DatagramQueuePair target = open(server, queue, Math.max(peers + 1, 16_384));
            postReceives(target, into);
            MemoryUse fixed = MemoryUse.now().minus(none);
            for (int i = 0; i < peers; i++) {
                talk(client, from, queue, target, into);
            }
            MemoryUse grown = MemoryUse.now().minus(none);
            int known = target.counters().sources();
            if (known < peers) {
                throw new Program.Failure("the server remembers " + known + " of " + peers + " peers");
            }
            print("one datagram queue pair: %.0f KiB heap and direct", fixed.total() / KIBI);
            print(
                    "with %d peers that were heard: %.0f KiB, %.0f octets for each peer",
                    known, grown.total() / KIBI, (grown.total() - fixed.total()) / (double) known);
            return grown.total() / KIBI;
        }
    }

    private void openAndClose(Node client, Node server, MemoryRegion from, MemoryRegion into) {
        CompletionQueue queue = server.rnic.createCompletionQueue(4 * DEPTH);
        try (DatagramQueuePair target = open(server, queue, 16)) {
            postReceives(target, into);
            talk(client, from, queue, target, into);
        }
        queue.close();
    }

    private static DatagramQueuePair open(Node node, CompletionQueue queue, int sources) {
        return node.domain.createDatagramQueuePair(DatagramQueuePairConfig.builder(queue)
                .address(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .sendDepth(DEPTH)
                .receiveDepth(DEPTH)
                .datagramLength(DATAGRAM)
                .maxSources(sources)
                .build());
    }

    private static void postReceives(DatagramQueuePair target, MemoryRegion into) {
        target.newReceiveRequests().receive(0).into(into, 0, MESSAGE).post();
    }

    /** A new peer says what it has to say and is gone. */
    private void talk(
            Node client, MemoryRegion from, CompletionQueue queue, DatagramQueuePair target, MemoryRegion into) {
        CompletionQueue own = client.rnic.createCompletionQueue(DEPTH);
        try (DatagramQueuePair peer = open(client, own, 1)) {
            AddressHandle to = peer.address(target.localAddress());
            peer.newSendRequests()
                    .send(1, to)
                    .from(from, 0, MESSAGE)
                    .unsignaled()
                    .writeRecord(2, to, into.stag(), into.remoteOffset(0))
                    .from(from, 0, MESSAGE)
                    .post();
            int missing = 2;
            long deadline = System.nanoTime() + LIMIT_NANOS;
            while (missing > 0) {
                client.rnic.progress();
                missing -= arrived(queue, target, into);
                if (System.nanoTime() - deadline > 0) {
                    throw new Program.Failure("a peer's messages did not arrive: " + target.counters());
                }
            }
        }
        own.close();
    }

    private int arrived(CompletionQueue queue, DatagramQueuePair target, MemoryRegion into) {
        int count = queue.poll(completions);
        for (int i = 0; i < count; i++) {
            if (completions.operation(i) == Operation.RECEIVE) {
                postReceives(target, into);
            }
        }
        return count;
    }

    // one reliable datagram queue pair

    private void measureReliable() {
        ReliablePeersMemory.Result result = new ReliablePeersMemory().measure(peers, progress("reliable peers heard"));
        print(
                "one reliable datagram queue pair: %.0f KiB heap and direct",
                result.alone().total() / KIBI);
        print(
                "with %d peers that were heard and answered: %.0f KiB, %.0f octets for each peer",
                result.peers(), result.grown().total() / KIBI, result.octetsPerPeer());
    }

    private void measureTraffic() {
        var remember = Duration.ofSeconds((long) (seconds + idleSeconds) + INTRODUCTION_SECONDS);
        try (var traffic = new ReliablePeersTraffic(peers, remember)) {
            traffic.open(peers, progress("peers introduced"));
            ReliablePeersTraffic.Period talk = traffic.talk(seconds, progress("messages sent"));
            print(
                    "%.0f s with %d reliable peers that send a message a minute each: %d messages in %d datagrams,"
                            + " %d retransmissions",
                    talk.agent().atNanos() / GIGA,
                    talk.peers(),
                    talk.messages(),
                    talk.datagrams(),
                    talk.retransmissions());
            print(talk);
            print(
                    "  for each message: %.2f wake-ups, %.2f of them by timers",
                    talk.agent().sleeps() / (double) talk.messages(), talk.timerWakeUps() / (double) talk.messages());
            tell("all are silent for " + idleSeconds + " s");
            ReliablePeersTraffic.Period rest = traffic.rest(idleSeconds);
            print(
                    "%.0f s with %d reliable peers remembered and silent:",
                    rest.agent().atNanos() / GIGA, rest.peers());
            print(rest);
            if (talk.peers() < peers || rest.peers() < peers) {
                throw new Program.Failure("not all of the " + peers + " peers were remembered");
            }
        }
    }

    private void print(ReliablePeersTraffic.Period period) {
        AgentUse agent = period.agent();
        print(
                "  the server's agent: %d wake-ups, %d of them by timers; %d rounds, %d busy; %d selects; %.3f %% of a"
                        + " core",
                agent.sleeps(),
                period.timerWakeUps(),
                agent.cycles(),
                agent.busyCycles(),
                agent.selects(),
                agent.processorPercent());
    }

    /** Tells on standard error how far it is, every second. */
    private IntConsumer progress(String what) {
        var next = new AtomicLong(System.nanoTime() + SECOND_NANOS);
        return count -> {
            long now = System.nanoTime();
            if (now - next.get() >= 0) {
                next.set(now + SECOND_NANOS);
                tell(what + ": " + count);
            }
        };
    }

    private void tell(String line) {
        PrintWriter err = spec.commandLine().getErr();
        err.println(line);
        err.flush();
    }

    // a connection for each

    /** KiB that one end of a connection needs. */
    private double measureConnections(int count) {
        List<QueuePair> pairs = new ArrayList<>();
        try (Node clientNode = node("client");
                Node serverNode = node("server");
                Listener listener = serverNode.listen(DEPTH)) {
            MemoryRegion region = clientNode.domain.allocate(MESSAGE, EnumSet.of(Access.LOCAL_READ));
            ManyEnd client = new ManyEnd(clientNode, region, count);
            ManyEnd server = new ManyEnd(serverNode, region, count);
            connect(client, server, listener, pairs);
            MemoryUse before = MemoryUse.now();
            for (int i = 0; i < count; i++) {
                connect(client, server, listener, pairs);
            }
            MemoryUse grown = MemoryUse.now().minus(before);
            double each = grown.total() / KIBI / (2.0 * count);
            print("%d connections: %.2f KiB for each end, before any traffic", count, each);
            pairs.forEach(QueuePair::close);
            return each;
        }
    }

    private static void connect(ManyEnd client, ManyEnd server, Listener listener, List<QueuePair> pairs) {
        QueuePair initiator = client.newQueuePair();
        QueuePair responder = server.newQueuePair();
        Node.connect(client.node, initiator, server.node, responder, listener, ConnectionConfig.defaults());
        pairs.add(initiator);
        pairs.add(responder);
    }

    @SuppressWarnings("AnnotateFormatMethod") // the annotation would be one more dependency
    private void print(String format, Object... values) {
        PrintWriter out = spec.commandLine().getOut();
        out.println(String.format(Locale.ROOT, format, values));
        out.flush();
    }
}
