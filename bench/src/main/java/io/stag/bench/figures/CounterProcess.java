package io.stag.bench.figures;

import io.stag.cli.CommandFailure;
import io.stag.cli.perf.JvmCommand;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A {@link BackgroundCounter} with the lowest priority there is, seen from the process that started it. */
final class CounterProcess implements AutoCloseable {
    private final Process process;
    private final Writer questions;
    private final BufferedReader answers;

    /**
     * How far it was.
     *
     * @param count steps so far
     * @param nanos when
     */
    record Reading(long count, long nanos) {
        /** Steps per second since an earlier reading. */
        double rateSince(Reading before) {
            return (count - before.count) * 1e9 / (nanos - before.nanos);
        }
    }

    CounterProcess(boolean receiver) throws IOException {
        List<String> command = new ArrayList<>(List.of("chrt", "--idle", "0"));
        command.addAll(JvmCommand.running(BackgroundCounter.class.getName()));
        command.add(receiver ? "receiver" : "sender");
        try {
            process = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
        } catch (IOException e) {
            throw new CommandFailure(
                    "chrt does not run: " + e.getMessage(), "This experiment needs Linux with util-linux.", e);
        }
        questions = new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8);
        answers = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    Reading read() throws IOException {
        questions.write("\n");
        questions.flush();
        String line = answers.readLine();
        if (line == null) {
            throw new CommandFailure("the background counter ended", "Its own output is above.");
        }
        String[] parts = line.split(" ", 2);
        return new Reading(Long.parseLong(parts[0]), Long.parseLong(parts[1]));
    }

    @Override
    public void close() throws IOException {
        questions.close();
        process.destroy();
    }
}
