package io.stag.cli.perf;

import io.stag.verbs.PeerRequests;
import io.stag.verbs.ReceiveRequests;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;

/** The queue pairs of one side of a verbs test, and how the two sides find each other. */
interface VerbsLink {
    /** How long one side waits for the other. */
    Duration LIMIT = Duration.ofSeconds(10);

    /** The list for requests of a connection. */
    PeerRequests<?> requests(int connection);

    /** The list for receives of a connection. */
    ReceiveRequests receives(int connection);

    /** Client: reaches the server. */
    void connect(InetSocketAddress server);

    /** Server: can be reached. @return at which port */
    int listen(InetAddress address);

    /** Server, after {@link #listen}: takes the client's connections. @return whether that used up a receive */
    boolean accept();
}
