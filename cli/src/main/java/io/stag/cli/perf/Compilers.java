package io.stag.cli.perf;

import java.io.IOException;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The compilers of this JVM, which share its processor with what is measured. */
final class Compilers {
    private static final Path THREADS = Path.of("/proc/self/task");
    /** Nanoseconds of processor time are its first number, see the kernel's sched-stats.rst. */
    private static final String TIMES = "schedstat";

    private static final boolean THREADS_ARE_TIMED = Files.exists(THREADS.resolveSibling(TIMES));
    /** "C1 CompilerThread0" and "C2 CompilerThread0", of which Linux keeps 15 characters. */
    private static final String NAME = "C[12] CompilerThre.*";

    private static final @Nullable CompilationMXBean FINISHED = ManagementFactory.getCompilationMXBean();

    private Compilers() {}

    /**
     * Processor time of the compilers so far. Where the system does not tell that of a thread it is what the JVM says, which
     * leaves out what they have begun and not finished.
     */
    static long nanos() throws IOException {
        if (!THREADS_ARE_TIMED) {
            return FINISHED == null ? 0 : TimeUnit.MILLISECONDS.toNanos(FINISHED.getTotalCompilationTime());
        }
        long nanos = 0;
        try (DirectoryStream<Path> threads = Files.newDirectoryStream(THREADS)) {
            for (Path thread : threads) {
                nanos += nanosIfCompiler(thread);
            }
        }
        return nanos;
    }

    private static long nanosIfCompiler(Path thread) {
        try {
            boolean compiles = Files.readString(thread.resolve("comm")).strip().matches(NAME);
            return compiles
                    ? Long.parseLong(Files.readString(thread.resolve(TIMES)).split(" ", 2)[0])
                    : 0;
        } catch (IOException _) {
            return 0; // it has just ended
        }
    }
}
