package io.stag.bench.peer;

import io.stag.cli.perf.ClientTest;
import io.stag.cli.perf.PeerTests;
import io.stag.cli.perf.PerfTest;
import io.stag.cli.perf.RunSpec;
import io.stag.cli.perf.ServerTest;
import io.stag.cli.perf.WaitMode;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/**
 * Messages over Aeron's reliable UDP. Each side has a media driver of its own, which the thread that sends and polls
 * drives too: the counterpart of Stag's INVOKER.
 */
public final class AeronTests implements PeerTests {
    private static final int MAX_SIZE = 16 << 20; // Aeron's own limit

    /** For the service loader. */
    public AeronTests() {}

    @Override
    public PerfTest.Layer layer() {
        return PerfTest.Layer.AERON;
    }

    @Override
    public ClientTest client(RunSpec spec, InetSocketAddress server) {
        return new AeronClient(checked(spec, server.getAddress()), server);
    }

    @Override
    public ServerTest server(RunSpec spec, InetAddress address) {
        return new AeronServer(checked(spec, address));
    }

    private static RunSpec checked(RunSpec spec, InetAddress address) {
        if (spec.waitMode() == WaitMode.BLOCK) {
            throw new IllegalArgumentException(spec.test() + " polls; leave --wait block away");
        }
        if (spec.size() > MAX_SIZE) {
            throw new IllegalArgumentException(spec.test() + " has messages of 16m at most");
        }
        if (!address.isLoopbackAddress()) {
            throw new IllegalArgumentException(spec.test() + " runs on one machine; leave --connect away");
        }
        return OneConnection.only(spec);
    }
}
