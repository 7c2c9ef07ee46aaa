package io.stag.interop;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The virtual machine, by way of the scripts in {@code interop/rig}. */
final class Rig implements AutoCloseable {
    private static final Duration BOOT_LIMIT = Duration.ofMinutes(5);
    private static final Duration COMMAND_LIMIT = Duration.ofSeconds(60);
    private static final String PROGRAMS = "rping rdma_server rdma_client ucmatose";

    private static final Pattern KERNEL_FAULT = Pattern.compile("kernel BUG at|BUG: |Oops:|general protection fault");

    private final Path scripts;
    private final boolean tap;
    private final PrintWriter log;
    private @Nullable Qmp qmp;

    Rig(Path scripts, boolean tap, PrintWriter log) {
        this.scripts = scripts;
        this.tap = tap;
        this.log = log;
    }

    static Path state() {
        String state = System.getenv("STAG_RIG");
        return Path.of(state == null ? "/var/tmp/stag-rig" : state);
    }

    private static Path guest() {
        String guest = System.getenv("STAG_RIG_GUEST");
        return guest == null ? state().resolve("guest") : Path.of(guest);
    }

    /** Whether cells that need TCP end to end can run. */
    boolean hasTap() {
        return tap;
    }

    void boot() throws IOException, InterruptedException {
        stop();
        log.println("booting the guest: seconds with KVM, up to a minute without");
        ProcessBuilder boot = script("boot.sh", String.valueOf(Role.STAG_CONNECTS.port()));
        boot.environment().put("STAG_RIG_TAP", tap ? "1" : "0");
        GuestRun run = new GuestRun("boot.sh", boot);
        run.succeed(BOOT_LIMIT);
        log.print(run.transcript());
        log.flush();
        qmp = new Qmp(guest().resolve("monitor"));
    }

    /** QEMU's control connection. */
    Qmp qmp() {
        Qmp open = qmp;
        if (open == null) {
            throw new IllegalStateException("no guest");
        }
        return open;
    }

    /** Starts a shell command in the guest. */
    GuestRun start(String command) {
        return new GuestRun("guest: " + command, script("guest.sh", command));
    }

    /** Runs a shell command in the guest, which must succeed. @return what it printed */
    String run(String command) throws InterruptedException {
        try (GuestRun run = start(command)) {
            run.succeed(COMMAND_LIMIT);
            return run.transcript().toString();
        }
    }

    /** What the guest's kernel complained about since it booted; empty when it is well. */
    String kernelFault() throws IOException {
        return Files.readString(guest().resolve("console.log"), StandardCharsets.ISO_8859_1)
                .lines()
                .filter(line -> KERNEL_FAULT.matcher(line).find())
                .findFirst()
                .map(String::strip)
                .orElse("");
    }

    /** Ends whatever a cell left behind, and loads a variant of siw. A guest that is not well, or gone, is booted anew. */
    void reset(String variant) throws IOException, InterruptedException {
        if (!isRunning() || !kernelFault().isEmpty()) {
            boot();
        }
        run("killall -q -9 " + PROGRAMS + "; while pidof " + PROGRAMS + " >/dev/null; do usleep 50000; done; siw "
                + variant);
    }

    /** Ends a capture; with the guest it has ended already. */
    void stopCapture(String id) throws IOException {
        if (isRunning()) {
            qmp().stopCapture(id);
        }
    }

    private static boolean isRunning() throws IOException {
        return machine().map(ProcessHandle::isAlive).orElse(false);
    }

    /** The guest vanishes without a word, like a machine that lost its power. */
    void cutPower() throws IOException, InterruptedException {
        ProcessHandle machine = machine().orElseThrow(() -> new IOException("the guest is gone already"));
        machine.destroyForcibly();
        while (machine.isAlive()) {
            TimeUnit.MILLISECONDS.sleep(10);
        }
    }

    /** QEMU removes the file with its number when it ends by itself, as after a panic in the guest. */
    private static Optional<ProcessHandle> machine() throws IOException {
        try {
            return ProcessHandle.of(
                    Long.parseLong(Files.readString(guest().resolve("pid")).strip()));
        } catch (NoSuchFileException _) {
            return Optional.empty();
        }
    }

    private ProcessBuilder script(String name, String... arguments) {
        List<String> command = new ArrayList<>();
        command.add(scripts.resolve(name).toString());
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command);
    }

    void stop() throws IOException, InterruptedException {
        Qmp open = qmp;
        qmp = null;
        if (open != null) {
            open.close();
        }
        new GuestRun("stop.sh", script("stop.sh")).await(COMMAND_LIMIT);
    }

    @Override
    public void close() throws IOException {
        try {
            stop();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}
