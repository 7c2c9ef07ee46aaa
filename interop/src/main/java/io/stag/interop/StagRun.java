package io.stag.interop;

import io.stag.cli.Stag;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;

/** A {@code stag} command in a thread of this process. */
final class StagRun implements Run {
    private static final int INTERRUPTED = -1;

    private final List<String> arguments;
    private final Transcript transcript = new Transcript();
    private final Thread thread;
    private volatile int exitCode = INTERRUPTED;

    private StagRun(List<String> arguments) {
        this.arguments = arguments;
        thread = Thread.ofPlatform()
                .name("stag-interop-" + arguments.getFirst())
                .daemon()
                .unstarted(this::run);
    }

    static StagRun start(List<String> arguments) {
        StagRun run = new StagRun(arguments);
        run.thread.start();
        return run;
    }

    private void run() {
        PrintWriter writer = new PrintWriter(transcript, true);
        try {
            exitCode = Stag.execute(writer, writer, arguments.toArray(String[]::new));
        } finally {
            transcript.end();
        }
    }

    @Override
    public Transcript transcript() {
        return transcript;
    }

    @Override
    public int await(Duration limit) throws InterruptedException {
        if (!thread.join(limit)) {
            throw new CellFailure(this + " did not end within " + limit.toSeconds() + " s: " + transcript.tail());
        }
        return exitCode;
    }

    @Override
    public void close() {
        thread.interrupt();
        try {
            thread.join(Duration.ofSeconds(20));
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public String toString() {
        return "stag " + String.join(" ", arguments);
    }
}
