package io.stag.cli.perf;

import java.io.IOException;

/** The measuring side of a test, connected. Used by one thread. */
interface ClientTest extends AutoCloseable {
    /** Where the server finds memory of this side. */
    ControlChannel.Buffers buffers();

    /** The server is ready, and its memory is there. */
    void start(ControlChannel.Buffers server) throws IOException;

    /**
     * Latency: one round trip. Bandwidth: some messages, as many as fit now.
     *
     * @return messages or round trips begun; 0 when there was no room
     */
    int once() throws IOException;

    /** Returns when all messages of {@link #once} have reached the server. */
    void drain(ControlChannel control) throws IOException;

    /** Whether the content that came back is right. */
    boolean isContentRight();

    @Override
    void close();
}
