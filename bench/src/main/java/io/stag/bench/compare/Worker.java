package io.stag.bench.compare;

import com.google.gson.Gson;
import io.stag.cli.perf.Measurement;
import io.stag.cli.perf.OpenRun;
import io.stag.cli.perf.PerfSession;
import io.stag.cli.perf.RunDuration;
import io.stag.cli.perf.RunSpec;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A process that measures on request: a JSON object per line on its standard input, an answer on its standard output.
 * What runs in a process of its own is compiled for itself alone, as in a program that uses nothing else.
 */
public final class Worker {
    private static final Gson GSON = new Gson();

    /**
     * What to measure.
     *
     * @param spec what: the same as before goes on with the run that is there; null ends it
     * @param duration how long
     */
    record Request(@Nullable RunSpec spec, RunDuration duration) {}

    /**
     * What was measured.
     *
     * @param error empty when all went well
     * @param measurement null when not, and at the end
     */
    record Reply(String error, @Nullable Measurement measurement) {}

    private final PerfSession session;
    private @Nullable OpenRun run;

    private Worker(PerfSession session) {
        this.session = session;
    }

    /**
     * Runs until standard input ends.
     *
     * @param args {@code pin} when client and server keep to different processors
     */
    public static void main(String[] args) throws IOException {
        PrintStream out = System.out;
        boolean pin = args.length > 0 && args[0].equals("pin");
        try (PerfSession session = PerfSession.inTwoProcesses(pin);
                BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            Worker worker = new Worker(session);
            String line = in.readLine();
            while (line != null) {
                out.println(GSON.toJson(worker.reply(GSON.fromJson(line, Request.class))));
                out.flush();
                line = in.readLine();
            }
        }
        System.exit(0); // whatever a library has left running
    }

    private Reply reply(Request request) {
        try {
            return new Reply("", measure(request.spec(), request.duration()));
        } catch (IOException | RuntimeException | OutOfMemoryError e) {
            return new Reply(Objects.requireNonNullElse(e.getMessage(), e.toString()), null);
        }
    }

    private @Nullable Measurement measure(@Nullable RunSpec spec, RunDuration duration) throws IOException {
        OpenRun present = run;
        if (present != null && !present.spec().equals(spec)) {
            run = null;
            present.close();
            present = null;
        }
        if (spec == null) {
            return null;
        }
        if (present == null) {
            present = session.open(spec, duration);
            run = present;
        } else {
            present.goOn();
        }
        return present.measure(duration);
    }
}
