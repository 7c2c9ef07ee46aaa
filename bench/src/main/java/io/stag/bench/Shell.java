package io.stag.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** Commands of the operating system. */
public final class Shell {
    private Shell() {}

    /** Runs a command to its end. */
    public static void run(String... command) {
        String text = String.join(" ", command);
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            process.getOutputStream().close();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            int exitCode = process.waitFor();
            if (exitCode != 0) {
                throw new Program.Failure(text + ": " + (output.isBlank() ? "exit code " + exitCode : output.strip()));
            }
        } catch (IOException e) {
            throw new Program.Failure(text + ": " + e.getMessage(), e);
        } catch (InterruptedException e) {
            throw new Program.Failure(text + ": interrupted", e);
        }
    }
}
