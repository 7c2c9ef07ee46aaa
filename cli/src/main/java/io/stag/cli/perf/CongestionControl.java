package io.stag.cli.perf;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Which congestion control TCP uses here; it decides much of what a bandwidth test shows. */
public final class CongestionControl {
    private static final Path LINUX = Path.of("/proc/sys/net/ipv4/tcp_congestion_control");

    private CongestionControl() {}

    /** Its name, or null where the system does not tell. */
    public static @Nullable String name() {
        try {
            return Files.readString(LINUX).strip();
        } catch (IOException _) {
            return null;
        }
    }
}
