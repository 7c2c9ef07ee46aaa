package io.stag.cli.demo;

import picocli.CommandLine.Command;

/** Placeholder. */
@Command(name = "demo")
public final class DemoCommand implements Runnable {
    /** For picocli. */
    public DemoCommand() {}

    @Override
    public void run() {}
}
