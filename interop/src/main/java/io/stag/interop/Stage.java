package io.stag.interop;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** What the work of a cell has to do with: both sides, and where they are. Ends what was started when it is closed. */
final class Stage implements AutoCloseable {
    private static final Duration START_LIMIT = Duration.ofSeconds(30);

    private final Rig rig;
    private final Cell cell;
    private final Path folder;
    private final Captures captures;
    private final Consumer<String> progress;
    private final List<Run> runs = new ArrayList<>();

    Stage(Rig rig, Cell cell, Path folder, Captures captures, Consumer<String> progress) {
        this.rig = rig;
        this.cell = cell;
        this.folder = folder;
        this.captures = captures;
        this.progress = progress;
    }

    Rig rig() {
        return rig;
    }

    /** A file of this cell, beside its capture. */
    Path file(String ending) {
        return folder.resolve(cell.fileName() + "." + ending);
    }

    /** Says how far a long cell has come. */
    void progress(String step) {
        progress.accept(cell.name() + ": " + step);
    }

    /** Boots a guest anew whose kernel is not well, and goes on with the capture. */
    void revive() throws IOException, InterruptedException {
        captures.stop();
        rig.reset(cell.variant());
        captures.start();
    }

    Role role() {
        return cell.role();
    }

    Link link() {
        return cell.link();
    }

    int port() {
        return cell.role().port();
    }

    /** Where Stag finds the program in the guest. */
    InetSocketAddress guestAddress() {
        return new InetSocketAddress(cell.link().guest(), port());
    }

    /** Starts a stag command. */
    StagRun stag(String... arguments) {
        StagRun run = StagRun.start(List.of(arguments));
        runs.add(run);
        return run;
    }

    /** Starts a shell command in the guest. */
    GuestRun guest(String command) {
        GuestRun run = rig.start(command);
        runs.add(run);
        return run;
    }

    /** Starts a server in the guest and waits until it listens. */
    GuestRun guestServer(String command) throws InterruptedException {
        GuestRun server = guest(command);
        try (GuestRun waiting = rig.start("until ss -ltn | grep -q ':" + port() + " '; do usleep 50000; done")) {
            waiting.succeed(START_LIMIT);
        }
        return server;
    }

    /** Starts a stag server and waits until it listens. */
    StagRun stagServer(String... arguments) throws InterruptedException {
        StagRun server = stag(arguments);
        server.awaitText("listening on", START_LIMIT);
        return server;
    }

    /** The transcripts of everything that was started. */
    String transcripts() {
        StringBuilder all = new StringBuilder();
        for (Run run : runs) {
            all.append("== ").append(run).append('\n').append(run.transcript()).append('\n');
        }
        return all.toString();
    }

    @Override
    public void close() {
        runs.forEach(Run::close);
    }
}
