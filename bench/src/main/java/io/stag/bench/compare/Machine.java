package io.stag.bench.compare;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;

/**
 * Where figures come from; without it they say nothing.
 *
 * @param processor its name
 * @param processors how many this process may use
 * @param system operating system and version
 * @param java version of the JVM
 * @param stag version of Stag
 * @param date when, in UTC
 */
public record Machine(String processor, int processors, String system, String java, String stag, String date) {
    private static final Path CPU_INFO = Path.of("/proc/cpuinfo");
    private static final String MODEL = "model name";

    /** This machine, now. */
    public static Machine here() {
        String version = Machine.class.getPackage().getImplementationVersion();
        return new Machine(
                processorName(),
                Runtime.getRuntime().availableProcessors(),
                System.getProperty("os.name") + " "
                        + System.getProperty("os.version").replaceFirst("^(\\d+\\.\\d+).*", "$1"),
                Runtime.version().toString(),
                version == null ? "(not packaged)" : version,
                ZonedDateTime.now(ZoneOffset.UTC)
                        .truncatedTo(ChronoUnit.SECONDS)
                        .format(DateTimeFormatter.ISO_INSTANT));
    }

    private static String processorName() {
        try {
            return Files.readAllLines(CPU_INFO).stream()
                    .filter(line -> line.startsWith(MODEL))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst()
                    .orElse(System.getProperty("os.arch"));
        } catch (IOException _) {
            return System.getProperty("os.arch");
        }
    }

    /** All of it in one line. */
    public String text() {
        return processors + " processors (" + processor + "), " + system + ", JDK " + java;
    }
}
