package io.stag.cli.perf;

import io.stag.cli.perf.ControlChannel.Answer;
import io.stag.cli.perf.ControlChannel.Buffers;
import io.stag.cli.perf.ControlChannel.Order;
import io.stag.cli.perf.ControlChannel.Request;
import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Serves one client: run after run, until it closes the control connection. */
final class PerfServer {
    private static final long DRAIN_LIMIT_NANOS = 60_000_000_000L;
    private static final long DRAIN_PAUSE_NANOS = 20_000;
    private static final long STOP_LIMIT_MILLIS = 20_000;

    private final ControlChannel control;
    private final InetAddress address;
    private final Duration limit;
    private volatile @Nullable Throwable failure;

    PerfServer(ControlChannel control, InetAddress address) {
        this(control, address, VerbsLink.LIMIT);
    }

    /** For tests: waits that long for a client to say what it wants; a run itself takes as long as it takes. */
    PerfServer(ControlChannel control, InetAddress address, Duration limit) {
        this.control = control;
        this.address = address;
        this.limit = limit;
    }

    void serve() throws IOException, InterruptedException {
        boolean open = true;
        while (open) {
            RunSpec spec;
            control.limit(limit);
            try {
                spec = control.receiveOrEnd(RunSpec.class);
            } catch (IOException e) {
                control.send(Answer.error(String.valueOf(e.getMessage())));
                throw e;
            }
            open = spec != null && serveRun(spec);
        }
    }

    /** Serves one run; false when the client is gone. */
    private boolean serveRun(RunSpec spec) throws IOException, InterruptedException {
        failure = null;
        ServerTest test;
        try {
            test = PerfTests.server(spec, address);
        } catch (IOException | RuntimeException | OutOfMemoryError e) {
            control.send(Answer.error(describe(e)));
            return true;
        }
        try (test) {
            control.send(Answer.port(test.port()));
            test.accept();
            Buffers client = control.receiveOrEnd(Buffers.class);
            if (client == null) {
                return false;
            }
            control.limit(Duration.ZERO);
            test.start(client);
            control.send(test.buffers());
            Thread loop = Thread.ofPlatform().name("stag-perf-server").daemon().start(() -> runLoop(test));
            boolean open = obey(test);
            test.stop();
            loop.join(STOP_LIMIT_MILLIS);
            if (open) {
                control.send(Answer.error(verdict(test)));
            }
            return open;
        }
    }

    private void runLoop(ServerTest test) {
        try {
            test.run();
        } catch (IOException | RuntimeException | OutOfMemoryError e) {
            failure = e;
        }
    }

    /** Does what the client orders until it says stop; false when it is gone. */
    private boolean obey(ServerTest test) throws IOException {
        while (true) {
            Request request = control.receiveOrEnd(Request.class);
            if (request == null) {
                return false;
            }
            if (request.order() == Order.STOP) {
                return true;
            }
            if (request.order() == Order.DRAIN) {
                drain(test, request.value());
            }
            Throwable failed = failure;
            control.send(new Answer(
                    failed == null ? "" : describe(failed),
                    0,
                    Meters.ofOtherThreads(),
                    test.arrivals(),
                    request.order() == Order.COMPILERS ? Compilers.nanos() : 0));
        }
    }

    private void drain(ServerTest test, long messages) {
        long deadline = System.nanoTime() + DRAIN_LIMIT_NANOS;
        while (test.received() < messages && failure == null && System.nanoTime() - deadline < 0) {
            LockSupport.parkNanos(DRAIN_PAUSE_NANOS);
        }
    }

    private String verdict(ServerTest test) {
        Throwable failed = failure;
        if (failed != null) {
            return describe(failed);
        }
        return test.isContentRight() ? "" : "what arrived is not what was sent";
    }

    private static String describe(Throwable failure) {
        return Objects.requireNonNullElse(failure.getMessage(), failure.toString());
    }
}
