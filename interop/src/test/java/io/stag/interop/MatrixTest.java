package io.stag.interop;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MatrixTest {
    private static Matrix matrix(Status status) {
        CellResult first = result("rping/client", Status.GREEN);
        return new Matrix(Map.of("QEMU", "7.2"), "2026-01-01T00:00:00Z", 3, List.of(first, result("other", status)));
    }

    private static CellResult result(String name, Status status) {
        return new CellResult(
                name, "CRC on", "stag > siw", "tap", "stock", status, 200, 800, 1_000, 796, 1.25, name + ".pcap", "");
    }

    @ParameterizedTest
    @CsvSource({"GREEN, false", "RED, true", "PEER, false", "NONE, false"})
    void onlyRedCellsFailTheRun(Status status, boolean red) {
        assertThat(matrix(status).hasRed()).isEqualTo(red);
    }

    @Test
    void aMatrixWithoutCellsIsPrinted() {
        assertThat(print(new Matrix(Map.of(), "", 0, List.of()))).contains("0 cells");
    }

    @Test
    void theTableLinesUpAndCounts() {
        String text = print(matrix(Status.RED));
        assertThat(text)
                .contains("QEMU 7.2", "99.50", "rping/client.pcap", "2 cells in 3 s: 1 green, 1 red, 0 peer, 0 none");
        List<String> rows =
                text.lines().filter(line -> line.contains("stag > siw")).toList();
        assertThat(rows)
                .extracting(row -> row.indexOf("stag > siw"))
                .containsOnly(rows.getFirst().indexOf("stag > siw"));
    }

    private static String print(Matrix matrix) {
        StringWriter text = new StringWriter();
        matrix.print(new PrintWriter(text));
        return text.toString();
    }

    @Test
    void theFileHoldsTheSame(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("matrix.json");
        matrix(Status.PEER).write(file);
        JsonNode read = new ObjectMapper().readTree(file.toFile());
        assertThat(read.at("/cells/0/fpdusToSiw").asLong()).isEqualTo(800);
        assertThat(read.at("/cells/1/status").asText()).isEqualTo("PEER");
        assertThat(read.at("/versions/QEMU").asText()).isEqualTo("7.2");
    }
}
