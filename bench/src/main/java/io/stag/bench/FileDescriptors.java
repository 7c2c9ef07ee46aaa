package io.stag.bench;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/** The open files of this process, where the operating system shows them. */
final class FileDescriptors {
    private static final Path FOLDER = Path.of("/proc/self/fd");

    private FileDescriptors() {}

    static boolean isKnown() {
        return Files.isDirectory(FOLDER);
    }

    /** By number, what each one is. Empty where it cannot be known. */
    static Map<String, String> open() {
        Map<String, String> open = new TreeMap<>();
        if (!isKnown()) {
            return open;
        }
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(FOLDER)) {
            for (Path entry : entries) {
                String target = read(entry);
                if (isOfInterest(target)) {
                    open.put(entry.getFileName().toString(), target);
                }
            }
        } catch (IOException e) {
            throw new Program.Failure("cannot list " + FOLDER, e);
        }
        return open;
    }

    private static String read(Path entry) {
        try {
            return Files.readSymbolicLink(entry).toString();
        } catch (IOException _) {
            return ""; // closed meanwhile, as the one of the listing itself
        }
    }

    /** Sockets, pipes, epoll and event descriptors; the JVM opens files of its own when it likes. */
    private static boolean isOfInterest(String target) {
        return target.startsWith("socket:") || target.startsWith("pipe:") || target.startsWith("anon_inode:");
    }
}
