package io.stag.cli.perf;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.verbs.ProgressMode;
import java.util.BitSet;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SamplesTest {
    private static final Offset<Double> CLOSE = Offset.offset(0.02);

    static RunSpec spec(PerfTest test, int size) {
        return new RunSpec(
                test,
                size,
                true,
                false,
                ProgressMode.INVOKER,
                WaitMode.POLL,
                TransportPath.NIO,
                0,
                64,
                1,
                0,
                test.usualTransport(),
                0,
                0);
    }

    @ParameterizedTest
    @CsvSource({"WRITE_LAT, 2", "SEND_LAT, 2", "IMM_LAT, 2", "TCP_LAT, 2", "READ_LAT, 1", "ATOMIC_LAT, 1"})
    void latencyIsHalfTheRoundTripButWholeForReadAndAtomic(PerfTest test, int parts) {
        Samples samples = new Samples(spec(test, 8));
        for (int i = 1; i <= 100; i++) {
            samples.record(i * 1_000L);
        }
        PerfResult result = samples.result(new Meters(400_000, 1_600), null);
        assertThat(result.p50Us()).isCloseTo(50.0 / parts, CLOSE);
        assertThat(result.p99Us()).isCloseTo(99.0 / parts, Offset.offset(0.1));
        assertThat(result.meanUs()).isCloseTo(50.5 / parts, CLOSE);
        assertThat(result.samples()).isEqualTo(100);
        assertThat(result.cpuUsPerMsg()).isEqualTo(4.0 / parts);
        assertThat(result.allocBytesPerOp()).isEqualTo(16.0);
        assertThat(result.mbPerS()).isNull();
        assertThat(result.msgsPerS()).isNull();
    }

    @Test
    void megabytesAreMillionsOfOctets() throws Exception {
        Samples samples = new Samples(spec(PerfTest.WRITE_BW, 1_000));
        samples.take(new CountingTest(), new RunDuration(0, 5_000), null);
        samples.elapsed(1_000_000_000L);
        PerfResult result = samples.result(new Meters(10_000_000, 0), null);
        assertThat(result.mbPerS()).isEqualTo(5.0);
        assertThat(result.msgsPerS()).isEqualTo(5_000.0);
        assertThat(result.cpuUsPerMsg()).isEqualTo(2.0);
        assertThat(result.p50Us()).isNull();
    }

    @Test
    void aRateHoldsBack() throws Exception {
        Samples samples = new Samples(spec(PerfTest.WRITE_BW, 1_000));
        long start = System.nanoTime();
        samples.take(new CountingTest(), new RunDuration(0, 100, 10), null); // 100,000 octets at 10 per microsecond
        assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(10_000_000L);
    }

    @Test
    @Timeout(5)
    void aRateDoesNotMakeTheRunLonger() throws Exception {
        Samples samples = new Samples(spec(PerfTest.WRITE_BW, 1_000_000));
        samples.take(new CountingTest(), new RunDuration(0.01, 0, 1), null); // a batch is due after ten seconds
        assertThat(samples.result(new Meters(0, 0), null).samples()).isEqualTo(10);
    }

    @Test
    void withoutAnAnswerThereIsNoLatency() {
        PerfResult result = new Samples(spec(PerfTest.SEND_LAT, 4)).result(new Meters(0, 0), null);
        assertThat(result.p50Us()).isNull();
        assertThat(result.p99Us()).isNull();
        assertThat(result.meanUs()).isNull();
    }

    @Test
    void baselinesHaveNoFiguresOfTheRnic() {
        PerfResult raw = new Samples(spec(PerfTest.TCP_LAT, 8)).result(new Meters(0, 0), null);
        assertThat(raw.crc()).isNull();
        assertThat(raw.markers()).isNull();
        assertThat(raw.progress()).isNull();
        assertThat(raw.path()).isEqualTo("nio");
        PerfResult framed = new Samples(spec(PerfTest.FRAMED_BW, 8)).result(new Meters(0, 0), null);
        assertThat(framed.crc()).isTrue();
        assertThat(framed.markers()).isNull();
        PerfResult verbs = new Samples(spec(PerfTest.READ_BW, 8)).result(new Meters(0, 0), null);
        assertThat(verbs.progress()).isEqualTo("invoker");
        assertThat(verbs.markers()).isFalse();
    }

    @Test
    void clientAndServerGetDifferentProcessors() {
        BitSet allowed = new BitSet();
        allowed.set(1);
        allowed.set(4, 8);
        assertThat(Affinity.half(allowed, false)).hasToString("{1, 4}");
        assertThat(Affinity.half(allowed, true)).hasToString("{5, 6, 7}");
    }

    private static final class CountingTest implements ClientTest {
        @Override
        public ControlChannel.Buffers buffers() {
            return ControlChannel.Buffers.NONE;
        }

        @Override
        public void start(ControlChannel.Buffers server) {}

        @Override
        public int once() {
            return 10;
        }

        @Override
        public void drain(ControlChannel control) {}

        @Override
        public boolean isContentRight() {
            return true;
        }

        @Override
        public void close() {}
    }
}
