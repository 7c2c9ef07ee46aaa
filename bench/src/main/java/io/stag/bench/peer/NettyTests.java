package io.stag.bench.peer;

import io.stag.cli.perf.ClientTest;
import io.stag.cli.perf.PeerTests;
import io.stag.cli.perf.PerfTest;
import io.stag.cli.perf.RunSpec;
import io.stag.cli.perf.ServerTest;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** Bare octets over Netty: epoll where it is available, and one that never sleeps when both sides poll. */
public final class NettyTests implements PeerTests {
    static {
        // a loopback of one's own has no hardware address, and Netty would complain about that
        System.getProperties().putIfAbsent("io.netty.machineId", "00:00:5e:00:53:00:00:01");
    }

    /** For the service loader. */
    public NettyTests() {}

    @Override
    public PerfTest.Layer layer() {
        return PerfTest.Layer.NETTY;
    }

    @Override
    public ClientTest client(RunSpec spec, InetSocketAddress server) throws IOException {
        return new NettyClient(OneConnection.only(spec), server);
    }

    @Override
    public ServerTest server(RunSpec spec, InetAddress address) throws IOException {
        return new NettyServer(OneConnection.only(spec), address);
    }
}
