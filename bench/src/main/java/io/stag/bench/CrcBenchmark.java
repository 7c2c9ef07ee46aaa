package io.stag.bench;

import io.stag.wire.Crc32c;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;
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

/** CRC32C over direct memory: the JDK's own, ours over a buffer, and ours over a segment, which copies. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class CrcBenchmark {

    /** Octets covered. */
    @Param({"64", "1400", "64000"})
    public int length;

    private final Crc32c crc = new Crc32c();
    private final CRC32C plain = new CRC32C();
    private ByteBuffer buffer = ByteBuffer.allocateDirect(0);
    private MemorySegment segment = MemorySegment.NULL;

    /** For JMH. */
    public CrcBenchmark() {}

    /** Octets that are not all zero. */
    @Setup
    public void prepare() {
        byte[] octets = new byte[length];
        new SplittableRandom(1).nextBytes(octets);
        buffer = ByteBuffer.allocateDirect(length);
        buffer.put(0, octets);
        segment = MemorySegment.ofBuffer(buffer);
    }

    /** The JDK's class, with nothing around it. */
    @Benchmark
    public long jdk() {
        plain.reset();
        plain.update(buffer.clear());
        return plain.getValue();
    }

    /** As the encoder and the decoder call it. */
    @Benchmark
    public int ofBuffer() {
        crc.reset();
        crc.update(buffer, 0, length);
        return crc.value();
    }

    /** For memory that has no buffer. */
    @Benchmark
    public int ofSegment() {
        crc.reset();
        crc.update(segment, 0, length);
        return crc.value();
    }
}
