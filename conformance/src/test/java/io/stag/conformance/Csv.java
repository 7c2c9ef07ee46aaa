package io.stag.conformance;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Reads comma-separated values (RFC 4180) whose fields hold no line ends. */
final class Csv {
    private Csv() {}

    /**
     * The lines of a file behind its first.
     *
     * @param header the fields that the first line must have, and every other as many
     */
    static List<List<String>> read(Path file, List<String> header) throws IOException {
        List<List<String>> rows = new ArrayList<>();
        for (String line : Files.readAllLines(file)) {
            List<String> fields = fields(line);
            if (fields.size() != header.size()) {
                throw new IOException(file + ": " + header.size() + " fields expected: " + line);
            }
            rows.add(fields);
        }
        if (rows.isEmpty() || !rows.removeFirst().equals(header)) {
            throw new IOException(file + ": first line must be " + header);
        }
        return rows;
    }

    static List<String> fields(String line) throws IOException {
        List<String> fields = new ArrayList<>();
        int at = 0;
        do {
            if (at < line.length() && line.charAt(at) == '"') {
                int end = closingQuote(line, at);
                fields.add(line.substring(at + 1, end).replace("\"\"", "\""));
                at = end + 1;
                if (at < line.length() && line.charAt(at) != ',') {
                    throw new IOException("text behind a quoted field: " + line);
                }
            } else {
                int comma = line.indexOf(',', at);
                int end = comma < 0 ? line.length() : comma;
                fields.add(line.substring(at, end));
                at = end;
            }
        } while (at++ < line.length());
        return fields;
    }

    private static int closingQuote(String line, int open) throws IOException {
        for (int at = open + 1; at < line.length(); at++) {
            if (line.charAt(at) != '"') {
                continue;
            }
            if (at + 1 == line.length() || line.charAt(at + 1) != '"') {
                return at;
            }
            at++;
        }
        throw new IOException("a quote is not closed: " + line);
    }
}
