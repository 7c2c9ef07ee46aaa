package io.stag.bench.figures;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stag.bench.CommandOutcome;
import io.stag.bench.compare.Machine;
import io.stag.bench.compare.Spread;
import io.stag.bench.figures.DatagramFigures.Claim;
import io.stag.bench.figures.DatagramFigures.Row;
import io.stag.cli.ExitCode;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.w3c.dom.Document;
import org.xml.sax.InputSource;
import picocli.CommandLine;

class DatagramFiguresTest {
    private static final Spread NOTHING = new Spread(Double.NaN, Double.NaN, Double.NaN, 0);

    private static Spread exactly(double value) {
        return new Spread(value, value, value, 3);
    }

    private static Row row(int figure, String series, int size, double loss, double value, double percent) {
        return new Row(figure, series, size, loss, exactly(value), Double.isNaN(percent) ? NOTHING : exactly(percent));
    }

    /** Datagrams take three quarters of the time, carry twice as much, and lose what one expects. */
    private static DatagramFigures figures() {
        List<Row> rows = new ArrayList<>();
        for (int size : new int[] {64, 1 << 10, 64 << 10}) {
            rows.add(row(5, DatagramExperiment.UD_SEND, size, 0, size > 2_048 ? 90 : 3, 100));
            rows.add(row(5, DatagramExperiment.RC_SEND, size, 0, 4, Double.NaN));
        }
        rows.add(row(6, DatagramExperiment.UD_RECORD, 1 << 10, 0, 500, 100));
        rows.add(row(6, DatagramExperiment.RC_WRITE, 1 << 10, 0, 250, Double.NaN));
        rows.add(row(7, "1 receiver", 1 << 10, 0, 100, 100));
        rows.add(row(7, "3 receivers", 1 << 10, 0, 250, 100));
        for (double loss : new double[] {0, 1}) {
            rows.add(row(9, DatagramExperiment.UD_RECORD + ", MTU segments", 1 << 20, loss, 100, 100 - loss));
        }
        return DatagramFigures.of(Machine.here(), 3, 0.5, "magic", rows, List.of());
    }

    @Test
    void whatWasFoundStandsBesideThePapersClaims() {
        assertThat(figures().claims())
                .contains(
                        new Claim(5, "UD Send is 18.1 % faster than RC Send up to 2 kB", "25.0 % less time"),
                        new Claim(6, "UD Write-Record has 188.8 % more than RC Write at 1 kB", "100 % more"),
                        new Claim(
                                9,
                                "Write-Record keeps what arrived; a step at 64 kB",
                                "arrived: UD Write-Record, MTU segments of 1m at 1.0 %: 99.0 %"))
                .anyMatch(claim -> claim.figure() == 7 && claim.here().startsWith("2.50 times one receiver at 1k"))
                .hasSize(4); // nothing is said of what was not measured
    }

    @Test
    void theTableHasARowPerPointAndSaysHowPacketsWereLost() {
        StringWriter text = new StringWriter();
        figures().print(new PrintWriter(text));
        assertThat(text.toString().lines())
                .anyMatch(line -> line.matches("UD Send +5 +64 +0\\.0 +3\\.00 +us +3\\.00\\.\\.3\\.00 +100\\.00"))
                .anyMatch(line -> line.matches("RC Write +6 +1k +0\\.0 +250 +MB/s +250\\.\\.250 +-"))
                .contains("Loss by magic.");
    }

    @Test
    void everyFigureThatWasMeasuredIsAPlot() throws Exception {
        Document page = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new InputSource(new StringReader(figures().page().toString())));
        assertThat(page.getElementsByTagName("svg").getLength()).isEqualTo(4);
    }

    @Test
    void whatWasNotMeasuredIsLeftOutAndNamed() {
        List<Row> rows = List.of(
                row(5, DatagramExperiment.UD_SEND, 64, 0, 3, 100),
                new Row(5, DatagramExperiment.UD_SEND, 1 << 10, 0, NOTHING, NOTHING),
                new Row(5, DatagramExperiment.RC_SEND, 64, 0, NOTHING, NOTHING),
                new Row(5, DatagramExperiment.RC_SEND, 1 << 10, 0, NOTHING, NOTHING),
                new Row(6, DatagramExperiment.UD_SEND, 64, 0, NOTHING, NOTHING));
        DatagramFigures figures =
                DatagramFigures.of(Machine.here(), 3, 0.5, "", rows, List.of("not measured: send-lat"));
        assertThat(figures.isComplete()).isFalse();
        assertThat(figures().isComplete()).isTrue();
        StringWriter text = new StringWriter();
        figures.print(new PrintWriter(text));
        assertThat(text.toString()).contains("not measured: send-lat");
        assertThat(figures.page().toString())
                .contains("not measured: send-lat", "Figure 5: latency: UD Send", "bandwidth: nothing was measured.");
    }

    @Test
    void aPageThatCannotBeMadeDoesNotCostTheNumbers(@TempDir Path folder) throws IOException {
        Path json = folder.resolve("d.json");
        FigureOptions options = CommandLine.populateCommand(
                new FigureOptions(),
                "--json",
                json.toString(),
                "--html",
                folder.resolve("d.html").toString());
        assertThatThrownBy(() -> options.write(figures(), () -> {
                    throw new IllegalStateException("no page");
                }))
                .hasMessage("no page");
        assertThat(Files.readString(json)).contains("UD Send");
        CommandLine.populateCommand(new FigureOptions()).write(figures(), () -> {
            throw new IllegalStateException("nobody wants it");
        });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "figures datagram --only 4",
                "figures datagram --size 0",
                "figures datagram --only 5 --size 2000000000",
                "figures datagram --json /nowhere/d.json",
                "figures reliable --loss 100",
                "figures datagram --rounds 0",
                "figures datagram --only x"
            })
    void wrongUsageIsRefused(String arguments) {
        CommandOutcome outcome = CommandOutcome.of(arguments.split(" "));
        assertThat(outcome.exitCode()).as(outcome.err()).isEqualTo(ExitCode.USAGE);
        assertThat(outcome.err()).contains("stag figures ");
    }
}
