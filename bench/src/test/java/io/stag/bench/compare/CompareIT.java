package io.stag.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.stag.bench.CommandOutcome;
import io.stag.cli.ExitCode;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A tiny comparison from end to end: two processes for each of four contenders. */
class CompareIT {
    @TempDir
    Path folder;

    @Test
    void measuresEverybodyAndWritesAReport() throws Exception {
        Path json = folder.resolve("r.json");
        Path html = folder.resolve("r.html");
        CommandOutcome outcome = CommandOutcome.of(
                "perf",
                "compare",
                "--tests=tcp,write,netty,aeron",
                "--size=64",
                "--rounds=2",
                "--seconds=0.05",
                "--external=off", // whoever is installed here
                "--json=" + json,
                "--html=" + html);
        assertThat(outcome.exitCode()).as(outcome.err()).isEqualTo(ExitCode.DONE);
        assertThat(outcome.out())
                .contains("tcp-lat", "write-lat", "write-lat, no CRC", "netty-bw", "aeron-bw")
                .doesNotContain("not measured");
        JsonObject report = JsonParser.parseString(Files.readString(json)).getAsJsonObject();
        assertThat(report.getAsJsonArray("series")).hasSize(10);
        JsonObject first = report.getAsJsonArray("series").get(0).getAsJsonObject();
        assertThat(first.get("name").getAsString()).isEqualTo("tcp-lat");
        assertThat(first.getAsJsonArray("turns")).hasSize(2);
        assertThat(report.getAsJsonObject("machine").keySet()).contains("processor", "system", "java");
        assertThat(Files.readString(html).split("<svg ", -1)).hasSize(5);
    }
}
