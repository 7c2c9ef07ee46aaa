package io.stag.bench;

import io.stag.rnic.memory.SoftMemoryRegion;
import io.stag.rnic.mpa.StagingBuffer;
import io.stag.rnic.mpa.StagingPool;
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

/** What it costs to cut a message of 256 KiB into DDP segments of a size, with headers, and CRC where wanted. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class SegmentationBenchmark {
    private static final int MESSAGE = 256 << 10;

    /** TCP segment size from which that of the FPDUs follows. */
    @Param({"1436", "8936", "65535"})
    public int segment;

    /** Whether the FPDUs have a CRC. */
    @Param({"true", "false"})
    public boolean crc;

    private final StagingBuffer staging = new StagingBuffer(StagingPool.WORKING_CAPACITY);
    private EngineEnd source = new EngineEnd(true, true, false);
    private SoftMemoryRegion from = EngineEnd.allocate(source.stags, 1);
    private long id;

    /** For JMH. */
    public SegmentationBenchmark() {}

    /** Makes the sending end and its memory. */
    @Setup
    public void prepare() {
        source = new EngineEnd(true, crc, false);
        source.stream.segmentSize(segment);
        from = EngineEnd.allocate(source.stags, MESSAGE);
    }

    /** One message, all its segments. */
    @Benchmark
    public int segments() {
        id++;
        source.requests.write(id, 1, 0).from(from, 0, MESSAGE).post();
        int octets = 0;
        while (source.stream.hasOutput()) {
            source.stream.pollTransmit(staging);
            int now = staging.size();
            staging.clear();
            source.stream.transmitted(now);
            octets += now;
        }
        if (octets <= MESSAGE) {
            throw new IllegalStateException(octets + " octets for a message of " + MESSAGE);
        }
        return octets;
    }
}
