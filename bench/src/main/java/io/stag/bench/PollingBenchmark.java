package io.stag.bench;

import io.stag.verbs.CompletionQueue;
import io.stag.verbs.ProgressMode;
import io.stag.verbs.QueuePair;
import io.stag.verbs.QueuePairConfig;
import io.stag.verbs.ReceiveRequests;
import io.stag.verbs.SendRequests;
import io.stag.verbs.WorkCompletions;
import io.stag.verbs.cm.ConnectionConfig;
import io.stag.verbs.cm.Listener;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * A completion queue through the verbs, with connections over loopback and no agent: what a look costs that finds
 * nothing, and what it costs to post immediate data and to poll until it is complete, system calls included.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class PollingBenchmark {
    private static final int DEPTH = 16;

    /** Connections of the RNIC, all idle but one. */
    @Param({"1", "100"})
    public int connections;

    private final WorkCompletions completions = WorkCompletions.ofCapacity(DEPTH);
    private @Nullable Ends ends;

    /** Both RNICs, with what is used of them. */
    private record Ends(
            Node client,
            Node server,
            CompletionQueue near,
            CompletionQueue far,
            SendRequests requests,
            ReceiveRequests receives)
            implements AutoCloseable {
        @Override
        public void close() {
            client.close();
            server.close();
        }
    }

    /** For JMH. */
    public PollingBenchmark() {}

    /** Connects. */
    @Setup
    public void prepare() {
        Node client = new Node(Node.config("client", ProgressMode.INVOKER));
        Node server = new Node(Node.config("server", ProgressMode.INVOKER));
        CompletionQueue near = client.rnic.createCompletionQueue(2 * DEPTH * connections);
        CompletionQueue far = server.rnic.createCompletionQueue(2 * DEPTH * connections);
        Listener listener = server.listen(DEPTH);
        for (int i = 0; i < connections; i++) {
            QueuePair from = queuePair(client, near);
            QueuePair to = queuePair(server, far);
            Node.connect(client, from, server, to, listener, ConnectionConfig.defaults());
            ends = new Ends(client, server, near, far, from.newSendRequests(), to.newReceiveRequests());
        }
    }

    private static QueuePair queuePair(Node node, CompletionQueue queue) {
        return node.domain.createQueuePair(QueuePairConfig.builder(queue)
                .sendDepth(DEPTH)
                .receiveDepth(DEPTH)
                .build());
    }

    /** Closes both RNICs. */
    @TearDown
    public void close() {
        ends().close();
    }

    /** Nothing has come. */
    @Benchmark
    public int pollNothing() {
        return ends().near.poll(completions);
    }

    /** Immediate data on the last connection: posted here, received and completed there. */
    @Benchmark
    public long postAndPoll() {
        Ends both = ends();
        both.receives.receive(1).post();
        both.requests.immediate(2, 3).post();
        while (both.far.poll(completions) == 0) {
            both.client.rnic.progress();
        }
        long immediate = completions.immediate(0);
        while (both.near.poll(completions) == 0) {
            both.server.rnic.progress();
        }
        return immediate;
    }

    private Ends ends() {
        Ends both = ends;
        if (both == null) {
            throw new IllegalStateException("prepare() comes first");
        }
        return both;
    }
}
