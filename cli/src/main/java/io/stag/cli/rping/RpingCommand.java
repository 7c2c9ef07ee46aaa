package io.stag.cli.rping;

import picocli.CommandLine.Command;

/** Placeholder. */
@Command(name = "rping")
public final class RpingCommand implements Runnable {
    /** For picocli. */
    public RpingCommand() {}

    @Override
    public void run() {}
}
