package io.stag.cli.perf;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

/** Client and server of a measurement in one process, with a number of samples instead of a time. */
final class ControlledRun {
    private static final RunDuration FEW = new RunDuration(0, 50);
    private static final long JOIN_MILLIS = 30_000;

    private ControlledRun() {}

    /** Does something over a control connection. */
    interface Use<T> {
        T with(ControlChannel control) throws IOException;
    }

    static PerfResult of(RunSpec spec) throws Exception {
        return measure(spec).result();
    }

    static Measurement measure(RunSpec spec) throws Exception {
        return withServer(control -> new PerfClient(control, InetAddress.getLoopbackAddress(), 0).run(spec, FEW));
    }

    static <T> T withServer(Use<T> use) throws Exception {
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Thread server = Thread.ofPlatform().start(() -> serve(listener));
            try (ControlChannel control =
                    new ControlChannel(new Socket(InetAddress.getLoopbackAddress(), listener.getLocalPort()))) {
                return use.with(control);
            } finally {
                server.join(JOIN_MILLIS);
            }
        }
    }

    private static void serve(ServerSocket listener) {
        try (ControlChannel control = new ControlChannel(listener.accept())) {
            new PerfServer(control, InetAddress.getLoopbackAddress()).serve();
        } catch (IOException _) {
            // the client tells
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}
