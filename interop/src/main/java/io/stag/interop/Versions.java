package io.stag.interop;

import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/** What takes part, with versions. */
final class Versions {
    private static final Duration LIMIT = Duration.ofSeconds(20);

    private Versions() {}

    static Map<String, String> read() throws IOException, InterruptedException {
        Map<String, String> versions = new LinkedHashMap<>();
        for (String line : Files.readAllLines(Rig.state().resolve("image/manifest.txt"))) {
            String[] words = line.split(" ", 2);
            if (words[0].startsWith("linux-image-")) {
                versions.put(
                        "guest kernel with siw", words[0].substring("linux-image-".length()) + " (" + words[1] + ")");
            } else if (words[0].equals("rdma-core")) {
                versions.put("rdma-core", words[1]);
            }
        }
        versions.put("QEMU", firstLine("qemu-system-x86_64", "--version").replace("QEMU emulator version ", ""));
        versions.put("host Linux", System.getProperty("os.version").replaceFirst("^(\\d+\\.\\d+).*", "$1"));
        versions.put("JDK", Runtime.version().toString());
        return versions;
    }

    private static String firstLine(String... command) throws InterruptedException {
        GuestRun run = new GuestRun(command[0], new ProcessBuilder(command));
        run.succeed(LIMIT);
        return run.transcript().toString().lines().findFirst().orElse("");
    }
}
