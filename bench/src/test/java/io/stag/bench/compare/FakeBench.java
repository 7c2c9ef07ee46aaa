package io.stag.bench.compare;

import io.stag.cli.CommandFailure;
import io.stag.cli.Progress;
import io.stag.cli.perf.Measurement;
import io.stag.cli.perf.PerfResult;
import io.stag.cli.perf.PerfTest;
import io.stag.cli.perf.RunDuration;
import io.stag.cli.perf.RunSpec;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** Answers at once, with a figure that a test chooses; NaN for a run that fails. */
final class FakeBench implements Bench {
    final List<RunSpec> runs = new ArrayList<>();
    /** What the compilers work in the next runs; then nothing. */
    final Deque<Long> compilerNanos = new ArrayDeque<>();

    boolean closed;
    private final ToDoubleFunction<RunSpec> figure;

    FakeBench(ToDoubleFunction<RunSpec> figure) {
        this.figure = figure;
    }

    /** Says 1, and fails one run from its n-th turn on. */
    static FakeBench failingFrom(int turn, RunSpec failing) {
        int[] turns = {0};
        return new FakeBench(spec -> spec.equals(failing) && ++turns[0] >= turn ? Double.NaN : 1);
    }

    @Override
    public Measurement run(RunSpec spec, RunDuration duration) {
        runs.add(spec);
        double value = figure.applyAsDouble(spec);
        if (Double.isNaN(value)) {
            throw new CommandFailure("it failed", "");
        }
        return measurement(spec, value, compilerNanos.isEmpty() ? 0 : compilerNanos.remove());
    }

    @Override
    public void close() {
        closed = true;
    }

    /** A measurement all of whose figures are the same. */
    static Measurement measurement(RunSpec spec, double value) {
        return measurement(spec, value, 0);
    }

    private static Measurement measurement(RunSpec spec, double value, long compilerNanos) {
        boolean latency = spec.test().isLatency();
        PerfResult result = new PerfResult(
                spec.test().toString(),
                "tcp",
                spec.size(),
                spec.crc(),
                spec.markers(),
                "invoker",
                spec.waitMode().toString(),
                "nio",
                spec.connections(),
                spec.idleConnections(),
                spec.segment(),
                spec.depth(),
                spec.loss(),
                spec.flow(),
                0,
                latency ? value : null,
                latency ? value : null,
                latency ? value : null,
                latency ? null : value,
                latency ? null : value,
                value,
                value,
                spec.connections() > 1 ? value : null,
                1,
                "cubic",
                null);
        List<Measurement.Percentile> percentiles = latency
                ? List.of(new Measurement.Percentile(50, value), new Measurement.Percentile(99, 2 * value))
                : List.of();
        return new Measurement(spec, result, percentiles, compilerNanos);
    }

    /** A small comparison: raw TCP takes 2 us and 1,000 MB/s, everybody else twice as much time and half as much data. */
    static Report report() throws IOException {
        List<Cell> cells = new ArrayList<>();
        for (int size : new int[] {64, 1 << 16}) {
            for (Contender contender : List.of(Contender.TCP, Contender.FRAMED, Contender.WRITE)) {
                contender.latencyRuns(size).forEach(run -> cells.add(Cell.timed(run)));
                contender.bandwidthRuns(size).forEach(run -> cells.add(Cell.timed(run)));
            }
        }
        FakeBench bench = new FakeBench(spec -> {
            boolean raw = spec.test().layer() == PerfTest.Layer.TCP;
            return spec.test().isLatency() ? (raw ? 2 : 4) : (raw ? 1_000 : 500);
        });
        Rounds rounds = Rounds.run(bench, cells, 3, 0.1, new Progress(new PrintWriter(Writer.nullWriter())));
        return new Report(
                new Machine("a processor", 2, "Linux", "25", "0.1.0", "2026-01-01T00:00:00Z"),
                new Report.Method(3, 1, 0.1, true, "cubic", true, null),
                Report.series(rounds),
                List.of(),
                List.of("not measured: <nobody> & none"));
    }
}
