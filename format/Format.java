import com.palantir.javaformat.java.Formatter;
import com.palantir.javaformat.java.JavaFormatterOptions;
import java.io.IOException;
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

/**
 * Checks or applies the format of all Java sources below a folder. Arguments: {@code check} or {@code apply}, the
 * folder, and a stamp file: files not touched since the last successful run are left out.
 */
final class Format {
    private static final Set<String> NOT_OURS = Set.of("target", ".git");

    public static void main(String[] args) throws Exception {
        boolean apply = args[0].equals("apply");
        Path root = Path.of(args[1]).toRealPath();
        Path stamp = Path.of(args[2]);
        Instant start = Instant.now();
        Instant last = Files.exists(stamp) ? Files.getLastModifiedTime(stamp).toInstant() : Instant.MIN;

        List<String> complaints = sourcesSince(last, root).parallelStream()
                .map(file -> format(file, apply, root.relativize(file).toString()))
                .filter(complaint -> !complaint.isEmpty())
                .toList();
        complaints.forEach(System.err::println);
        if (!complaints.isEmpty()) {
            System.err.println("To format: ./mvnw -q -pl format verify -Dformat=apply");
            System.exit(1);
        }
        Files.createDirectories(stamp.getParent());
        Files.writeString(stamp, "");
        Files.setLastModifiedTime(stamp, FileTime.from(start));
    }

    private static String format(Path file, boolean apply, String name) {
        try {
            String source = Files.readString(file);
            String formatted = FORMATTER.formatSourceAndFixImports(source);
            if (formatted.equals(source)) {
                return "";
            }
            if (apply) {
                Files.writeString(file, formatted);
                return "";
            }
            return "Not formatted: " + name;
        } catch (Exception e) {
            return "Cannot format " + name + ": " + e.getMessage();
        }
    }

    private static List<Path> sourcesSince(Instant last, Path root) throws IOException {
        List<Path> sources = new ArrayList<>();
        Files.walkFileTree(root, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
                return NOT_OURS.contains(folder.getFileName().toString())
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

    private static final Formatter FORMATTER = Formatter.createFormatter(JavaFormatterOptions.builder()
            .style(JavaFormatterOptions.Style.PALANTIR)
            .build());
}
