package io.stag.bench.compare;

import io.stag.cli.ExitCode;
import io.stag.cli.JsonFile;
import io.stag.cli.OctetCount;
import io.stag.cli.OnOff;
import io.stag.cli.OutputFile;
import io.stag.cli.Progress;
import io.stag.cli.perf.RunSpec;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code stag perf compare}. */
@Command(
        name = "compare",
        header = "Stag beside raw TCP, framing alone, Netty and Aeron, in one run.",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        synopsisHeading = "Usage: ",
        descriptionHeading = "%n",
        description = {
            "Measures everybody in short turns, round after round, so that what disturbs one disturbs all; whoever has"
                    + " no turn stands still. Then it shows the median of the turns, where half of them lie, and the"
                    + " ratio to raw TCP (x tcp) and to bare framing (x framed) within each round. Times differ between"
                    + " machines and hours; only the ratios of one run say something.",
            "",
            "Everybody runs in two processes of their own, both ends polling, each end on its own half of the"
                    + " processors, with the same loops, sizes and warm-up as stag perf. Netty uses epoll; Aeron's"
                    + " media driver is driven by the thread that sends. ucx_perftest (UCX) and fi_pingpong"
                    + " (libfabric) are asked between two sizes where they are installed.",
            "",
            "With --goals it measures instead what Stag wants to reach, and says what it does reach."
        },
        optionListHeading = "%nOptions:%n",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:measured", "1:nothing could be measured", "2:wrong usage"},
        footerHeading = "%nExamples:%n",
        footer = {
            "  stag perf compare --json all.json --html all.html",
            "  stag perf compare --size 64 --tests tcp,write,netty --rounds 3",
            "  stag perf compare --goals --json goals.json",
            "  stag perf compare --goals --only 'bandwidth|markers'"
        })
