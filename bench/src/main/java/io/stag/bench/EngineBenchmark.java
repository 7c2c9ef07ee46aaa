package io.stag.bench;

import io.stag.rnic.memory.SoftMemoryRegion;
import io.stag.rnic.mpa.Splices;
import io.stag.rnic.mpa.StagingBuffer;
import io.stag.rnic.mpa.StagingPool;
import io.stag.wire.Crc32c;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
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
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What an RDMA Write costs in the engine: posted, framed, checked, placed and completed by one thread, with the octets
 * handed over in memory. Every message is one FPDU. {@link #write} is both ends, {@link #send} the sending end alone; the
 * baselines are one end each, so the sending end compares with one {@link #copyAndCrc}, both ends with two.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class EngineBenchmark {

    /** For JMH. */
    public EngineBenchmark() {}

    /** Two ends. */
    @State(Scope.Thread)
    public static class Ends {
        /** Octets of payload per FPDU. */
        @Param({"64", "1400", "64000"})
        public int payload;

        /** Whether the FPDUs have a CRC. */
        @Param({"true", "false"})
        public boolean crc;

        /** Whether the stream has markers. */
        @Param({"false", "true"})
        public boolean markers;

        private final StagingBuffer staging = new StagingBuffer(StagingPool.WORKING_CAPACITY);
        private final Splices splices = new Splices();
        private EngineEnd source = new EngineEnd(true, true, false);
        private EngineEnd sink = new EngineEnd(false, true, false);
        private SoftMemoryRegion from = EngineEnd.allocate(source.stags, 1);
        private SoftMemoryRegion to = EngineEnd.allocate(sink.stags, 1);
        private long posted;

        /** For JMH. */
        public Ends() {}

        /** Makes both ends and their memory. */
        @Setup
        public void prepare() {
            source = new EngineEnd(true, crc, markers);
            sink = new EngineEnd(false, crc, markers);
            from = EngineEnd.allocate(source.stags, payload);
            to = EngineEnd.allocate(sink.stags, payload);
            fill(from.segment());
        }

        /** What was measured must have happened. */
        @TearDown
        public void verify() {
            if (source.completions != posted) {
                throw new IllegalStateException(posted + " posted, " + source.completions + " completed");
            }
        }

        private void post() {
            posted++;
            source.requests.write(posted, to.stag(), 0).from(from, 0, payload).post();
        }
    }

    /** The same amount of memory without any protocol. */
    @State(Scope.Thread)
    public static class Memory {
        /** Octets. */
        @Param({"64", "1400", "64000"})
        public int payload;

        private final StagingBuffer staging = new StagingBuffer(StagingPool.WORKING_CAPACITY);
        private final Crc32c checksum = new Crc32c();
        private SoftMemoryRegion from = EngineEnd.allocate(EngineEnd.newTable(), 1);
        private ByteBuffer view = staging.buffer();

        /** For JMH. */
        public Memory() {}

        /** Memory of the same kind as that of the ends. */
        @Setup
        public void prepare() {
            from = EngineEnd.allocate(EngineEnd.newTable(), payload);
            fill(from.segment());
            view = from.segment().asByteBuffer();
        }
    }

    /** Both ends: from posting to the completion, octets placed. */
    @Benchmark
    public int write(Ends ends) {
        ends.post();
        ends.source.stream.pollTransmit(ends.staging);
        int octets = ends.staging.size();
        int taken = ends.sink.stream.received(ends.staging, Integer.MAX_VALUE);
        ends.source.stream.transmitted(octets);
        return taken;
    }

    /** The sending end: from posting to the completion, the octets thrown away. */
    @Benchmark
    public int send(Ends ends) {
        ends.post();
        ends.source.stream.pollTransmit(ends.staging);
        int octets = ends.staging.size();
        ends.staging.clear();
        ends.source.stream.transmitted(octets);
        return octets;
    }

    /** The sending end for a stream that takes payload from where it is: a CRC, but no copy. */
    @Benchmark
    public int sendInPlace(Ends ends) {
        ends.post();
        ends.source.stream.pollTransmit(ends.staging, ends.splices, Integer.MAX_VALUE);
        int octets = ends.staging.size() + ends.splices.total();
        ends.splices.clear();
        ends.staging.clear();
        ends.source.stream.transmitted(octets);
        return octets;
    }

    /** Baseline: one CRC. */
    @Benchmark
    public int crc(Memory memory) {
        memory.checksum.reset();
        memory.checksum.update(memory.view, 0, memory.payload);
        return memory.checksum.value();
    }

    /** Baseline: one copy. */
    @Benchmark
    public byte copy(Memory memory) {
        MemorySegment.copy(memory.from.segment(), 0, memory.staging.segment(), 0, memory.payload);
        return memory.staging.segment().get(ValueLayout.JAVA_BYTE, 0);
    }

    /** Baseline: one copy, and a CRC over the copy. */
    @Benchmark
    public int copyAndCrc(Memory memory) {
        MemorySegment.copy(memory.from.segment(), 0, memory.staging.segment(), 0, memory.payload);
        memory.checksum.reset();
        memory.checksum.update(memory.staging.buffer(), 0, memory.payload);
        return memory.checksum.value();
    }

    private static void fill(MemorySegment memory) {
        byte[] octets = new byte[Math.toIntExact(memory.byteSize())];
        new SplittableRandom(1).nextBytes(octets);
        MemorySegment.copy(octets, 0, memory, ValueLayout.JAVA_BYTE, 0, octets.length);
    }
}
