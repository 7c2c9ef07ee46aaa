package io.stag.bench.figures;

import io.stag.bench.compare.Bench;
import io.stag.bench.compare.Cell;
import io.stag.bench.compare.MethodOptions;
import io.stag.bench.compare.Metric;
import io.stag.bench.compare.PrivateNetwork;
import io.stag.bench.compare.Rounds;
import io.stag.bench.compare.Spread;
import io.stag.bench.compare.Workers;
import io.stag.bench.figures.DatagramFigures.Row;
import io.stag.cli.Progress;
import io.stag.cli.perf.PerfTest;
import io.stag.cli.perf.RunSpec;
import io.stag.cli.perf.TransportPath;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Runs what the paper's Figures 5 to 9 show. */
final class DatagramExperiment {
    static final List<Double> LOSSES = List.of(0.0, 0.1, 0.5, 1.0, 5.0);
    static final int MTU_DATAGRAM = 1_472;
    static final int PAPER_DATAGRAM = 65_507;
    static final int MOST_RECEIVERS = 3;

    static final String UD_SEND = "UD Send";
    static final String UD_RECORD = "UD Write-Record";
    static final String RC_SEND = "RC Send";
    static final String RC_WRITE = "RC Write";
    static final String UDP = "UDP socket";

    private static final String IN_MTU = ", MTU segments";
    private static final String IN_64K = ", 64 KiB datagrams";

    private final int rounds;
    private final double seconds;
    private final Progress progress;
    private final List<Row> rows = new ArrayList<>();
    private final List<String> absent = new ArrayList<>();

    DatagramExperiment(int rounds, double seconds, Progress progress) {
        this.rounds = rounds;
        this.seconds = seconds;
        this.progress = progress;
    }

    List<Row> rows() {
        return rows;
    }

    /** What could not be measured, and why. */
    List<String> absent() {
        return absent;
    }

    /** Figures 5 and 6: without loss, beside connections and bare UDP. */
    void compare(int figure, MethodOptions method, List<Integer> sizes) throws IOException {
        boolean latency = figure == DatagramFigures.LATENCY;
        for (int size : sizes) {
            Map<Cell, String> names = runs(latency, size);
            Rounds found = method.measure(List.copyOf(names.keySet()), progress);
            absent.addAll(found.notMeasured());
            names.forEach((cell, name) -> rows.add(new Row(
                    figure,
                    name,
                    size,
                    0,
                    found.spread(cell, latency ? Metric.LATENCY : Metric.BANDWIDTH),
                    found.spread(cell, Metric.DELIVERED))));
        }
    }

    private static Map<Cell, String> runs(boolean latency, int size) {
        RunSpec send = RunSpec.of(latency ? PerfTest.SEND_LAT : PerfTest.SEND_BW, size);
        RunSpec record = RunSpec.of(latency ? PerfTest.WRITE_RECORD_LAT : PerfTest.WRITE_RECORD_BW, size);
        Map<Cell, String> names = new LinkedHashMap<>();
        names.put(Cell.timed(RunSpec.of(latency ? PerfTest.UDP_LAT : PerfTest.UDP_BW, size)), UDP);
        names.put(Cell.timed(send.inDatagrams()), UD_SEND);
        names.put(Cell.timed(record), UD_RECORD);
        names.put(Cell.timed(send), RC_SEND);
        names.put(Cell.timed(RunSpec.of(latency ? PerfTest.WRITE_LAT : PerfTest.WRITE_BW, size)), RC_WRITE);
        if (!latency) {
            names.put(Cell.timed(send.inDatagrams().inSegmentsOf(MTU_DATAGRAM)), UD_SEND + IN_MTU);
            names.put(Cell.timed(record.inSegmentsOf(MTU_DATAGRAM)), UD_RECORD + IN_MTU);
        }
        return names;
    }

    /** Figure 7: what the members of a group get together. */
    void group(List<Integer> sizes) throws IOException {
        for (int size : sizes) {
            for (int receivers = 1; receivers <= MOST_RECEIVERS; receivers++) {
                progress.step("multicast to " + receivers + ", " + size + " octets");
                List<GroupExperiment.Outcome> outcomes = new ArrayList<>();
                try (GroupExperiment group = new GroupExperiment(size, receivers)) {
                    group.run(seconds); // for the compiler
                    for (int round = 0; round < rounds; round++) {
                        outcomes.add(group.run(seconds));
                    }
                }
                rows.add(new Row(
                        DatagramFigures.GROUP,
                        receivers == 1 ? "1 receiver" : receivers + " receivers",
                        size,
                        0,
                        Spread.of(outcomes.stream().mapToDouble(GroupExperiment.Outcome::mbPerS)),
                        Spread.of(outcomes.stream().mapToDouble(GroupExperiment.Outcome::percent))));
            }
        }
    }

    /**
     * Figures 8 and 9: each run in a network of its own, so that fragments left behind by one do not hurt the next.
     *
     * @return how packets were lost
     */
    String loss(List<Integer> figures, List<Integer> sizes, boolean pin) throws IOException {
        boolean real = PrivateNetwork.losing(1).isPresent();
        for (double loss : LOSSES) {
            Optional<PrivateNetwork> network = real ? PrivateNetwork.losing(loss) : Optional.empty();
            for (int datagram : new int[] {MTU_DATAGRAM, PAPER_DATAGRAM}) {
                for (int figure : figures) {
                    for (int size : sizes) {
                        try (Workers bench = new Workers(network.orElse(PrivateNetwork.none()), pin)) {
                            lose(figure, datagram, size, loss, real, bench);
                        }
                    }
                }
            }
        }
        return real
                ? "nftables at the ingress of a loopback with an MTU of 1,500 octets, in a network namespace of its"
                        + " own; UDP_SEGMENT off"
                : "a relay in user space with a fixed seed, which loses datagrams as if they travelled in packets of"
                        + " 1,500 octets; it has no fragment store that could fill up";
    }

    private void lose(int figure, int datagram, int size, double loss, boolean real, Bench bench) throws IOException {
        boolean sends = figure == DatagramFigures.SEND_LOSS;
        RunSpec spec = RunSpec.of(sends ? PerfTest.SEND_BW : PerfTest.WRITE_RECORD_BW, size)
                .inDatagrams()
                .inSegmentsOf(datagram)
                .by(TransportPath.NIO); // no super-datagrams, which would be lost whole
        Cell cell = Cell.timed(real ? spec : spec.losing(loss));
        String name = (sends ? UD_SEND : UD_RECORD) + (datagram == MTU_DATAGRAM ? IN_MTU : IN_64K);
        Rounds found = Rounds.run(bench, List.of(cell), rounds, seconds, progress);
        absent.addAll(found.notMeasured());
        rows.add(new Row(
                figure, name, size, loss, found.spread(cell, Metric.BANDWIDTH), found.spread(cell, Metric.DELIVERED)));
    }
}
