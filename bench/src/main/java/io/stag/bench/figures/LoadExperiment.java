package io.stag.bench.figures;

import io.stag.bench.compare.Bench;
import io.stag.bench.compare.Machine;
import io.stag.bench.compare.Spread;
import io.stag.bench.figures.CounterProcess.Reading;
import io.stag.cli.OctetCount;
import io.stag.cli.Progress;
import io.stag.cli.perf.Measurement;
import io.stag.cli.perf.PerfTest;
import io.stag.cli.perf.RunDuration;
import io.stag.cli.perf.RunSpec;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/**
 * How much a transfer slows down a counter of the lowest priority on the processors of its sender and its receiver.
 * Everybody sends at the same rate, or those who are faster would seem to load more.
 */
final class LoadExperiment {
    static final int LARGE = 68 << 10;
    static final int SMALL = 4 << 10;

    /** What raw TCP loaded its sender with in the paper; the rate is chosen so that it does here too. */
    static final double PAPER_TCP_SENDER = 35;

    /** Of the requests outstanding, half are posted at once. */
    private static final int ONE_AT_A_TIME = 2;

    private static final double FIRST_GUESS = 400;
    private static final double LEAST_RATE = 20;
    private static final double MOST_RATE = 4_000;
    private static final double ALONE_SECONDS = 0.5;

    private final Bench bench;
    private final CounterProcess sender;
    private final CounterProcess receiver;
    private final double seconds;
    private final Progress progress;

    /** Load of one run in percent of a processor. */
    private record Load(double sender, double receiver, double mbPerS) {}

    LoadExperiment(Bench bench, CounterProcess sender, CounterProcess receiver, double seconds, Progress progress) {
        this.bench = bench;
        this.sender = sender;
        this.receiver = receiver;
        this.seconds = seconds;
        this.progress = progress;
    }

    /**
     * Runs it.
     *
     * @param wantedRate MB/s, or 0 for the rate at which raw TCP loads its sender as in the paper
     */
    LoadFigure run(Machine machine, int rounds, double wantedRate) throws IOException {
        double rate = wantedRate > 0 ? wantedRate : calibrate();
        Map<RunSpec, List<Load>> loads = new LinkedHashMap<>();
        runs().forEach(run -> loads.put(run, new ArrayList<>()));
        for (int round = 0; round <= rounds; round++) { // the first is a warm-up
            for (Map.Entry<RunSpec, List<Load>> entry : loads.entrySet()) {
                progress.step("round " + round + " of " + rounds + ": " + LoadFigure.name(entry.getKey()) + ", "
                        + OctetCount.text(entry.getKey().size()) + " octets");
                Load load = measure(entry.getKey(), rate);
                if (round > 0) {
                    entry.getValue().add(load);
                }
            }
        }
        return figure(machine, rounds, rate, loads);
    }

    /** Raw TCP, Stag without and with CRC; nobody polls or saves wake-ups by sending several messages at once. */
    static List<RunSpec> runs() {
        return IntStream.of(LARGE, SMALL)
                .mapToObj(size -> RunSpec.of(PerfTest.WRITE_BW, size).blocking().withDepth(ONE_AT_A_TIME))
                .flatMap(write -> List.of(write.as(PerfTest.TCP_BW), write.withoutCrc(), write).stream())
                .toList();
    }

    /** Load grows with the rate, so one measurement tells the rate for another load. */
    private double calibrate() throws IOException {
        progress.step("looking for the rate at which raw TCP loads its sender with " + PAPER_TCP_SENDER + " %");
        RunSpec tcp = runs().getFirst();
        measure(tcp, FIRST_GUESS);
        double rate = FIRST_GUESS;
        for (int i = 0; i < 2; i++) {
            Load load = measure(tcp, rate);
            rate = Math.clamp(rate * PAPER_TCP_SENDER / Math.max(1, load.sender()), LEAST_RATE, MOST_RATE);
        }
        return Math.rint(rate);
    }

    private Load measure(RunSpec run, double rate) throws IOException {
        Reading senderFirst = sender.read();
        Reading receiverFirst = receiver.read();
        LockSupport.parkNanos(Duration.ofMillis((long) (1_000 * ALONE_SECONDS)).toNanos());
        Reading senderBefore = sender.read();
        Reading receiverBefore = receiver.read();
        Measurement measurement = bench.run(run, new RunDuration(seconds, 0, rate));
        Reading senderAfter = sender.read();
        Reading receiverAfter = receiver.read();
        return new Load(
                slowdown(senderBefore.rateSince(senderFirst), senderAfter.rateSince(senderBefore)),
                slowdown(receiverBefore.rateSince(receiverFirst), receiverAfter.rateSince(receiverBefore)),
                measurement.result().mbPerS() == null ? 0 : measurement.result().mbPerS());
    }

    /** Percent that the counter lost. */
    static double slowdown(double alone, double loaded) {
        return Math.max(0, 100 * (1 - loaded / alone));
    }

    private LoadFigure figure(Machine machine, int rounds, double rate, Map<RunSpec, List<Load>> loads) {
        List<LoadFigure.Row> rows = new ArrayList<>();
        loads.forEach((run, measured) -> rows.add(new LoadFigure.Row(
                LoadFigure.name(run),
                run.size(),
                Spread.of(measured.stream().mapToDouble(Load::sender)),
                Spread.of(measured.stream().mapToDouble(Load::receiver)),
                Spread.of(measured.stream().mapToDouble(Load::mbPerS)))));
        return new LoadFigure(machine, rounds, seconds, rate, rows);
    }
}
