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

class OscTable1IT {
    @TempDir
    Path folder;

    @Test
    void measuresAndWritesTablePlotAndJson() throws Exception {
        Path json = folder.resolve("t.json");
        Path html = folder.resolve("t.html");
        CommandOutcome outcome = CommandOutcome.of(
                "figures", "osc-table1", "--rounds=1", "--seconds=0.05", "--json=" + json, "--html=" + html);
        assertThat(outcome.exitCode()).as(outcome.err()).isEqualTo(ExitCode.DONE);
        assertThat(outcome.out()).contains("iWARP, CRC on", "1401.9", "2.24");
        JsonObject table = JsonParser.parseString(Files.readString(json)).getAsJsonObject();
        assertThat(table.getAsJsonArray("rows")).hasSize(6);
        assertThat(Files.readString(html)).contains("<svg ", "paper, 2005");
    }
}
