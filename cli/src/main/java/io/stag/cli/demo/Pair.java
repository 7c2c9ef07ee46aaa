package io.stag.cli.demo;

import io.stag.verbs.ProgressMode;
import io.stag.verbs.Rnic;
import io.stag.verbs.RnicConfig;
import io.stag.verbs.cm.Connection;
import io.stag.verbs.cm.ConnectionConfig;
import io.stag.verbs.cm.Listener;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;

/** Two RNICs of this process and connections between them, over TCP on loopback. */
final class Pair implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofSeconds(5);

    private final Rnic serverRnic = open("demo-server");
    private final Rnic clientRnic = open("demo-client");
    private final Listener listener =
            serverRnic.connectionManager().listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 8);

    /** Both ends of a connection. */
    record Ends(Peer client, Peer server, Connection connection) {}

    /** A new connection; the server may take its receives from a shared queue. */
    Ends connect(boolean sharedReceives) {
        Peer client = new Peer(clientRnic, false);
        Peer server = new Peer(serverRnic, sharedReceives);
        Connection connection = clientRnic
                .connectionManager()
                .connect(client.queuePair, listener.address(), ConnectionConfig.defaults());
        listener.await(LIMIT)
                .orElseThrow(() -> new IllegalStateException("no connection request within " + LIMIT))
                .accept(server.queuePair, ConnectionConfig.defaults())
                .awaitEstablished(LIMIT);
        connection.awaitEstablished(LIMIT);
        return new Ends(client, server, connection);
    }

    private static Rnic open(String name) {
        Rnic rnic = Rnic.open(RnicConfig.builder()
                .name(name)
                .progress(ProgressMode.SHARED)
                .jmx(false) // starting it would share the processors with what is measured
                .build());
        rnic.onAsyncEvent(_ -> {}); // one of the steps breaks its connection on purpose; completions tell enough
        return rnic;
    }

    @Override
    public void close() {
        listener.close();
        clientRnic.close();
        serverRnic.close();
    }
}
