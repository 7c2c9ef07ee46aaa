package io.stag.bench.compare;

import com.google.gson.Gson;
import com.google.gson.JsonSyntaxException;
import io.stag.cli.CommandFailure;
import io.stag.cli.perf.JvmCommand;
import io.stag.cli.perf.Measurement;
import io.stag.cli.perf.RunDuration;
import io.stag.cli.perf.RunSpec;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.InterruptedIOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A {@link Worker}, seen from the process that started it. */
final class WorkerProcess implements AutoCloseable {
    private static final Gson GSON = new Gson();
    private static final long EXIT_LIMIT_SECONDS = 10;

    private final Process process;
    private final Writer requests;
    private final BufferedReader replies;
    private final Thread killer = new Thread(this::kill);
    private @Nullable RunSpec last;
    private boolean failed;
    private boolean still;

    WorkerProcess(PrivateNetwork network, boolean pin) throws IOException {
        List<String> command = new ArrayList<>(network.prefix());
        command.addAll(JvmCommand.running(Worker.class.getName()));
        command.add(pin ? "pin" : "free");
        process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        requests = new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8);
        replies = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        Runtime.getRuntime().addShutdownHook(killer);
    }

    /** Who stands still does not see that its parent is gone. */
    private void kill() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }

    /** Measures, or throws {@link CommandFailure} with the reason why not. */
    Measurement run(RunSpec spec, RunDuration duration) throws IOException {
        last = spec;
        Measurement measurement = call(new Worker.Request(spec, duration)).measurement();
        if (measurement == null) {
            throw new CommandFailure(spec.test() + ": no measurement", "");
        }
        return measurement;
    }

    private Worker.Reply call(Worker.Request request) throws IOException {
        Worker.Reply reply = exchange(GSON.toJson(request) + "\n");
        failed = reply == null || !reply.error().isEmpty();
        if (reply == null) {
            throw new CommandFailure("the process that measures " + test() + " died", "Its own output is above.");
        }
        if (failed) {
            throw new CommandFailure(test() + ": " + reply.error(), "");
        }
        return reply;
    }

    private Worker.@Nullable Reply exchange(String request) throws IOException {
        try {
            requests.write(request);
            requests.flush();
        } catch (IOException _) {
            return null; // nobody reads it
        }
        return reply();
    }

    private String test() {
        return last == null ? "nothing" : last.test().toString();
    }

    /** Takes no processor time until {@link #goOn}, not even for threads that poll. */
    void standStill() throws IOException {
        signal("-STOP");
        still = true;
    }

    void goOn() throws IOException {
        signal("-CONT");
        still = false;
    }

    /** The process and its own, by the command that every system has that can do this. */
    private void signal(String name) throws IOException {
        List<String> command = new ArrayList<>(List.of("kill", name));
        Stream.concat(Stream.of(process.toHandle()), process.descendants())
                .filter(ProcessHandle::isAlive)
                .forEach(one -> command.add(Long.toString(one.pid())));
        try {
            new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.DISCARD) // of one that has just ended
                    .start()
                    .waitFor();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while processes took turns");
        }
    }

    /** The next answer; what libraries print in between is passed over. */
    private Worker.@Nullable Reply reply() throws IOException {
        String line = replies.readLine();
        while (line != null) {
            if (line.startsWith("{")) {
                try {
                    return GSON.fromJson(line, Worker.Reply.class);
                } catch (JsonSyntaxException _) {
                    // not ours
                }
            }
            line = replies.readLine();
        }
        return null;
    }

    /** Ends the run that is there, if it has not failed, and the process. */
    @Override
    public void close() throws IOException {
        try (requests) {
            if (still) {
                goOn();
            }
            if (last != null && !failed) {
                call(new Worker.Request(null, new RunDuration(0, 0)));
            }
        } catch (IOException e) {
            if (!failed) {
                throw e; // else it is known
            }
        } finally {
            end();
        }
    }

    private void end() {
        try {
            if (!process.waitFor(EXIT_LIMIT_SECONDS, TimeUnit.SECONDS)) {
                kill();
            }
        } catch (InterruptedException _) {
            kill();
            Thread.currentThread().interrupt();
        }
        Runtime.getRuntime().removeShutdownHook(killer);
    }
}
