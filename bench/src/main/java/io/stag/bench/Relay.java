package io.stag.bench;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Passes the octets of one TCP connection on, both ways, until it is told to misbehave. */
final class Relay implements AutoCloseable {
    private static final int BUFFER = 64 << 10;

    private enum Mode {
        FORWARD,
        DISCARD,
        STOP
    }

    private final ServerSocket server;
    private final Socket far = new Socket();
    private final List<Thread> threads = new ArrayList<>();
    private volatile @Nullable Socket near;
    private volatile Mode mode = Mode.FORWARD;

    /** Takes one connection and makes one to {@code target}. */
    Relay(InetSocketAddress target) throws IOException {
        server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        start("accept", () -> {
            Socket accepted = server.accept();
            near = accepted;
            far.connect(target);
            start("back", () -> pass(far, accepted));
            pass(accepted, far);
        });
    }

    InetSocketAddress address() {
        return (InetSocketAddress) server.getLocalSocketAddress();
    }

    /** From now on what comes in is taken and lost: both kernels acknowledge it. */
    void fallSilent() {
        mode = Mode.DISCARD;
    }

    /** From now on nothing is taken any more. */
    void stopReading() {
        mode = Mode.STOP;
    }

    /** Resets both connections. */
    void reset() throws IOException {
        Socket accepted = near;
        if (accepted != null) {
            reset(accepted);
        }
        reset(far);
    }

    private static void reset(Socket socket) throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    private interface Step {
        void run() throws IOException;
    }

    private synchronized void start(String what, Step step) {
        threads.add(Thread.ofVirtual().name("relay-" + what).start(() -> {
            try {
                step.run();
            } catch (IOException _) {
                // either end is gone, or the relay is closed
            }
        }));
    }

    private void pass(Socket from, Socket to) throws IOException {
        byte[] buffer = new byte[BUFFER];
        int count = from.getInputStream().read(buffer);
        while (count >= 0 && mode != Mode.STOP) {
            if (mode == Mode.FORWARD) {
                to.getOutputStream().write(buffer, 0, count);
            }
            count = from.getInputStream().read(buffer);
        }
        if (mode == Mode.FORWARD) {
            to.shutdownOutput();
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
        Socket accepted = near;
        if (accepted != null) {
            accepted.close();
        }
        far.close();
        for (Thread thread : List.copyOf(threads)) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                throw new Program.Failure("interrupted", e);
            }
        }
    }
}
