package io.stag.bench;

import io.stag.verbs.Access;
import io.stag.verbs.MemoryRegion;
import io.stag.verbs.Operation;
import io.stag.verbs.ProgressMode;
import io.stag.verbs.QueuePair;
import io.stag.verbs.RnicConfig;
import io.stag.verbs.SendRequests;
import io.stag.verbs.cm.ConnectionConfig;
import io.stag.verbs.cm.Listener;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Many connections on one RNIC: traffic on all of them, and what idle ones cost. */
@Command(
        name = "many-connections",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        header = "Many connections on one RNIC: verified traffic, memory, idle processor time, latency.",
        description = {
            "A client and a server RNIC in this process, connected over TCP on loopback. Memory is what the Java heap"
                + " and direct buffers hold after a garbage collection, per end of a connection. Latency is half the"
                + " round trip of immediate data on one connection, while the others are open and silent."
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:all content right", "1:not so", "2:wrong usage"})
public final class ManyConnections implements Callable<Integer> {
    private static final double KIBI = 1024;
    private static final double GIGA = 1e9;
    private static final double MICRO = 1e3;
    private static final int WARM_UP = 2_000;
    private static final int REPEATS = 3;
    private static final int[] IDLE_STEPS = {1, 10, 100, 1000};
    private static final Duration A_WHILE = Duration.ofMillis(100);

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--connections",
            converter = Program.Positive.class,
            description = "How many. Default: ${DEFAULT-VALUE}.")
    private int connections = 2_000;

    @Option(
            names = "--rounds",
            converter = Program.Positive.class,
            description = "Rounds of traffic on all of them. Default: ${DEFAULT-VALUE}.")
    private int rounds = 20;

    @Option(names = "--idle-seconds", description = "How long to watch idle RNICs. Default: ${DEFAULT-VALUE}.")
    private double idleSeconds = 10;

    @Option(
            names = "--idle-connections",
            converter = Program.Positive.class,
            description = "How many are open meanwhile. Default: ${DEFAULT-VALUE}.")
    private int idleConnections = 1_000;

    @Option(
            names = "--samples",
            converter = Program.Positive.class,
            description = "Round trips per figure of latency. Default: ${DEFAULT-VALUE}.")
    private int samples = 10_000;

    @Option(names = "--progress", description = "Who does the work: SHARED or DEDICATED. Default: SHARED.")
    private ProgressMode progress = ProgressMode.SHARED;

    private final List<QueuePair> clientPairs = new ArrayList<>();
    private final List<QueuePair> serverPairs = new ArrayList<>();
    private long received;

    /** For picocli. */
    public ManyConnections() {}

    /** Runs the command. */
    public static void main(String[] args) {
        Program.main(new ManyConnections(), args);
    }

    @Override
    public Integer call() throws InterruptedException {
        int most = Math.max(connections, idleConnections);
        long memory = (long) most * ManyTraffic.SLOT;
        try (ManyEnd client = end("client", memory, most);
                ManyEnd server = end("server", memory, most);
                Listener listener = server.node.listen(16)) {
            measureLatencies(client, server, listener);
            measureIdle(client, server, listener);
            measureMemoryAndTraffic(client, server, listener);
        }
        return Program.DONE;
    }

    private ManyEnd end(String name, long memory, int most) {
        var node = new Node(RnicConfig.builder().name(name).progress(progress).build());
        MemoryRegion region = node.domain.allocate(
                memory, EnumSet.of(Access.LOCAL_READ, Access.LOCAL_WRITE, Access.REMOTE_READ, Access.REMOTE_WRITE));
        return new ManyEnd(node, region, most);
    }

    private void connectUpTo(int count, ManyEnd client, ManyEnd server, Listener listener) {
        while (clientPairs.size() < count) {
            QueuePair initiator = client.newQueuePair();
            QueuePair responder = server.newQueuePair();
            Node.connect(client.node, initiator, server.node, responder, listener, ConnectionConfig.defaults());
            clientPairs.add(initiator);
            serverPairs.add(responder);
        }
    }

    private void closeDownTo(int count) {
        while (clientPairs.size() > count) {
            clientPairs.removeLast().close();
            serverPairs.removeLast().close();
        }
    }

    // memory, and traffic on all

    private void measureMemoryAndTraffic(ManyEnd client, ManyEnd server, Listener listener) {
        connectUpTo(1, client, server, listener); // everything that exists once is there
        closeDownTo(0);
        MemoryUse none = MemoryUse.now();
        long start = System.nanoTime();
        connectUpTo(connections, client, server, listener);
        print("%d connections made in %.1f s", connections, (System.nanoTime() - start) / GIGA);
        printMemory("never used", MemoryUse.now().minus(none));
        traffic(client, server);
        printMemory("idle after traffic", MemoryUse.now().minus(none));
        start = System.nanoTime();
        closeDownTo(0);
        print("all closed in %.1f s", (System.nanoTime() - start) / GIGA);
    }

    private void traffic(ManyEnd client, ManyEnd server) {
        for (int i = 0; i < clientPairs.size(); i++) {
            client.name(clientPairs.get(i), i);
            server.name(serverPairs.get(i), i);
        }
        var traffic = new ManyTraffic(client, server, clientPairs, serverPairs);
        long start = System.nanoTime();
        for (int i = 0; i < rounds; i++) {
            traffic.run();
            spec.commandLine().getErr().println("round " + (i + 1) + " on " + connections + " connections verified");
            spec.commandLine().getErr().flush();
        }
        double passed = (System.nanoTime() - start) / GIGA;
        print(
                "traffic on all %d: %d rounds, %.1f MB verified, %.0f exchanges/s",
                connections, rounds, traffic.verified() / 1e6, rounds * (double) connections / passed);
    }

    private void printMemory(String what, MemoryUse grown) {
        double ends = 2.0 * connections;
        print(
                "memory per end of a connection, %s: %.2f KiB heap + %.2f KiB direct = %.2f KiB",
                what, grown.heap() / ends / KIBI, grown.direct() / ends / KIBI, grown.total() / ends / KIBI);
    }

    // processor time of idle RNICs

    private void measureIdle(ManyEnd client, ManyEnd server, Listener listener) throws InterruptedException {
        connectUpTo(idleConnections, client, server, listener);
        Thread.sleep(200); // the last answers and their after-spin
        long start = System.nanoTime();
        long clientBefore = AgentUse.processorNanos("client");
        long serverBefore = AgentUse.processorNanos("server");
        Thread.sleep(Duration.ofNanos((long) (idleSeconds * GIGA)));
        double passed = System.nanoTime() - start;
        print(
                "idle for %.0f s with %d connections: client RNIC %.3f %% of a core, server RNIC %.3f %%",
                passed / GIGA,
                idleConnections,
                100 * (AgentUse.processorNanos("client") - clientBefore) / passed,
                100 * (AgentUse.processorNanos("server") - serverBefore) / passed);
        closeDownTo(0);
    }

    // latency among idle connections

    private void measureLatencies(ManyEnd client, ManyEnd server, Listener listener) {
        print("%6s  %8s  %8s", "idle", "p50 us", "p99 us");
        connectUpTo(1, client, server, listener);
        client.name(clientPairs.getFirst(), 0);
        server.name(serverPairs.getFirst(), 0);
        measureLatency(client, server, WARM_UP);
        for (int idle : IDLE_STEPS) {
            if (idle > idleConnections) {
                break;
            }
            connectUpTo(1 + idle, client, server, listener);
            Histogram best = measureLatency(client, server, samples);
            for (int i = 1; i < REPEATS; i++) {
                Histogram again = measureLatency(client, server, samples);
                best = again.getValueAtPercentile(50) < best.getValueAtPercentile(50) ? again : best;
            }
            print(
                    "%6d  %8.1f  %8.1f",
                    idle, best.getValueAtPercentile(50) / MICRO, best.getValueAtPercentile(99) / MICRO);
        }
    }

    private Histogram measureLatency(ManyEnd client, ManyEnd server, int count) {
        QueuePair near = clientPairs.getFirst();
        QueuePair far = serverPairs.getFirst();
        SendRequests there = near.newSendRequests();
        SendRequests back = far.newSendRequests();
        var histogram = new Histogram(TimeUnit.SECONDS.toNanos(60), 3);
        for (int i = 0; i < count; i++) {
            ManyEnd.postReceive(near);
            ManyEnd.postReceive(far);
            long start = System.nanoTime();
            exchange(there, server);
            exchange(back, client);
            histogram.recordValue(Math.max(1, (System.nanoTime() - start) / 2));
            client.reap(this::onCompletion, Duration.ZERO);
            server.reap(this::onCompletion, Duration.ZERO);
        }
        return histogram;
    }

    /** Sends immediate data and waits until the other end has it. */
    private void exchange(SendRequests requests, ManyEnd receiver) {
        long before = received;
        requests.immediate(0, 0);
        ManyEnd.post(requests, 1);
        while (received == before) {
            receiver.reap(this::onCompletion, A_WHILE);
        }
    }

    private void onCompletion(int index, Operation operation, long id, long immediate) {
        if (operation == Operation.RECEIVE_IMMEDIATE) {
            received++;
        }
    }

    @SuppressWarnings("AnnotateFormatMethod") // the annotation would be one more dependency
    private void print(String format, Object... values) {
        PrintWriter out = spec.commandLine().getOut();
        out.println(String.format(Locale.ROOT, format, values));
        out.flush();
    }
}
