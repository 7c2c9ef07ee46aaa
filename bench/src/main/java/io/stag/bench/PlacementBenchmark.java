package io.stag.bench;

import io.stag.rnic.memory.AccessCheck;
import io.stag.rnic.memory.Grant;
import io.stag.rnic.memory.Placement;
import io.stag.rnic.memory.Rights;
import io.stag.rnic.memory.SoftMemoryRegion;
import io.stag.rnic.memory.StagTable;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
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

/** What it costs to bring received octets to their place, and octets of a region to staging, beside a bare copy. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class PlacementBenchmark {
    /** Octets of payload. */
    @Param({"64", "1400", "64000"})
    public int payload;

    private final StagTable stags = EngineEnd.newTable();
    private MemorySegment staging = MemorySegment.NULL;
    private SoftMemoryRegion region = EngineEnd.allocate(stags, 1);

    /** For JMH. */
    public PlacementBenchmark() {}

    /** Makes staging and a region. */
    @Setup
    public void prepare() {
        staging = Arena.ofAuto().allocate(payload, 64);
        region = EngineEnd.allocate(stags, payload);
    }

    /** Finds the region by its STag, checks the access, places. */
    @Benchmark
    public AccessCheck place() {
        return Placement.place(staging, 0, granted(Rights.REMOTE_WRITE), 0, payload);
    }

    /** Finds the region by its STag, checks the access, gathers, as for the answer to a Read. */
    @Benchmark
    public AccessCheck gather() {
        return Placement.gather(granted(Rights.REMOTE_READ), 0, staging, 0, payload);
    }

    /** Baseline. */
    @Benchmark
    public MemorySegment copyOnly() {
        MemorySegment.copy(staging, 0, region.segment(), 0, payload);
        return staging;
    }

    private Grant granted(int rights) {
        Grant grant = stags.lookup(region.stag());
        if (grant == null
                || grant.check(EngineEnd.DOMAIN, EngineEnd.QUEUE_PAIR, rights, 0, payload) != AccessCheck.OK) {
            throw new IllegalStateException("the region refuses");
        }
        return grant;
    }
}
