package io.stag.cli.perf;

import io.stag.verbs.QueuePair;
import io.stag.verbs.cm.ConnectionManager;
import java.net.InetSocketAddress;
import java.time.Duration;

/** Connects the queue pairs of a run one after the other, so that the server takes them in the same order. */
final class VerbsConnector {
    private static final Duration LIMIT = Duration.ofSeconds(10);

    private VerbsConnector() {}

    static void connect(VerbsEnd end, InetSocketAddress server) {
        ConnectionManager manager = end.rnic.connectionManager();
        for (QueuePair queuePair : end.queuePairs) {
            manager.connect(queuePair, server, end.connectionConfig()).awaitEstablished(LIMIT);
        }
        for (QueuePair queuePair : end.idle) {
            manager.connect(queuePair, server, end.connectionConfig()).awaitEstablished(LIMIT);
        }
    }
}
