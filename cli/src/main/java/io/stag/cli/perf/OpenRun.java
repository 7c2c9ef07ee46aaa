package io.stag.cli.perf;

import io.stag.cli.CommandFailure;
import io.stag.cli.perf.ControlChannel.Answer;
import io.stag.cli.perf.ControlChannel.Order;
import java.io.IOException;
import java.util.Objects;

/** A test that client and server have set up together: takes samples while both sides' meters run, as often as one likes. */
public final class OpenRun implements AutoCloseable {
    private static final double LEAD_IN = 0.02;

    private final RunSpec spec;
    private final ClientTest test;
    private final ControlChannel control;

    OpenRun(RunSpec spec, ClientTest test, ControlChannel control) {
        this.spec = spec;
        this.test = test;
        this.control = control;
    }

    /** What is run. */
    public RunSpec spec() {
        return spec;
    }

    /** Measures. */
    public Measurement measure(RunDuration duration) throws IOException {
        Samples samples = new Samples(spec);
        long compilersBefore = compilerNanos();
        Answer serverBefore = control.call(Order.METERS, 0);
        Meters before = Meters.now();
        samples.take(test, duration, control);
        Meters used = Meters.now().since(before);
        Answer serverAfter = control.call(Order.METERS, 0);
        Meters serverUsed = meters(serverAfter).since(meters(serverBefore));
        return samples.measurement(
                used.plus(serverUsed),
                compilerNanos() - compilersBefore,
                Arrivals.between(serverBefore.arrivals(), serverAfter.arrivals()));
    }

    /** Goes on after a pause, for a moment that does not count: who stood still has cold caches, and timers that are due. */
    public void goOn() throws IOException {
        discard(new RunDuration(LEAD_IN, 0));
    }

    /** Runs for nothing. */
    void discard(RunDuration duration) throws IOException {
        new Samples(spec).take(test, duration, control);
    }

    /** Processor time of both sides' compilers so far. */
    long compilerNanos() throws IOException {
        return Compilers.nanos() + control.call(Order.COMPILERS, 0).compilerNanos();
    }

    private static Meters meters(Answer answer) {
        return Objects.requireNonNull(answer.meters(), "the server sent no meters");
    }

    /** Ends the run; fails when one side got something else than the other had sent. */
    @Override
    public void close() throws IOException {
        try (test) {
            control.call(Order.STOP, 0);
            if (!test.isContentRight()) {
                throw new CommandFailure("what came back is not what was sent", "");
            }
        }
    }
}
