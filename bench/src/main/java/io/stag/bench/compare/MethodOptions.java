package io.stag.bench.compare;

import io.stag.cli.OnOff;
import io.stag.cli.perf.Measurement;
import io.stag.cli.perf.PerfResult;
import java.util.Collection;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** Options that say how comparisons are measured. */
public final class MethodOptions {
    private static final double MAX_SECONDS = 3_600;
    private static final String AS_IT_IS = "system";

    @Option(
            names = "--rounds",
            paramLabel = "N",
            description = "How often everything is run, interleaved. Default: ${DEFAULT-VALUE}.")
    private int rounds = 5;

    @Option(
            names = "--seconds",
            paramLabel = "S",
            description = "How long each run measures, after a warm-up. Default: ${DEFAULT-VALUE}.")
    private double seconds = 0.5;

    @Option(
            names = "--pin",
            paramLabel = "on|off",
            description = "Keep client and server on different processors (Linux). If each has one, a run during which"
                    + " these moved apart or together, as those of a virtual machine may, is repeated. Default:"
                    + " ${DEFAULT-VALUE}.")
    private OnOff pin = OnOff.ON;

    @Option(
            names = "--congestion",
            paramLabel = "NAME",
            description = "TCP's congestion control, for everybody alike, on a loopback of their own (Linux, as root or"
                    + " where users may make network namespaces); system leaves all as it is. Default:"
                    + " ${DEFAULT-VALUE}.")
    private String congestion = "cubic";

    private final Closeness closeness = new Closeness();
    private @Nullable PrivateNetwork network;

    /** For picocli. */
    public MethodOptions() {}

    /** How often everything is run. */
    public int rounds() {
        return rounds;
    }

    /** How long each run measures. */
    public double seconds() {
        return seconds;
    }

    /** Whether client and server keep to different processors. */
    public boolean pinned() {
        return pin.isOn();
    }

    /** Refuses what makes no sense. */
    public void check(CommandSpec spec) {
        if (rounds < 1) {
            throw new ParameterException(spec.commandLine(), "--rounds " + rounds + " is not 1 or more");
        }
        if (!(seconds > 0 && seconds <= MAX_SECONDS)) {
            throw new ParameterException(spec.commandLine(), "--seconds is not above 0 and up to 3600");
        }
    }

    /** Where to measure. */
    public Bench bench() {
        network = congestion.equals(AS_IT_IS) ? PrivateNetwork.none() : PrivateNetwork.with(congestion);
        Bench bench = new Workers(network, pin.isOn());
        return pin.isOn() ? closeness.over(bench) : bench;
    }

    /** Where it is measured; after {@link #bench}. */
    PrivateNetwork network() {
        return network == null ? PrivateNetwork.none() : network;
    }

    /** How it was measured. */
    public Report.Method describe(Rounds found) {
        String used = found.measurements().values().stream()
                .flatMap(Collection::stream)
                .filter(Objects::nonNull)
                .map(Measurement::result)
                .map(PerfResult::congestionControl)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
        return new Report.Method(
                rounds, seconds, pin.isOn(), used, network != null && network.isPrivate(), closeness.found());
    }
}
