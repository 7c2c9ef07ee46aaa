package io.stag.cli.perf;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Writes results as a JSON list. */
final class ResultFile {
    private static final Gson GSON =
            new GsonBuilder().serializeNulls().setPrettyPrinting().create();

    private ResultFile() {}

    static void write(Path file, List<PerfResult> results) throws IOException {
        try (Writer out = Files.newBufferedWriter(file)) {
            GSON.toJson(results, out);
            out.write(System.lineSeparator());
        }
    }
}
