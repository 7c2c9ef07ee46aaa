package io.stag.cli.perf;

import java.io.IOException;

/** The measuring side of a test, connected. Used by one thread. */
public interface ClientTest extends AutoCloseable {
    /** Where the server finds memory of this side. */
    ControlChannel.Buffers buffers();

    /** The server is ready, and its memory is there. */
    void start(ControlChannel.Buffers server) throws IOException;

    /**
     * Latency: one round trip. Bandwidth: some messages, as many as fit now.
     *
     * @return messages begun, or 0 when there was no room; round trips done, or 0 when the answer did not come in time
     */
    int once() throws IOException;

    /** Returns when all messages of {@link #once} have reached the server. */
    void drain(ControlChannel control) throws IOException;

    /**
     * Messages of a connection so far, for tests that use several at once; a test that does not tell says 0.
     *
     * @param connection index of the connection
     */
    default long messages(int connection) {
        return 0;
    }

    /** Whether the content that came back is right. */
    boolean isContentRight();

    @Override
    void close();
}
