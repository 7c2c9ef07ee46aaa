package io.stag.cli.perf;

import io.stag.cli.CommandFailure;
import io.stag.cli.perf.ControlChannel.Answer;
import io.stag.cli.perf.ControlChannel.Buffers;
import io.stag.cli.perf.ControlChannel.Order;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;

/** Measures: warms up, then takes samples while both sides' meters run. */
final class PerfClient {
    private static final double LATER_WARM_UP = 0.3;
    private static final double WARM_UP_ROUND = 0.5;
    private static final long AT_REST_MILLIS = 10;

    private final ControlChannel control;
    private final InetAddress server;
    private final Set<RunSpec> warm = new HashSet<>();
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
     * Compilers need their time, the more so as two threads that poll leave them little of two processors: each code path
     * is run until both sides' compilers have come to rest.
     */
    private void warmUp(RunSpec spec, ClientTest test, RunDuration duration) throws IOException {
        new Samples(spec).take(test, duration.warmUp(leastWarmUp), control);
        if (leastWarmUp == 0 || !warm.add(spec)) { // the second time its code has been compiled
            return;
        }
        leastWarmUp = LATER_WARM_UP;
        long compiled;
        int rounds = 0;
        do {
            Meters before = Meters.now().plus(meters(control.call(Order.METERS, 0)));
            new Samples(spec).take(test, new RunDuration(WARM_UP_ROUND, 0), control);
            compiled = Meters.now()
                    .plus(meters(control.call(Order.METERS, 0)))
                    .since(before)
                    .compilationMillis();
        } while (compiled > AT_REST_MILLIS && ++rounds < duration.mostWarmUpRounds());
    }

    private static Meters meters(Answer answer) {
        return Objects.requireNonNull(answer.meters(), "the server sent no meters");
    }
}
