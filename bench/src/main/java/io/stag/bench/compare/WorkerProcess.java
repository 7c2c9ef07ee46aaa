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
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A {@link Worker}, seen from the process that started it. */
final class WorkerProcess implements AutoCloseable {
    private static final Gson GSON = new Gson();
    private static final long EXIT_LIMIT_SECONDS = 10;

    private final Process process;
    private final Writer requests;
    private final BufferedReader replies;

    WorkerProcess(PrivateNetwork network, boolean pin) throws IOException {
        List<String> command = new ArrayList<>(network.prefix());
        command.addAll(JvmCommand.running(Worker.class.getName()));
        command.add(pin ? "pin" : "free");
        process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        requests = new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8);
        replies = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    /** Measures, or throws {@link CommandFailure} with the reason why not. */
    Measurement run(RunSpec spec, RunDuration duration) throws IOException {
        requests.write(GSON.toJson(new Worker.Request(spec, duration)) + "\n");
        requests.flush();
        Worker.Reply reply = reply();
        if (reply == null) {
            throw new CommandFailure("the process that measures " + spec.test() + " died", "Its own output is above.");
        }
        Measurement measurement = reply.measurement();
        if (measurement == null) {
            throw new CommandFailure(spec.test() + ": " + reply.error(), "");
        }
        return measurement;
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

    @Override
    public void close() throws IOException {
        requests.close();
        try {
            if (!process.waitFor(EXIT_LIMIT_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException _) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
