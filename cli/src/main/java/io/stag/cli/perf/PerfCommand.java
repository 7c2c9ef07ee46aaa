package io.stag.cli.perf;

import picocli.CommandLine.Command;

/** Placeholder. */
@Command(name = "perf")
public final class PerfCommand implements Runnable {
    /** For picocli. */
    public PerfCommand() {}

    @Override
    public void run() {}
}
