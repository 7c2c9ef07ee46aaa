package io.stag.cli.perf;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/**
 * Both sides of tests that run on another library, measured by the same loops as everything else. Found with
 * {@link java.util.ServiceLoader}; the command itself has none, so that it needs no such library.
 */
public interface PeerTests {
    /** Which tests it brings. */
    PerfTest.Layer layer();

    /**
     * The measuring side, connected. Throws {@link IllegalArgumentException} for what the library cannot do.
     *
     * @param spec what to run
     * @param server where the other side is
     */
    ClientTest client(RunSpec spec, InetSocketAddress server) throws IOException;

    /**
     * The answering side.
     *
     * @param spec what to run
     * @param address where to listen
     */
    ServerTest server(RunSpec spec, InetAddress address) throws IOException;
}
