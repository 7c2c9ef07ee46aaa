package io.stag.cli.perf;

import io.stag.cli.perf.ControlChannel.Buffers;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.locks.LockSupport;

/** Opens runs on one server, and warms them up. */
final class PerfClient {
    private static final double LATER_WARM_UP = 0.3;
    private static final double WARM_UP_ROUND = 0.3;
    private static final int MOST_WARM_UP_ROUNDS = 20;
    private static final long COMPILERS_TURN_NANOS = 200_000_000;
    private static final long AT_REST_NANOS = 10_000_000;

    private final ControlChannel control;
    private final InetAddress server;
    private double leastWarmUp;

    /**
     * A client of one server.
     *
     * @param firstWarmUp seconds that the first run warms up at least; 0 for runs that measure nothing
     */
    PerfClient(ControlChannel control, InetAddress server, double firstWarmUp) {
        this.control = control;
        this.server = server;
        this.leastWarmUp = firstWarmUp;
    }

    Measurement run(RunSpec spec, RunDuration duration) throws IOException {
        try (OpenRun run = open(spec, duration)) {
            return run.measure(duration);
        }
    }

    /** Sets up a run, warmed up for measurements that take {@code duration}. */
    OpenRun open(RunSpec spec, RunDuration duration) throws IOException {
        OpenRun run = connect(spec);
        try {
            warmUp(run, duration);
            return run;
        } catch (IOException | RuntimeException e) {
            try (run) {
                throw e;
            }
        }
    }

    private OpenRun connect(RunSpec spec) throws IOException {
        control.send(spec);
        int port = control.answer().port();
        ClientTest test = PerfTests.client(spec, new InetSocketAddress(server, port));
        try {
            control.send(test.buffers());
            test.start(control.receive(Buffers.class));
            return new OpenRun(spec, test, control);
        } catch (IOException | RuntimeException e) {
            test.close();
            throw e;
        }
    }

    /**
     * Compilers need their time, and two threads that poll leave them little of two processors. So each code path is run, and
     * then left alone for a moment, until both sides' compilers have come to rest.
     */
    private void warmUp(OpenRun run, RunDuration duration) throws IOException {
        run.discard(duration.warmUp(leastWarmUp));
        if (leastWarmUp == 0) {
            return;
        }
        leastWarmUp = LATER_WARM_UP;
        long compiled;
        int rounds = 0;
        do {
            long before = run.compilerNanos();
            run.discard(new RunDuration(WARM_UP_ROUND, 0));
            LockSupport.parkNanos(COMPILERS_TURN_NANOS);
            compiled = run.compilerNanos() - before;
        } while (compiled > AT_REST_NANOS && ++rounds < MOST_WARM_UP_ROUNDS);
    }
}
