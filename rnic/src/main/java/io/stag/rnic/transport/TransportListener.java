package io.stag.rnic.transport;

import java.io.IOException;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/** A place where peers connect. */
public interface TransportListener {

    /** Its address. */
    InetSocketAddress address();

    /**
     * Takes the next peer, or null when none waits. The stream is not yet watched by any agent:
     * {@link Transport#adopt} does that.
     */
    @Nullable
    TransportStream accept() throws IOException;

    /** Whether the handler is to be called while a peer waits. It is so at first. */
    void awaitPeers(boolean wanted);

    /** Stops listening. */
    void close();
}
