package io.stag.cli.rping;

import java.io.PrintWriter;

/** Where rping writes: data to standard output, everything else to standard error. Any thread. */
final class RpingLog {
    private final PrintWriter out;
    private final PrintWriter err;
    private final boolean debug;

    RpingLog(PrintWriter out, PrintWriter err, boolean debug) {
        this.out = out;
        this.err = err;
        this.debug = debug;
    }

    void data(String line) {
        out.println(line);
        out.flush();
    }

    void debug(String line) {
        if (debug) {
            error(line);
        }
    }

    void error(String line) {
        err.println(line);
        err.flush();
    }
}
