package io.stag.verbs.cm;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;

/** Takes connection requests. All methods may be called from any thread. */
public interface Listener extends AutoCloseable {

    /** Where it listens. */
    InetSocketAddress address();

    /** The oldest request waiting for a decision. */
    Optional<ConnectionRequest> poll();

    /**
     * Waits for a request.
     *
     * @return empty when the time ran out
     * @throws io.stag.verbs.VerbsException when the listener is closed, also while waiting
     */
    Optional<ConnectionRequest> await(Duration timeout);

    /** Stops listening; requests without a decision are refused. */
    @Override
    void close();
}