public final class CompareCommand implements Callable<Integer> {
    private static final int LAUNCHES_FOR_GOALS = 5;

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--size",
            paramLabel = "N[,N...]",
            split = ",",
            converter = OctetCount.class,
            description = "Octets per message. Default: 8,64,1k,4k,64k,1m.")
    private List<Integer> sizes = List.of(8, 64, 1 << 10, 4 << 10, 64 << 10, 1 << 20);

    @Option(
            names = "--tests",
            paramLabel = "NAME[,NAME...]",
            split = ",",
            description = "Whom to measure: tcp framed write send read atomic netty aeron. Default: all."
                    + " Atomic operations have 8 octets.")
    private List<Contender> tests = List.of(Contender.values());

    @Option(names = "--kind", paramLabel = "lat|bw", description = "Only latency, or only bandwidth. Default: both.")
    private @Nullable Kind kind;

    @Option(
            names = "--external",
            paramLabel = "on|off",
            description = "Ask ucx_perftest and fi_pingpong too, where they are installed. Default: ${DEFAULT-VALUE}.")
    private OnOff external = OnOff.ON;

    @Mixin
    private MethodOptions method = new MethodOptions();

    @Option(names = "--goals", description = "Measure what Stag wants to reach, row by row, and judge.")
    private boolean goals;

    @Option(names = "--only", paramLabel = "REGEX", description = "Only the rows of --goals whose name has this.")
    private @Nullable Pattern only;

    @Option(
            names = "--launches",
            paramLabel = "N",
            description =
                    "How often all processes are started anew; the turns are spread over the launches. Turns of one"
                        + " launch share what chance gave it: where memory lies, how its code was compiled. Default: 5"
                        + " with --goals, else 1.")
    private @Nullable Integer launches;

    @Option(
            names = "--json",
            paramLabel = "FILE",
            converter = OutputFile.class,
            description = "Write everything there as JSON.")
    private @Nullable Path json;

    @Option(
            names = "--html",
            paramLabel = "FILE",
            converter = OutputFile.class,
            description = "Write a report with plots there, in one file.")
    private @Nullable Path html;

    private enum Kind {
        LAT,
        BW
    }

    /** For picocli. */
    public CompareCommand() {}

    @Override
    public Integer call() throws IOException {
        if (only != null && !goals) {
            throw new ParameterException(spec.commandLine(), "--only chooses among --goals; give both");
        }
        method.check(spec);
        method.launches(checkedLaunches());
        Report report;
        try (Progress progress = new Progress(spec.commandLine().getErr())) {
            report = goals ? measureGoals(progress) : measure(progress);
        }
        print(report);
        if (json != null) {
            JsonFile.write(json, report);
        }
        if (html != null) {
            HtmlReport.write(html, report);
        }
        return report.series().isEmpty() ? ExitCode.FAILED : ExitCode.DONE;
    }

    private int checkedLaunches() {
        int wanted = launches != null ? launches : Math.min(goals ? LAUNCHES_FOR_GOALS : 1, method.rounds());
        if (wanted < 1 || wanted > method.rounds()) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--launches " + wanted + " is not between 1 and the number of rounds, " + method.rounds());
        }
        return wanted;
    }

    private void print(Report report) {
        PrintWriter out = spec.commandLine().getOut();
        if (goals) {
            GoalTable.print(report.goals(), out);
            out.println(report.method().text() + ".");
            out.println(report.machine().text());
            report.absent().forEach(out::println);
        } else {
            CompareTable.print(report, out);
        }
        out.flush();
    }

    private Report measure(Progress progress) throws IOException {
        List<List<Cell>> groups = new ArrayList<>();
        try {
            for (int size : sizes) {
                if (kind != Kind.BW) {
                    groups.add(cells(test -> test.latencyRuns(size)));
                }
                if (kind != Kind.LAT) {
                    groups.add(cells(test -> test.bandwidthRuns(size)));
                }
            }
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
        }
        groups.removeIf(List::isEmpty);
        if (groups.isEmpty()) {
            throw new ParameterException(spec.commandLine(), "Nothing to measure: atomic operations need --size 8");
        }
        Rounds all = new Rounds();
        ExternalRuns others = new ExternalRuns(method.network(), sizes, metrics());
        for (List<Cell> group : groups) {
            all.addAll(method.measure(group, progress));
            others.round(progress);
        }
        return report(all, List.of(), others);
    }

    private List<Cell> cells(Function<Contender, List<RunSpec>> runs) {
        return tests.stream()
                .flatMap(test -> runs.apply(test).stream())
                .map(Cell::timed)
                .toList();
    }

    private Report measureGoals(Progress progress) throws IOException {
        Map<String, List<Goal>> rows = new LinkedHashMap<>();
        for (Goal goal : Goals.all()) {
            if (only == null || only.matcher(goal.row()).find()) {
                rows.computeIfAbsent(goal.row(), _ -> new ArrayList<>()).add(goal);
            }
        }
        if (rows.isEmpty()) {
            throw new ParameterException(spec.commandLine(), "No row of the goals has " + only);
        }
        Rounds all = new Rounds();
        List<GoalResult> results = new ArrayList<>();
        for (List<Goal> row : rows.values()) {
            List<Cell> cells =
                    row.stream().flatMap(goal -> goal.cells().stream()).toList();
            Rounds rounds = method.measure(cells, progress);
            row.forEach(goal -> results.add(goal.judge(rounds)));
            all.addAll(rounds);
        }
        return report(all, results, new ExternalRuns(method.network(), List.of(), List.of()));
    }

    /** What programs of others are asked. */
    private List<Metric> metrics() {
        if (external == OnOff.OFF) {
            return List.of();
        } else if (kind == null) {
            return List.of(Metric.LATENCY, Metric.BANDWIDTH);
        }
        return List.of(kind == Kind.LAT ? Metric.LATENCY : Metric.BANDWIDTH);
    }

    private Report report(Rounds rounds, List<GoalResult> results, ExternalRuns others) {
        List<Report.Series> series = new ArrayList<>(Report.series(rounds));
        series.addAll(others.series(rounds));
        List<String> absent = Stream.concat(rounds.notMeasured().stream(), others.absent().stream())
                .toList();
        return new Report(Machine.here(), method.describe(rounds), series, results, absent);
    }
}
