package io.stag.bench;

import io.stag.rnic.mpa.FpduDecoder;
import io.stag.rnic.mpa.FpduEncoder;
import io.stag.rnic.mpa.StagingBuffer;
import io.stag.rnic.mpa.StagingPool;
import io.stag.wire.mpa.Marker;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
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

/** MPA alone: length, pad, markers and CRC around a ULPDU that is already in place, and back. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class FramingBenchmark {

    /**
     * Octets of ULPDU: about 64, 1,400 and 64,000 of payload with the header of a Write. Of the largest, FPDUs with
     * markers start at a marker each, so that one of them is the whole stream to decode.
     */
    @Param({"78", "1414", "64002"})
    public int ulpdu;

    /** Whether the FPDUs have a CRC. */
    @Param({"true", "false"})
    public boolean crc;

    /** Whether the stream has markers. */
    @Param({"false", "true"})
    public boolean markers;

    private final StagingBuffer out = new StagingBuffer(StagingPool.WORKING_CAPACITY);
    private final StagingBuffer in = new StagingBuffer(StagingPool.WORKING_CAPACITY);
    private FpduEncoder encoder = new FpduEncoder(false, false, 0);
    private FpduDecoder decoder = new FpduDecoder(false, false, 0);
    private StagingBuffer stream = new StagingBuffer(0);
    private int[] lengths = {};
    private int next;
    private int position;

    /** For JMH. */
    public FramingBenchmark() {}

    /** Makes a stream that can be decoded again and again: as many FPDUs as it takes until a marker is due once more. */
    @Setup
    public void prepare() {
        encoder = new FpduEncoder(crc, markers, 0);
        decoder = new FpduDecoder(crc, markers, 0);
        var writer = new FpduEncoder(crc, markers, 0);
        int most = markers ? Marker.INTERVAL : 1;
        int[] found = new int[most];
        int count = 0;
        int total = 0;
        stream = new StagingBuffer(most * Marker.wireLength(0, ulpdu) + Marker.INTERVAL);
        do {
            found[count] = writer.wireLength(ulpdu);
            total += found[count];
            count++;
            writer.begin(stream, ulpdu);
            writer.end();
        } while (markers && total % Marker.INTERVAL != 0);
        lengths = Arrays.copyOf(found, count);
    }

    /** Frames one ULPDU. */
    @Benchmark
    public int encode() {
        encoder.begin(out, ulpdu);
        encoder.end();
        int size = out.size();
        out.clear();
        return size;
    }

    /** Copies one FPDU into staging, as a socket would, finds and checks it. */
    @Benchmark
    public int decode() {
        int length = lengths[next];
        MemorySegment.copy(stream.segment(), position, in.segment(), in.end(), length);
        in.append(length);
        next++;
        position += length;
        if (next == lengths.length) {
            next = 0;
            position = 0;
        }
        FpduDecoder.Result result = decoder.next(in);
        if (result != FpduDecoder.Result.FPDU) {
            throw new IllegalStateException(result.toString());
        }
        decoder.consume(in);
        return decoder.ulpduOffset();
    }
}
