package io.stag.format;

import static org.assertj.core.api.Assertions.assertThat;

import com.palantir.javaformat.java.Formatter;
import com.palantir.javaformat.java.FormatterException;
import com.palantir.javaformat.java.JavaFormatterOptions;
import com.palantir.javaformat.java.JavaFormatterOptions.Style;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * The format of all Java sources. With {@code -Dformat=apply} it is changed where needed, else only looked at.
 * The formatter uses javac's own parser, so it must run on the JDK that compiles; Maven may run on an older one.
 */
class FormatTest {
    private static final boolean APPLY = "apply".equals(System.getProperty("format"));
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Set<String> NO_SOURCES = Set.of("target", ".git");

    private final Formatter formatter = Formatter.createFormatter(
            JavaFormatterOptions.builder().style(Style.PALANTIR).build());

    @Test
    void allSourcesAreFormatted() throws IOException {
        Path stamp =
                Path.of("target", "formatted-" + Formatter.class.getPackage().getImplementationVersion());
        Instant start = Instant.now();
        Instant last = Files.exists(stamp) ? Files.getLastModifiedTime(stamp).toInstant() : Instant.MIN;

        List<String> complaints = sourcesTouchedSince(last).parallelStream()
                .map(this::complaintAbout)
                .filter(complaint -> !complaint.isEmpty())
                .sorted()
                .toList();

        assertThat(complaints)
                .as("complaints; to format all sources: ./mvnw -q -pl format test -Dformat=apply")
                .isEmpty();
        Files.writeString(stamp, "");
        Files.setLastModifiedTime(stamp, FileTime.from(start));
    }

    private String complaintAbout(Path file) {
        try {
            String source = Files.readString(file);
            String formatted = formatter.formatSourceAndFixImports(source);
            if (formatted.equals(source)) {
                return "";
            }
            if (APPLY) {
                Files.writeString(file, formatted);
                return "";
            }
            return ROOT.relativize(file) + " is not formatted";
        } catch (FormatterException e) {
            return ROOT.relativize(file) + " cannot be formatted: " + e.getMessage();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<Path> sourcesTouchedSince(Instant last) throws IOException {
        List<Path> sources = new ArrayList<>();
        Files.walkFileTree(ROOT, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
                return NO_SOURCES.contains(folder.getFileName().toString())
                        ? FileVisitResult.SKIP_SUBTREE
                        : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                if (file.toString().endsWith(".java")
                        && !attributes.lastModifiedTime().toInstant().isBefore(last)) {
                    sources.add(file);
                }
                return FileVisitResult.CONTINUE;
            }
        });
        return sources;
    }
}
