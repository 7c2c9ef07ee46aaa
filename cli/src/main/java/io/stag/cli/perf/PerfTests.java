package io.stag.cli.perf;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** Makes the two sides of a test. */
final class PerfTests {
    private PerfTests() {}

    static ClientTest client(RunSpec spec, InetSocketAddress server) throws IOException {
        if (!spec.test().isVerbs()) {
            return new SocketClient(spec, server);
        }
        return spec.test().isLatency() ? new VerbsLatencyClient(spec, server) : new VerbsBandwidthClient(spec, server);
    }

    static ServerTest server(RunSpec spec, InetAddress address) throws IOException {
        return spec.test().isVerbs() ? new VerbsServer(spec, address) : new SocketServer(spec, address);
    }
}
