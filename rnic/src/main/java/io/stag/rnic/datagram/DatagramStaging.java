package io.stag.rnic.datagram;

/** Memory between ports and engines; one per agent, since only one queue pair of it works at a time. */
public final class DatagramStaging {
    private final DatagramInput input = new DatagramInput();
    private final DatagramOutput output = new DatagramOutput();

    /** Allocates all of it. */
    public DatagramStaging() {}

    /** For what comes in. */
    public DatagramInput input() {
        return input;
    }

    /** For what goes out. */
    public DatagramOutput output() {
        return output;
    }
}
