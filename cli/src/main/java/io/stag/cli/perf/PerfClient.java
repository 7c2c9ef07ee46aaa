package io.stag.cli.perf;

import io.stag.cli.CommandFailure;
import io.stag.cli.perf.ControlChannel.Answer;
import io.stag.cli.perf.ControlChannel.Buffers;
import io.stag.cli.perf.ControlChannel.Order;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;

/** Measures: warms up, then takes samples while both sides' meters run. */
final class PerfClient {
    private static final double LATER_WARM_UP = 0.3;
    private static final double WARM_UP_ROUND = 0.3;
    private static final int MOST_WARM_UP_ROUNDS = 20;
    private static final long COMPILERS_TURN_NANOS = 200_000_000;
    private static final long AT_REST_MILLIS = 10;

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
        control.send(spec);
        int port = control.answer().port();
        try (ClientTest test = PerfTests.client(spec, new InetSocketAddress(server, port))) {
            control.send(test.buffers());
            test.start(control.receive(Buffers.class));
            Measurement measurement = measure(spec, test, duration);
            control.call(Order.STOP, 0);
            if (!test.isContentRight()) {
                throw new CommandFailure("what came back is not what was sent", "");
            }
            return measurement;
        }
    }

    private Measurement measure(RunSpec spec, ClientTest test, RunDuration duration) throws IOException {
        warmUp(spec, test, duration);
        Samples samples = new Samples(spec);
        Answer serverBefore = control.call(Order.METERS, 0);
        Meters before = Meters.now();
        samples.take(test, duration, control);
        Meters used = Meters.now().since(before);
        Answer serverAfter = control.call(Order.METERS, 0);
        Meters serverUsed = meters(serverAfter).since(meters(serverBefore));
        return samples.measurement(
                used.plus(serverUsed), Arrivals.between(serverBefore.arrivals(), serverAfter.arrivals()));
    }

    /**
     * Compilers need their time, and two threads that poll leave them little of two processors. So each code path is run, and
     * then left alone for a moment, until both sides' compilers have come to rest. What they have begun and not finished does not
     * show: without the pause a large method would seem to be at rest while it runs slowly.
     */
    private void warmUp(RunSpec spec, ClientTest test, RunDuration duration) throws IOException {
        new Samples(spec).take(test, duration.warmUp(leastWarmUp), control);
        if (leastWarmUp == 0) {
            return;
        }
        leastWarmUp = LATER_WARM_UP;
        long compiled;
        int rounds = 0;
        do {
            Meters before = Meters.now().plus(meters(control.call(Order.METERS, 0)));
            new Samples(spec).take(test, new RunDuration(WARM_UP_ROUND, 0), control);
            LockSupport.parkNanos(COMPILERS_TURN_NANOS);
            compiled = Meters.now()
                    .plus(meters(control.call(Order.METERS, 0)))
                    .since(before)
                    .compilationMillis();
        } while (compiled > AT_REST_MILLIS && ++rounds < MOST_WARM_UP_ROUNDS);
    }

    private static Meters meters(Answer answer) {
        return Objects.requireNonNull(answer.meters(), "the server sent no meters");
    }
}
