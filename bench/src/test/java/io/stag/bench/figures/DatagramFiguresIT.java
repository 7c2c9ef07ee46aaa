package io.stag.bench.figures;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.stag.bench.CommandOutcome;
import io.stag.cli.ExitCode;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DatagramFiguresIT {
    @TempDir
    Path folder;

    @Test
    void membersOfAGroupGetWhatIsSent() throws Exception {
        Path json = folder.resolve("f.json");
        Path html = folder.resolve("f.html");
        CommandOutcome outcome = CommandOutcome.of(
                "figures",
                "datagram",
                "--only",
                "7",
                "--size",
                "1k",
                "--rounds",
                "1",
                "--seconds",
                "0.05",
                "--json",
                json.toString(),
                "--html",
                html.toString());
        assertThat(outcome.exitCode()).as(outcome.err()).isEqualTo(ExitCode.DONE);
        assertThat(outcome.out()).contains("3 receivers");
        JsonObject figures = JsonParser.parseString(Files.readString(json)).getAsJsonObject();
        assertThat(figures.getAsJsonArray("rows"))
                .hasSize(3)
                .allSatisfy(row -> assertThat(row.getAsJsonObject()
                                .getAsJsonObject("octetsPercent")
                                .get("median")
                                .getAsDouble())
                        .isPositive());
        assertThat(html).isNotEmptyFile();
    }
}
