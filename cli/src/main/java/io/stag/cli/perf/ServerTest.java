package io.stag.cli.perf;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** The answering side of a test. {@link #run} has its own thread; the others are called by the control thread. */
public interface ServerTest extends AutoCloseable {
    /** Where connections are taken. */
    int port();

    /** Takes all connections of the run. */
    void accept() throws IOException;

    /** Where the client finds memory of this side. */
    ControlChannel.Buffers buffers();

    /** The client's memory is there. */
    void start(ControlChannel.Buffers client);

    /** Answers until {@link #stop} or until the client is gone. */
    void run() throws IOException;

    /** Messages received so far, where the server can know. */
    long received();

    /** What has arrived so far, for tests that may lose messages; null for the others. */
    default @Nullable Arrivals arrivals() {
        return null;
    }

    /** Makes {@link #run} return soon. */
    void stop();

    /** Whether the content that came is right; after {@link #run}. */
    boolean isContentRight();

    @Override
    void close();
}
