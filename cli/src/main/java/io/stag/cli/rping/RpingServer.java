package io.stag.cli.rping;

import io.stag.cli.CommandFailure;
import io.stag.cli.Endpoints;
import io.stag.verbs.Operation;
import io.stag.verbs.Rnic;
import io.stag.verbs.VerbsException;
import io.stag.verbs.cm.Connection;
import io.stag.verbs.cm.ConnectionConfig;
import io.stag.verbs.cm.ConnectionRequest;
import io.stag.verbs.cm.Listener;
import java.time.Duration;
import java.util.Optional;

/** The passive side: reads the announced buffer, writes it back to the next one announced. */
final class RpingServer {
    private static final Duration WAIT = Duration.ofSeconds(1);
    private static final Duration CONNECT_LIMIT = Duration.ofSeconds(15);
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(10);

    private final RpingSettings settings;
    private final RpingLog log;
    private final ConnectionConfig config;

    RpingServer(RpingSettings settings, RpingLog log, ConnectionConfig config) {
        this.settings = settings;
        this.log = log;
        this.config = config;
    }

    /** Serves one client, or with persistence any number at once until the listener is closed. */
    void run(Rnic rnic, Listener listener, boolean persistent) {
        if (!persistent) {
            serve(rnic, next(listener));
            return;
        }
        while (true) {
            ConnectionRequest request = next(listener);
            Thread.ofVirtual().name("stag-rping-" + request.remoteAddress()).start(() -> serveReporting(rnic, request));
        }
    }

    private static ConnectionRequest next(Listener listener) {
        Optional<ConnectionRequest> request = listener.await(WAIT);
        while (request.isEmpty()) {
            request = listener.await(WAIT);
        }
        return request.get();
    }

    private void serveReporting(Rnic rnic, ConnectionRequest request) {
        try {
            serve(rnic, request);
        } catch (CommandFailure | VerbsException e) {
            log.error("client " + Endpoints.text(request.remoteAddress()) + ": " + e.getMessage());
        }
    }

    private void serve(Rnic rnic, ConnectionRequest request) {
        try (RpingEndpoint endpoint = new RpingEndpoint(rnic, PingPattern.MAX_SIZE)) {
            Connection connection = request.accept(endpoint.queuePair(), config);
            endpoint.connected(connection.awaitEstablished(CONNECT_LIMIT));
            log.debug("connected from " + Endpoints.text(request.remoteAddress()) + ", "
                    + connection.info().map(Object::toString).orElse(""));
            try {
                long pings = 0;
                while (pong(endpoint)) {
                    pings++;
                }
                log.debug(pings + " pings, then the client disconnected");
            } finally {
                connection.disconnect();
                connection.awaitDisconnected(CLOSE_LIMIT);
            }
        }
    }

    /** Answers one ping; false when the client disconnected instead of sending one. */
    private boolean pong(RpingEndpoint endpoint) {
        if (!endpoint.await(Operation.RECEIVE)) {
            return false;
        }
        Announcement source = endpoint.announced();
        log.debug("source announced, " + source);
        if (source.size() < 0 || source.size() > PingPattern.MAX_SIZE) {
            throw new CommandFailure(
                    "the client announced " + Integer.toUnsignedString(source.size()) + " octets, "
                            + PingPattern.MAX_SIZE + " is the limit",
                    "");
        }
        endpoint.read();
        require(endpoint.await(Operation.RDMA_READ));
        if (settings.verbose()) {
            log.data("server ping data: " + PingPattern.text(endpoint.buffer(), source.size()));
        }
        endpoint.goAhead();
        require(endpoint.await(Operation.RECEIVE));
        log.debug("sink announced, " + endpoint.announced());
        endpoint.write(PingPattern.echoLength(endpoint.buffer(), source.size()));
        require(endpoint.await(Operation.RDMA_WRITE));
        endpoint.goAhead();
        return true;
    }

    private static void require(boolean open) {
        if (!open) {
            throw new CommandFailure("the client closed the connection in the middle of a ping", "");
        }
    }
}
