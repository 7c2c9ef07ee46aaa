package io.stag.cli.perf;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/** A server behind a relay that loses datagrams; clients find the relay at its port. */
final class RelayedServer implements ServerTest {
    private final ServerTest server;
    private final LossyRelay relay;

    RelayedServer(ServerTest server, RunSpec spec, InetAddress address) throws IOException {
        this.server = server;
        try {
            relay = new LossyRelay(address, new InetSocketAddress(address, server.port()), spec.loss());
        } catch (IOException e) {
            server.close();
            throw e;
        }
    }

    @Override
    public int port() {
        return relay.port();
    }

    @Override
    public void accept() throws IOException {
        server.accept();
    }

    @Override
    public ControlChannel.Buffers buffers() {
        return server.buffers();
    }

    @Override
    public void start(ControlChannel.Buffers client) {
        server.start(client);
    }

    @Override
    public void run() throws IOException {
        server.run();
    }

    @Override
    public long received() {
        return server.received();
    }

    @Override
    public @Nullable Arrivals arrivals() {
        return server.arrivals();
    }

    @Override
    public void stop() {
        server.stop();
    }

    @Override
    public boolean isContentRight() {
        return server.isContentRight();
    }

    @Override
    public void close() {
        relay.close();
        server.close();
    }
}
