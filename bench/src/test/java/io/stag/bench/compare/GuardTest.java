package io.stag.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stag.bench.CommandOutcome;
import io.stag.bench.compare.Guard.Finding;
import io.stag.bench.compare.Guard.Verdict;
import io.stag.cli.CommandFailure;
import io.stag.cli.ExitCode;
import io.stag.cli.JsonFile;
import io.stag.cli.Stag;
import io.stag.cli.perf.PerfTest;
import io.stag.cli.perf.RunSpec;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class GuardTest {
    private static final String LATENCY = "write-lat 64 / raw TCP";
    private static final String BANDWIDTH = "write-bw 1m / raw TCP";

    @TempDir
    Path folder;

    private static Finding compare(String name, Spread then, Spread now) {
        return Guard.compare(Map.of(name, then), Map.of(name, now), 10).getFirst();
    }

    private static Spread around(double median) {
        return new Spread(median, median - 0.05, median + 0.05, 5);
    }

    @ParameterizedTest
    @CsvSource({"1.2, WORSE", "1.09, SAME", "1.0, SAME", "0.95, SAME", "0.8, BETTER"})
    void latencyGetsWorseUpwards(double now, Verdict verdict) {
        assertThat(compare(LATENCY, around(1.0), around(now)).verdict()).isEqualTo(verdict);
    }

    @ParameterizedTest
    @CsvSource({"1.2, BETTER", "1.0, SAME", "0.8, WORSE"})
    void bandwidthGetsWorseDownwards(double now, Verdict verdict) {
        assertThat(compare(BANDWIDTH, around(1.0), around(now)).verdict()).isEqualTo(verdict);
    }

    @Test
    void roundsThatOverlapProveNothing() {
        Finding finding = compare(LATENCY, new Spread(1.0, 0.9, 1.4, 5), new Spread(1.5, 1.3, 1.6, 5));
        assertThat(finding.verdict()).isEqualTo(Verdict.SAME);
        assertThat(finding.worsePercent()).isEqualTo(50);
    }

    @Test
    void saysHowMuch() {
        assertThat(compare(BANDWIDTH, around(1.0), around(0.5)).worsePercent()).isEqualTo(100);
        assertThat(compare(LATENCY, around(1.0), around(1.25)).worsePercent()).isEqualTo(25);
    }

    @Test
    void whatIsMissingIsNamed() {
        Spread nothing = new Spread(Double.NaN, Double.NaN, Double.NaN, 0);
        assertThat(compare(LATENCY, around(1), nothing).verdict()).isEqualTo(Verdict.NOT_MEASURED);
        assertThat(Guard.compare(Map.of(), Map.of(LATENCY, around(1)), 10))
                .extracting(Finding::verdict)
                .isEqualTo(List.of(Verdict.NEW));
    }

    @Test
    void watchesLatencyBandwidthAndProcessorTime() {
        assertThat(Guard.watched())
                .extracting(Guard.Watched::name)
                .contains(LATENCY, BANDWIDTH)
                .doesNotHaveDuplicates();
        assertThat(Guard.watched()).extracting(Guard.Watched::metric).contains(Metric.CPU);
        assertThat(Guard.watched())
                .allMatch(one ->
                        one.against().spec().size() == one.measured().spec().size());
    }

    private CommandOutcome check(Bench bench, String... options) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int exitCode = Stag.configured(new CommandLine(new CheckCommand(new MethodOptions(bench))))
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(options);
        return new CommandOutcome(exitCode, out.toString(), err.toString());
    }

    @Test
    void whatWasNotMeasuredDoesNotPass() throws IOException {
        String file = folder.resolve("b.json").toString();
        assertThat(check(new FakeBench(_ -> 1), "--baseline", file, "--update").exitCode())
                .isEqualTo(ExitCode.DONE);
        FakeBench dead = new FakeBench(_ -> Double.NaN);
        CommandOutcome strict = check(dead, "--baseline", file, "--fail");
        assertThat(strict.exitCode()).isEqualTo(ExitCode.FAILED);
        assertThat(strict.out())
                .contains("not measured: write-lat, 64 octets: it failed", "0 of 15 got worse, 15 were not measured");
        assertThat(check(dead, "--baseline", file).exitCode())
                .as("it is for people who look")
                .isEqualTo(ExitCode.DONE);
    }

    @Test
    void aBaselineWithHolesIsNotWritten() throws IOException {
        Path file = folder.resolve("b.json");
        check(new FakeBench(_ -> 1), "--baseline", file.toString(), "--update");
        String before = Files.readString(file);
        FakeBench bench = FakeBench.failingFrom(2, RunSpec.of(PerfTest.SEND_BW, 1 << 20));
        CommandOutcome outcome = check(bench, "--baseline", file.toString(), "--update");
        assertThat(outcome.exitCode()).isEqualTo(ExitCode.FAILED);
        assertThat(outcome.err()).contains("1 of 15 ratios were not measured");
        assertThat(outcome.out()).contains("not measured: send-bw, 1m octets: it failed");
        assertThat(Files.readString(file)).isEqualTo(before);
    }

    @Test
    void aBaselineIsReadBack() throws IOException {
        Path file = folder.resolve("b.json");
        Guard.Ratios ratios = new Guard.Ratios(
                Machine.here(), new Report.Method(5, 1, 0.5, true, "cubic", true, null), Map.of(LATENCY, around(1)));
        JsonFile.write(file, ratios);
        assertThat(CheckCommand.read(file)).isEqualTo(ratios);
    }

    @Test
    void aWrongBaselineIsRefused() throws IOException {
        Path file = folder.resolve("b.json");
        Files.writeString(file, "{}");
        assertThatThrownBy(() -> CheckCommand.read(file))
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining("holds no ratios");
        Files.writeString(file, "[1");
        assertThatThrownBy(() -> CheckCommand.read(file)).hasMessageContaining("is no baseline");
    }

    @Test
    void withoutABaselineItSaysHowToGetOne() {
        CommandOutcome outcome = CommandOutcome.of(
                "perf", "check", "--baseline", folder.resolve("none").toString());
        assertThat(outcome.exitCode()).isEqualTo(ExitCode.FAILED);
        assertThat(outcome.err()).contains("there is no baseline", "stag perf check --update");
    }
}
