package io.stag.cli.rping;

import io.stag.cli.CommandFailure;
import io.stag.verbs.MemoryRegion;
import io.stag.verbs.Operation;
import io.stag.verbs.Rnic;
import io.stag.verbs.cm.Connection;
import io.stag.verbs.cm.ConnectionConfig;
import java.net.InetSocketAddress;
import java.time.Duration;

/** The active side: announces a buffer to be read, then one to be written, and compares. */
final class RpingClient {
    private static final Duration CONNECT_LIMIT = Duration.ofSeconds(15);
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(10);

    private final RpingSettings settings;
    private final RpingLog log;

    RpingClient(RpingSettings settings, RpingLog log) {
        this.settings = settings;
        this.log = log;
    }

    void run(Rnic rnic, InetSocketAddress server, ConnectionConfig config) {
        int size = settings.size();
        try (RpingEndpoint endpoint = new RpingEndpoint(rnic, size);
                MemoryRegion start = endpoint.allocate(size)) {
            Connection connection = rnic.connectionManager().connect(endpoint.queuePair(), server, config);
            endpoint.connected(connection.awaitEstablished(CONNECT_LIMIT));
            log.debug("connected to " + server + ", "
                    + connection.info().map(Object::toString).orElse(""));
            try {
                for (int ping = 0; settings.count() == 0 || ping < settings.count(); ping++) {
                    ping(endpoint, start, ping);
                }
            } finally {
                connection.disconnect();
                connection.awaitDisconnected(CLOSE_LIMIT);
            }
        }
    }

    private void ping(RpingEndpoint endpoint, MemoryRegion start, int ping) {
        int size = settings.size();
        PingPattern.fill(start.segment(), size, ping);
        Announcement source = RpingEndpoint.announcement(start, size);
        log.debug("announcing source " + source);
        endpoint.send(source);
        awaitGoAhead(endpoint);
        Announcement sink = endpoint.announcement(size);
        log.debug("announcing sink " + sink);
        endpoint.send(sink);
        awaitGoAhead(endpoint);
        if (settings.validate()) {
            long at = PingPattern.mismatch(start.segment(), endpoint.buffer(), size);
            if (at >= 0) {
                throw new CommandFailure("data mismatch in ping " + ping + " at octet " + at, "");
            }
        }
        if (settings.verbose()) {
            log.data("ping data: " + PingPattern.text(endpoint.buffer(), size));
        }
    }

    private static void awaitGoAhead(RpingEndpoint endpoint) {
        if (!endpoint.await(Operation.RECEIVE)) {
            throw new CommandFailure("the server closed the connection before the last ping", "");
        }
    }
}
