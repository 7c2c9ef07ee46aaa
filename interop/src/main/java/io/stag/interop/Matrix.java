package io.stag.interop;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.stag.cli.Table;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The results of a run.
 *
 * @param versions what was used, by name
 * @param started when the run began, in ISO form
 * @param seconds how long it took
 * @param cells one row each
 */
record Matrix(
        @JsonProperty Map<String, String> versions,
        @JsonProperty String started,
        @JsonProperty double seconds,
        @JsonProperty List<CellResult> cells) {

    private static final ObjectMapper JSON = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

    static Matrix read(Path file) throws IOException {
        return JSON.readValue(file.toFile(), Matrix.class);
    }

    boolean hasRed() {
        return cells.stream().anyMatch(cell -> cell.status() == Status.RED);
    }

    void print(PrintWriter out) {
        versions.forEach((name, version) -> out.println(name + " " + version));
        out.println();
        Table table = new Table(
                "cell",
                "settings",
                "who",
                "link",
                "siw",
                "result",
                "verified",
                "to siw",
                "aligned",
                "from siw",
                "seconds",
                "capture");
        for (CellResult cell : cells) {
            table.row(
                    cell.cell(),
                    cell.settings(),
                    cell.role(),
                    cell.link(),
                    cell.siw(),
                    cell.status().toString(),
                    String.valueOf(cell.iterations()),
                    String.valueOf(cell.fpdusToSiw()),
                    share(cell.alignedToSiw(), cell.fpdusToSiw()),
                    String.valueOf(cell.fpdusFromSiw()),
                    String.format(Locale.ROOT, "%.1f", cell.seconds()),
                    cell.capture());
        }
        table.print(out);
        out.println();
        cells.stream()
                .filter(cell -> !cell.remark().isEmpty())
                .forEach(cell -> out.println(cell.cell() + ": " + cell.remark()));
        out.println();
        out.println(String.format(Locale.ROOT, "%d cells in %.0f s: %s", cells.size(), seconds, counts()));
        out.flush();
    }

    /** The same as a part of {@code docs/interop.md}. */
    String markdown() {
        StringBuilder text = new StringBuilder();
        text.append("Run of ").append(started).append(": ");
        text.append(versions.entrySet().stream()
                .map(entry -> entry.getKey() + " " + entry.getValue())
                .collect(Collectors.joining(", ")));
        text.append(String.format(Locale.ROOT, ". %d cells in %.0f s: %s.%n%n", cells.size(), seconds, counts()));
        text.append("| cell | settings | who connects | link | siw | result | verified | FPDUs to siw | aligned |"
                + " FPDUs from siw | seconds |\n");
        text.append("| --- | --- | --- | --- | --- | --- | ---: | ---: | ---: | ---: | ---: |\n");
        for (CellResult cell : cells) {
            text.append(String.format(
                    Locale.ROOT,
                    "| %s | %s | %s | %s | %s | %s | %,d | %,d | %s | %,d | %.0f |%n",
                    cell.cell(),
                    cell.settings(),
                    cell.role().replace(">", "→"),
                    cell.link(),
                    cell.siw(),
                    cell.status(),
                    cell.iterations(),
                    cell.fpdusToSiw(),
                    share(cell.alignedToSiw(), cell.fpdusToSiw()),
                    cell.fpdusFromSiw(),
                    cell.seconds()));
        }
        text.append("\nIn the words of the cells:\n\n");
        cells.stream()
                .filter(cell -> !cell.remark().isEmpty())
                .forEach(cell -> text.append("- `")
                        .append(cell.cell())
                        .append("`: ")
                        .append(cell.remark())
                        .append('\n'));
        return text.toString();
    }

    private static String share(long part, long whole) {
        return whole == 0 ? "-" : String.format(Locale.ROOT, "%.2f %%", 100.0 * part / whole);
    }

    private String counts() {
        return Arrays.stream(Status.values())
                .map(status ->
                        cells.stream().filter(cell -> cell.status() == status).count() + " " + status)
                .collect(Collectors.joining(", "));
    }

    void write(Path file) throws IOException {
        JSON.writeValue(file.toFile(), this);
    }
}
