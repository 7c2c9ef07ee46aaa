package io.stag.bench;

import io.stag.rnic.memory.AccessCheck;
import io.stag.rnic.memory.Grant;
import io.stag.rnic.memory.Rights;
import io.stag.rnic.memory.StagTable;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
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
import org.openjdk.jmh.annotations.Warmup;

/** What a peer's access costs before its first octet is placed: find the STag, check domain, rights and bounds. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class StagTableBenchmark {
    private static final int REGION = 64;
    private static final int USED = 1 << 12;

    /** Regions registered. */
    @Param({"1", "1000", "100000"})
    public int regions;

    private final StagTable table = EngineEnd.newTable();
    private final int[] used = new int[USED];
    private int next;

    /** For JMH. */
    public StagTableBenchmark() {}

    /** Registers them, and chooses at random which are used in turn. */
    @Setup
    public void prepare() {
        int[] stags = new int[regions];
        for (int i = 0; i < regions; i++) {
            stags[i] = EngineEnd.allocate(table, REGION).stag();
        }
        var random = new SplittableRandom(1);
        for (int i = 0; i < USED; i++) {
            used[i] = stags[random.nextInt(regions)];
        }
    }

    /** An access that is allowed. */
    @Benchmark
    public AccessCheck lookupAndCheck() {
        next = (next + 1) & (USED - 1);
        return check(used[next]);
    }

    /** An STag that nobody registered. */
    @Benchmark
    public AccessCheck lookupUnknown() {
        next = (next + 1) & (USED - 1);
        return check(used[next] ^ 1); // the key is wrong
    }

    private AccessCheck check(int stag) {
        Grant grant = table.lookup(stag);
        return grant == null
                ? AccessCheck.INVALID_STAG
                : grant.check(EngineEnd.DOMAIN, EngineEnd.QUEUE_PAIR, Rights.REMOTE_WRITE, 8, 32);
    }
}
