package io.stag.bench;

import io.stag.rnic.memory.SoftMemoryRegion;
import io.stag.rnic.work.CompletionOwner;
import io.stag.rnic.work.CompletionRing;
import io.stag.rnic.work.SendQueue;
import io.stag.rnic.work.SendWork;
import io.stag.verbs.CompletionStatus;
import io.stag.verbs.Operation;
import io.stag.verbs.WorkCompletions;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** The rings between programs and engine, both sides by one thread, singly and in lists. Times are per request. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class RingBenchmark {
    private static final int BATCH = 16;
    private static final int CAPACITY = 1024;

    private static final CompletionOwner OWNER = new CompletionOwner() {
        @Override
        public int id() {
            return EngineEnd.QUEUE_PAIR;
        }

        @Override
        public void completionPolled(Operation operation) {}
    };

    private final EngineEnd end = new EngineEnd(true, true, false);
    private final SoftMemoryRegion region = EngineEnd.allocate(end.stags, 64);
    private final CompletionRing ring = new CompletionRing(CAPACITY);
    private final WorkCompletions completions = WorkCompletions.ofCapacity(BATCH);
    private long id;

    /** For JMH. */
    public RingBenchmark() {}

    /** Fills a request, posts it, starts it and retires it. */
    @Benchmark
    public long post() {
        add();
        end.requests.post();
        return startAndRetire();
    }

    /** The same with a list of requests per post. */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public long postList() {
        for (int i = 0; i < BATCH; i++) {
            add();
        }
        end.requests.post();
        long sum = 0;
        for (int i = 0; i < BATCH; i++) {
            sum += startAndRetire();
        }
        return sum;
    }

    /** Adds a completion and polls it. */
    @Benchmark
    public long complete() {
        addCompletion();
        completions.clear();
        ring.poll(completions);
        return completions.id(0);
    }

    /** The same with several completions per poll. */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public long completeMany() {
        for (int i = 0; i < BATCH; i++) {
            addCompletion();
        }
        completions.clear();
        ring.poll(completions);
        return completions.id(BATCH - 1);
    }

    private void add() {
        id++;
        end.requests.write(id, 1, 0).from(region, 0, 64);
    }

    private long startAndRetire() {
        SendQueue queue = end.sends;
        SendWork work = queue.peekNext();
        queue.started();
        SendWork oldest = queue.oldestStarted();
        if (work == null || oldest == null) {
            throw new IllegalStateException("the queue is empty");
        }
        queue.retire();
        return oldest.id;
    }

    private void addCompletion() {
        id++;
        ring.add(id, CompletionStatus.SUCCESS, Operation.RDMA_WRITE, OWNER, 64, 0, 0, 0, null);
    }
}
