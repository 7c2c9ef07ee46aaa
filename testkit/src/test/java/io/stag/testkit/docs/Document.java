package io.stag.testkit.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A Markdown file, as far as tests look at it: its blocks of code, and the comments right before them.
 *
 * @param name for messages
 * @param lines its lines
 */
record Document(String name, List<String> lines) {
    private static final Pattern COMMENT = Pattern.compile("<!-- (.*) -->");
    private static final Pattern FENCE = Pattern.compile("(`{3,})([a-z]*)");

    /**
     * A block of code.
     *
     * @param place file and line, for messages
     * @param comment what the comment in the line before says, or nothing
     * @param language the word behind the fence, or nothing
     * @param text its lines
     */
    record Block(String place, String comment, String language, List<String> text) {}

    static Document read(Path root, String name) throws IOException {
        return new Document(name, Files.readAllLines(root.resolve(name)));
    }

    List<Block> blocks() {
        List<Block> blocks = new ArrayList<>();
        for (int at = 0; at < lines.size(); at++) {
            Matcher fence = FENCE.matcher(lines.get(at));
            if (!fence.matches()) {
                continue;
            }
            int end = at + 1;
            while (end < lines.size() && !lines.get(end).equals(fence.group(1))) {
                end++;
            }
            String place = place(at);
            if (end == lines.size()) {
                throw new AssertionError(place + ": the block has no end");
            }
            Matcher comment = COMMENT.matcher(at == 0 ? "" : lines.get(at - 1));
            blocks.add(new Block(
                    place, comment.matches() ? comment.group(1) : "", fence.group(2), lines.subList(at + 1, end)));
            at = end;
        }
        return blocks;
    }

    String place(int index) {
        return name + ":" + (index + 1);
    }

    /** The folder of the parent build: the nearest one above that has a README. */
    static Path root() {
        Path folder = Path.of("").toAbsolutePath();
        while (folder != null && !Files.exists(folder.resolve("README.md"))) {
            folder = folder.getParent();
        }
        if (folder == null) {
            throw new IllegalStateException("README.md not found");
        }
        return folder;
    }
}
