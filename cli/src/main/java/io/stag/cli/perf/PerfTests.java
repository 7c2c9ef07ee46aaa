package io.stag.cli.perf;

import io.stag.cli.CommandFailure;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ServiceLoader;

/** Makes the two sides of a test. */
final class PerfTests {
    private PerfTests() {}

    static ClientTest client(RunSpec spec, InetSocketAddress server) throws IOException {
        return switch (spec.test().layer()) {
            case VERBS -> spec.transport() == Transport.UDP ? datagramClient(spec, server) : verbsClient(spec, server);
            case TCP, FRAMED -> new SocketClient(spec, server);
            case UDP -> new UdpClient(spec, server);
            case NETTY, AERON -> peer(spec).client(spec, server);
        };
    }

    static ServerTest server(RunSpec spec, InetAddress address) throws IOException {
        ServerTest server = serverItself(spec, address);
        return spec.loss() == 0 ? server : new RelayedServer(server, spec, address);
    }

    private static ServerTest serverItself(RunSpec spec, InetAddress address) throws IOException {
        return switch (spec.test().layer()) {
            case VERBS ->
                spec.transport() == Transport.UDP ? new DatagramServer(spec, address) : new VerbsServer(spec, address);
            case TCP, FRAMED -> new SocketServer(spec, address);
            case UDP -> new UdpServer(spec, address);
            case NETTY, AERON -> peer(spec).server(spec, address);
        };
    }

    private static ClientTest verbsClient(RunSpec spec, InetSocketAddress server) throws IOException {
        return spec.test().isLatency() ? new VerbsLatencyClient(spec, server) : new VerbsBandwidthClient(spec, server);
    }

    private static ClientTest datagramClient(RunSpec spec, InetSocketAddress server) throws IOException {
        return spec.test().isLatency()
                ? new DatagramLatencyClient(spec, server)
                : new DatagramBandwidthClient(spec, server);
    }

    private static PeerTests peer(RunSpec spec) {
        for (PeerTests peer : ServiceLoader.load(PeerTests.class)) {
            if (peer.layer() == spec.test().layer()) {
                return peer;
            }
        }
        throw new CommandFailure(
                spec.test() + " needs a library that is not part of this command",
                "Use ./stag of the source tree, which has it.");
    }
}
