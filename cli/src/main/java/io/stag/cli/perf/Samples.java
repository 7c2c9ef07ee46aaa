package io.stag.cli.perf;

import io.stag.cli.perf.Measurement.Percentile;
import io.stag.verbs.ProgressMode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** Takes the samples of one run and works out the figures. */
final class Samples {
    private static final long MAX_NANOS = 60_000_000_000L;
    private static final int DIGITS = 3;
    private static final double NANOS_PER_MICRO = 1e3;
    private static final double[] PERCENTS = {1, 10, 25, 50, 75, 90, 95, 99, 99.5, 99.9, 99.99, 100};

    private final RunSpec spec;
    private final Histogram roundTrips = new Histogram(MAX_NANOS, DIGITS);
    private long count;
    private long unanswered;
    private final long[] shares;
    private long elapsedNanos;
    private double rate;

    Samples(RunSpec spec) {
        this.spec = spec;
        shares = new long[spec.connections()];
    }

    /** Runs a test; a bandwidth test is over when everything has arrived. */
    void take(ClientTest test, RunDuration duration, ControlChannel control) throws IOException {
        long limit = duration.iterations() == 0 ? Long.MAX_VALUE : duration.iterations();
        rate = duration.mbPerS();
        boolean timed = duration.seconds() > 0 || duration.iterations() == 0;
        long nanos = timed ? (long) (duration.seconds() * 1e9) : Long.MAX_VALUE;
        countShares(test, -1);
        long start = System.nanoTime();
        if (spec.test().isLatency()) {
            takeRoundTrips(test, limit, nanos);
        } else {
            double nanosPerMessage = rate == 0 ? 0 : spec.size() * 1e3 / rate;
            long now = start;
            while (count < limit && now - start < nanos) {
                count += test.once();
                now = pace(start + Math.min(nanos, (long) (count * nanosPerMessage)));
            }
        }
        test.drain(control);
        elapsedNanos = System.nanoTime() - start;
        countShares(test, 1);
    }

    /** Waits until a time has come, if it is not past already; says what time it is. */
    private static long pace(long due) {
        long now = System.nanoTime();
        while (now - due < 0) {
            LockSupport.parkNanos(due - now);
            now = System.nanoTime();
        }
        return now;
    }

    private void countShares(ClientTest test, int sign) {
        for (int i = 0; i < shares.length; i++) {
            shares[i] += sign * test.messages(i);
        }
    }

    private void takeRoundTrips(ClientTest test, long limit, long nanos) throws IOException {
        long start = System.nanoTime();
        long before = start;
        while (count < limit && before - start < nanos) {
            boolean answered = test.once() > 0;
            long now = System.nanoTime();
            if (answered) {
                record(now - before);
            } else {
                unanswered++;
            }
            before = now;
        }
    }

    /** Adds a round trip. */
    void record(long nanos) {
        roundTrips.recordValue(Math.min(nanos, MAX_NANOS));
        count++;
    }

    /** Everything, given what both processes used and, where messages may get lost, what arrived. */
    Measurement measurement(Meters used, long compilerNanos, @Nullable Arrivals arrivals) {
        return new Measurement(spec, result(used, arrivals), percentiles(), compilerNanos);
    }

    private List<Percentile> percentiles() {
        List<Percentile> percentiles = new ArrayList<>();
        if (roundTrips.getTotalCount() > 0) {
            for (double percent : PERCENTS) {
                percentiles.add(new Percentile(percent, roundTrips.getValueAtPercentile(percent) / nanosPerMicro()));
            }
        }
        return percentiles;
    }

    /** Nanoseconds of a sample that make a microsecond of latency: twice as many when the sample is there and back. */
    private double nanosPerMicro() {
        return spec.test().isOneWay() ? NANOS_PER_MICRO : 2 * NANOS_PER_MICRO;
    }

    /** The figures, given what both processes used and what arrived. */
    PerfResult result(Meters used, @Nullable Arrivals arrivals) {
        boolean latency = spec.test().isLatency();
        boolean timed = latency && count > 0;
        double half = nanosPerMicro();
        double seconds = elapsedNanos / 1e9;
        long messages = count * spec.test().messagesPerSample();
        Arrivals counted = latency ? null : arrivals;
        long arrived = counted == null ? messages : counted.whole() + counted.partial();
        double octets = counted == null ? messages * (double) spec.size() : (double) counted.octets();
        boolean verbs = spec.test().isVerbs();
        return new PerfResult(
                spec.test().toString(),
                (spec.test().layer() == PerfTest.Layer.AERON ? Transport.UDP : spec.transport()).toString(),
                spec.size(),
                (verbs || spec.test().layer() == PerfTest.Layer.FRAMED) ? spec.crc() : null,
                (verbs && spec.transport() == Transport.TCP) ? spec.markers() : null,
                verbs ? name(spec.progress()) : null,
                spec.waitMode().toString(),
                verbs ? spec.path().toString() : TransportPath.NIO.toString(),
                spec.connections(),
                spec.idleConnections(),
                spec.segment(),
                spec.depth(),
                spec.loss(),
                spec.flow(),
                rate,
                timed ? rounded(roundTrips.getValueAtPercentile(50) / half) : null,
                timed ? rounded(roundTrips.getValueAtPercentile(99) / half) : null,
                timed ? rounded(roundTrips.getMean() / half) : null,
                latency ? null : rounded(octets / seconds / 1e6),
                latency ? null : rounded(arrived / seconds),
                count == 0 ? null : rounded(used.cpuNanos() / NANOS_PER_MICRO / messages),
                count == 0 ? null : rounded((double) used.allocatedOctets() / count),
                !latency && shares.length > 1 ? rounded(Measurement.fairness(shares)) : null,
                count,
                spec.transport() == Transport.TCP ? CongestionControl.name() : null,
                delivery(arrivals));
    }

    private @Nullable Delivery delivery(@Nullable Arrivals arrivals) {
        if (spec.transport() != Transport.UDP) {
            return null;
        } else if (spec.test().isLatency()) {
            return Delivery.ofRoundTrips(count, unanswered);
        }
        return arrivals == null ? null : Delivery.of(count, spec.size(), arrivals);
    }

    void elapsed(long nanos) {
        elapsedNanos = nanos;
    }

    private static String name(ProgressMode progress) {
        return progress.name().toLowerCase(Locale.ROOT);
    }

    private static @Nullable Double rounded(double value) {
        return Double.isFinite(value) ? Math.round(value * 1e3) / 1e3 : null;
    }
}
