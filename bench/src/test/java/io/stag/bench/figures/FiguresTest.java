package io.stag.bench.figures;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.bench.CommandOutcome;
import io.stag.bench.compare.Machine;
import io.stag.bench.compare.Spread;
import io.stag.cli.ExitCode;
import java.io.PrintWriter;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.w3c.dom.Document;
import org.xml.sax.InputSource;

class FiguresTest {
    private static Spread exactly(double value) {
        return new Spread(value, value, value, 3);
    }

    /** Raw TCP loads its sender with 30 percent, Stag with 10 more, and 10 more with CRC. */
    private static LoadFigure load() {
        List<LoadFigure.Row> rows = new ArrayList<>();
        double[] sender = {30, 40, 50};
        for (int i = 0; i < LoadExperiment.runs().size(); i++) {
            var run = LoadExperiment.runs().get(i);
            rows.add(new LoadFigure.Row(
                    LoadFigure.name(run), run.size(), exactly(sender[i % 3]), exactly(80), exactly(500)));
        }
        return new LoadFigure(Machine.here(), 3, 0.5, 500, rows);
    }

    @Test
    void theLoadStandsBesideThePapers() {
        StringWriter text = new StringWriter();
        load().print(new PrintWriter(text));
        assertThat(text.toString().lines())
                .anyMatch(line -> line.matches("iWARP, CRC +68k +50 +50\\.\\.50 +20 +80 .* 70 +about 90"))
                .anyMatch(line -> line.matches("iWARP, no CRC +4k +40 +40\\.\\.40 +10 +80 .* TCP \\+ 20 +about 90"));
    }

    @Test
    void bothPlotsNameWhatTheyCompare() throws Exception {
        Document page = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new InputSource(new StringReader(load().page().toString())));
        assertThat(page.getElementsByTagName("svg").getLength()).isEqualTo(2);
        assertThat(page.getElementsByTagName("svg")
                        .item(0)
                        .getAttributes()
                        .getNamedItem("aria-label")
                        .getNodeValue())
                .isEqualTo("System load with 68 KiB messages: sender, here, sender, paper, receiver, here, receiver,"
                        + " paper");
    }

    @ParameterizedTest
    @CsvSource({"100, 100, 0", "100, 25, 75", "100, 110, 0", "100, 0, 100"})
    void loadIsWhatTheCounterLost(double alone, double loaded, double percent) {
        assertThat(LoadExperiment.slowdown(alone, loaded)).isEqualTo(percent);
    }

    @Test
    void eachPlotCanHaveAFileOfItsOwn(@TempDir Path folder) throws Exception {
        Path plots = folder.resolve("plots");
        load().page().writePlots(plots);
        try (Stream<Path> files = Files.list(plots)) {
            List<Path> all = files.toList();
            assertThat(all).hasSize(2);
            for (Path file : all) {
                assertThat(file.getFileName().toString()).matches("[a-z0-9-]+[.]svg");
                assertThat(DocumentBuilderFactory.newInstance()
                                .newDocumentBuilder()
                                .parse(file.toFile())
                                .getDocumentElement()
                                .getTagName())
                        .isEqualTo("svg");
            }
        }
    }

    @Test
    void theRunsAreThoseOfThePaper() {
        assertThat(LoadExperiment.runs())
                .extracting(run -> LoadFigure.name(run) + " " + run.size())
                .containsExactly(
                        "TCP 69632",
                        "iWARP, no CRC 69632",
                        "iWARP, CRC 69632",
                        "TCP 4096",
                        "iWARP, no CRC 4096",
                        "iWARP, CRC 4096");
        assertThat(OscTable1.runs()).hasSize(6);
    }

    @Test
    void aReadingTellsARate() {
        var before = new CounterProcess.Reading(100, 1_000_000_000L);
        assertThat(new CounterProcess.Reading(600, 3_000_000_000L).rateSince(before))
                .isEqualTo(250);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "figures load --rate -1",
                "figures load --rounds 0",
                "figures osc-table1 --seconds 0",
                "figures x"
            })
    void wrongUsageIsRefused(String arguments) {
        CommandOutcome outcome = CommandOutcome.of(arguments.split(" "));
        assertThat(outcome.exitCode()).as(outcome.err()).isEqualTo(ExitCode.USAGE);
        assertThat(outcome.err()).contains("stag figures");
    }

    @Test
    void withoutAFigureItShowsWhatThereIs() {
        CommandOutcome outcome = CommandOutcome.of("figures");
        assertThat(outcome.exitCode()).isEqualTo(ExitCode.DONE);
        assertThat(outcome.out()).contains("load", "osc-table1");
    }
}
