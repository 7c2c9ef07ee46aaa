package io.stag.cli.perf;

import io.stag.cli.CommandFailure;
import io.stag.cli.Endpoints;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;

/** A server, and this process as its client: measures one run after the other. Used by one thread. */
public final class PerfSession implements AutoCloseable {
    private static final double FIRST_WARM_UP = 1.5;

    private final AutoCloseable server;
    private final ControlChannel control;
    private final PerfClient client;

    private PerfSession(AutoCloseable server, ControlChannel control, InetSocketAddress address, boolean pin) {
        this.server = server;
        this.control = control;
        if (pin) {
            Affinity.pin(false);
        }
        client = new PerfClient(control, address.getAddress(), FIRST_WARM_UP);
    }

    /**
     * Starts the server too, as a process of its own.
     *
     * @param pin whether client and server keep to different processors
     */
    public static PerfSession inTwoProcesses(boolean pin) throws IOException {
        ChildServer child = new ChildServer(pin);
        try {
            return new PerfSession(child, child.connect(), child.address(), pin);
        } catch (IOException e) {
            child.close();
            throw e;
        }
    }

    /** Uses a server that runs already. */
    static PerfSession against(InetSocketAddress server, boolean pin) throws IOException {
        if (server.isUnresolved()) {
            throw new CommandFailure(server.getHostString() + ": unknown host", "");
        }
        Socket socket = new Socket();
        try {
            socket.connect(server);
        } catch (IOException e) {
            socket.close();
            throw new CommandFailure(
                    "cannot connect to " + Endpoints.text(server) + ": " + e.getMessage(),
                    "Is the server running, and are host and port right?",
                    e);
        }
        return new PerfSession(() -> {}, new ControlChannel(socket), server, pin);
    }

    /**
     * Measures.
     *
     * @param spec what
     * @param duration how long, after a warm-up
     */
    public Measurement run(RunSpec spec, RunDuration duration) throws IOException {
        return client.run(spec, duration);
    }

    /** Sets up a run, warmed up for measurements that take {@code duration}; the next one can be opened when it is closed. */
    public OpenRun open(RunSpec spec, RunDuration duration) throws IOException {
        return client.open(spec, duration);
    }

    @Override
    public void close() throws IOException {
        try (ControlChannel _ = control) {
            server.close();
        } catch (IOException | RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IOException(e);
        }
    }
}
