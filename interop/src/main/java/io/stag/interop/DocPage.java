package io.stag.interop;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A page whose generated parts stand between {@code <!-- NAME: … -->} and {@code <!-- end of NAME -->}. */
final class DocPage {
    private final Path file;
    private String text;

    private DocPage(Path file, String text) {
        this.file = file;
        this.text = text;
    }

    static DocPage read(Path file) throws IOException {
        return new DocPage(file, Files.readString(file));
    }

    /** For tests. */
    static DocPage ofText(String text) {
        return new DocPage(Path.of(""), text);
    }

    /** Puts a new text in the place of a part. */
    DocPage replace(String name, String part) throws IOException {
        int begin = text.indexOf("<!-- " + name + ":");
        int from = begin < 0 ? -1 : text.indexOf("-->\n", begin);
        int to = text.indexOf("<!-- end of " + name + " -->");
        if (from < 0 || to < from) {
            throw new IOException(file + " has no part '" + name + "': <!-- " + name + ": … --> and <!-- end of " + name
                    + " --> on lines of their own");
        }
        text = text.substring(0, from + "-->\n".length()) + "\n" + part.strip() + "\n\n" + text.substring(to);
        return this;
    }

    void write() throws IOException {
        Files.writeString(file, text);
    }

    @Override
    public String toString() {
        return text;
    }
}
