package io.stag.cli;

import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;

/**
 * Standard output that fails when nobody takes it: the disk is full, or the reader of the pipe has gone. A plain writer would
 * keep that to itself, and a command without an end would go on for nobody.
 */
final class StandardOutput extends PrintWriter {
    private final PrintStream stream;

    StandardOutput(PrintStream stream) {
        super(stream, false, StandardCharsets.UTF_8);
        this.stream = stream;
    }

    /** Throws {@link CommandFailure} when something was not written. */
    @Override
    public void flush() {
        super.flush();
        if (stream.checkError()) {
            throw new CommandFailure("standard output cannot be written", "The disk is full, or who read it has gone.");
        }
    }
}
