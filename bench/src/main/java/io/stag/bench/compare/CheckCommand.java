package io.stag.bench.compare;

import com.google.gson.Gson;
import com.google.gson.JsonParseException;
import io.stag.bench.compare.Guard.Finding;
import io.stag.bench.compare.Guard.Ratios;
import io.stag.bench.compare.Guard.Verdict;
import io.stag.cli.CommandFailure;
import io.stag.cli.ExitCode;
import io.stag.cli.JsonFile;
import io.stag.cli.OutputFile;
import io.stag.cli.Progress;
import io.stag.cli.Table;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code stag perf check}. */
@Command(
        name = "check",
        header = "Says what got slower since the baseline was written, and by how much.",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        synopsisHeading = "Usage: ",
        descriptionHeading = "%n",
        description = {
            "Measures some of what stag perf compare does, and compares the ratios to raw TCP with those in a file that"
                    + " was committed. Ratios move less between machines and hours than times do, but they move:"
                    + " something counts as worse when its median is off by more than the tolerance and the middle"
                    + " half of its turns is off that of the baseline.",
            "",
            "It ends with 0 whatever it finds, unless --fail is given: it is for people who look, not for a build."
        },
        optionListHeading = "%nOptions:%n",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:measured and compared",
            "1:failed; with --fail also when something got worse or was not measured",
            "2:wrong usage"
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  stag perf check",
            "  stag perf check --rounds 60 --fail",
            "  stag perf check --update        after a change that was meant"
        })
public final class CheckCommand implements Callable<Integer> {
    private static final String FILE = "bench/baseline.json";

    @Spec
    private CommandSpec spec;

    @Mixin
    private MethodOptions method;

    @Option(
            names = "--baseline",
            paramLabel = "FILE",
            description = "The ratios as they were. Default: " + FILE + " of the source tree.")
    private Path baseline = Path.of(System.getProperty("stag.root", "."), FILE);

    @Option(
            names = "--tolerance",
            paramLabel = "PERCENT",
            description = "What does not count yet. Default: ${DEFAULT-VALUE}.")
    private double tolerance = 10;

    @Option(names = "--update", description = "Write the ratios of this run into the baseline, if all were measured.")
    private boolean update;

    @Option(names = "--fail", description = "End with 1 when something got worse or was not measured.")
    private boolean fail;

    @Option(
            names = "--json",
            paramLabel = "FILE",
            converter = OutputFile.class,
            description = "Write what was found there as JSON.")
    private @Nullable Path json;

    /** For picocli. */
    public CheckCommand() {
        this(new MethodOptions());
    }

    /** For tests, which have another way to measure. */
    CheckCommand(MethodOptions method) {
        this.method = method;
    }

    @Override
    public Integer call() throws IOException {
        method.check(spec);
        if (!(tolerance >= 0)) {
            throw new ParameterException(spec.commandLine(), "--tolerance is negative");
        }
        Ratios then = update ? null : read(baseline);
        Ratios now = measure();
        if (then == null) {
            update(now);
            return ExitCode.DONE;
        }
        List<Finding> findings = Guard.compare(then.ratios(), now.ratios(), tolerance);
        print(findings, then, now);
        if (json != null) {
            JsonFile.write(json, findings);
        }
        return fail && findings.stream().anyMatch(CheckCommand::isBad) ? ExitCode.FAILED : ExitCode.DONE;
    }

    private void update(Ratios now) {
        long missing = now.ratios().values().stream().filter(Spread::isEmpty).count();
        if (missing > 0) {
            throw new CommandFailure(
                    missing + " of " + now.ratios().size() + " ratios were not measured, " + baseline
                            + " stays as it is",
                    "");
        }
        JsonFile.write(baseline, now);
        out().println("wrote " + now.ratios().size() + " ratios to " + baseline);
        out().flush();
    }

    private Ratios measure() throws IOException {
        Rounds all = new Rounds();
        Map<String, Spread> ratios = new LinkedHashMap<>();
        try (Progress progress = new Progress(spec.commandLine().getErr())) {
            for (Guard.Watched one : Guard.watched()) {
                Rounds rounds = method.measure(List.of(one.against(), one.measured()), progress);
                ratios.put(one.name(), rounds.ratio(one.measured(), one.against(), one.metric()));
                all.addAll(rounds);
            }
        }
        all.notMeasured().forEach(out()::println);
        return new Ratios(Machine.here(), method.describe(all), ratios);
    }

    private void print(List<Finding> findings, Ratios then, Ratios now) {
        Table table = new Table("ratio", "baseline", "half of them", "now", "half of them", "change", "verdict");
        for (Finding finding : findings) {
            table.row(
                    finding.name(),
                    finding.then().text(2),
                    finding.then().range(2),
                    finding.now().text(2),
                    finding.now().range(2),
                    change(finding),
                    finding.verdict().toString());
        }
        table.print(out());
        out().println(count(findings, Verdict.WORSE) + " of " + findings.size() + " got worse, "
                + count(findings, Verdict.NOT_MEASURED) + " were not measured");
        out().println("baseline: " + then.machine().text() + ", "
                + then.machine().date());
        out().println("now:      " + now.machine().text() + ", " + now.method().text());
        out().flush();
    }

    private static String change(Finding finding) {
        return Double.isNaN(finding.worsePercent())
                ? ""
                : String.format(
                        Locale.ROOT,
                        "%.0f %% %s",
                        Math.abs(finding.worsePercent()),
                        finding.worsePercent() > 0 ? "worse" : "better");
    }

    private static long count(List<Finding> findings, Verdict verdict) {
        return findings.stream().filter(one -> one.verdict() == verdict).count();
    }

    private static boolean isBad(Finding finding) {
        return finding.verdict() == Verdict.WORSE || finding.verdict() == Verdict.NOT_MEASURED;
    }

    static Ratios read(Path file) throws IOException {
        try (Reader in = Files.newBufferedReader(file)) {
            Ratios ratios = new Gson().fromJson(in, Ratios.class);
            if (ratios != null && ratios.ratios() != null) {
                return ratios;
            }
        } catch (NoSuchFileException e) {
            throw new CommandFailure("there is no baseline " + file, "Write one with: stag perf check --update", e);
        } catch (JsonParseException e) {
            throw new CommandFailure(file + " is no baseline: " + e.getMessage(), "Write a new one with --update.", e);
        }
        throw new CommandFailure(file + " holds no ratios", "Write a new one with --update.");
    }

    private PrintWriter out() {
        return spec.commandLine().getOut();
    }
}
