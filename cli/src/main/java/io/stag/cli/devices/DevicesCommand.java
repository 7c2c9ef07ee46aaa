package io.stag.cli.devices;

import picocli.CommandLine.Command;

/** Placeholder. */
@Command(name = "devices")
public final class DevicesCommand implements Runnable {
    /** For picocli. */
    public DevicesCommand() {}

    @Override
    public void run() {}
}
