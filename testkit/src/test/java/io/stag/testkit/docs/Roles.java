package io.stag.testkit.docs;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Runs the roles of an example, say server and client, at the same time. Public because examples call it. */
public final class Roles {
    private Roles() {}

    /** What one end does. */
    public interface Role {
        /** Does it; all ends get the same port of this machine. */
        void run(int port) throws Exception;
    }

    /** Starts the first role, and the others when it listens; returns when all are done, or throws what one threw. */
    public static void run(Role first, Role... others) throws Exception {
        int port = freePort();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> running = new ArrayList<>();
            running.add(threads.submit(() -> call(first, port)));
            awaitListener(port, running.getFirst());
            for (Role other : others) {
                running.add(threads.submit(() -> call(other, port)));
            }
            for (Future<?> one : running) {
                one.get();
            }
        }
    }

    private static Void call(Role role, int port) throws Exception {
        role.run(port);
        return null;
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    /** Connects and goes away, which a listener must bear. */
    private static void awaitListener(int port, Future<?> server) throws Exception {
        while (!server.isDone()) {
            try (Socket socket = new Socket()) {
                socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
                return;
            } catch (IOException _) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
            }
        }
        server.get(); // why it ended
    }
}
