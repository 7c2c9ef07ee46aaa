package io.stag.bench.compare;

import io.stag.cli.CommandFailure;
import io.stag.cli.OnOff;
import io.stag.cli.Progress;
import io.stag.cli.perf.CongestionControl;
import io.stag.cli.perf.Measurement;
import io.stag.cli.perf.PerfResult;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** Options that say how comparisons are measured. */
public final class MethodOptions {
    private static final double MAX_SECONDS = 3_600;
    private static final String AS_IT_IS = "system";
    private static final String USUAL = "cubic";

    @Option(
            names = "--rounds",
            paramLabel = "N",
            description =
                    "How many turns each run has, among those that it is compared with. Default: ${DEFAULT-VALUE}.")
    private int rounds;

    @Option(
            names = "--seconds",
            paramLabel = "S",
            description = "How long a turn takes; before the first there is a warm-up. Default: ${DEFAULT-VALUE}.")
    private double seconds;

    @Option(
            names = "--pin",
            paramLabel = "on|off",
            description =
                    "Keep client and server on different processors (Linux), and measure short turns while these are"
                            + " near each other, as those of a virtual machine may move, and no code is compiled."
                            + " Default: ${DEFAULT-VALUE}.")
    private OnOff pin = OnOff.ON;

    @Option(
            names = "--congestion",
            paramLabel = "NAME",
            description = "TCP's congestion control, for everybody alike, on a loopback of their own (Linux, as root or"
                    + " where users may make network namespaces); system leaves all as it is. Default: cubic where that"
                    + " is possible.")
    private @Nullable String congestion;

    private final QuietTurns turns = new QuietTurns();
    private final @Nullable Bench only;
    private @Nullable PrivateNetwork network;
    private int launches = 1;

    /** Many short turns. */
    public MethodOptions() {
        this(30, 0.1);
    }

    /**
     * With other defaults.
     *
     * @param rounds how many turns each run has
     * @param seconds how long a turn takes
     */
    public MethodOptions(int rounds, double seconds) {
        this.rounds = rounds;
        this.seconds = seconds;
        this.only = null;
    }

    /** For tests: a few turns, all on this bench and none in processes. */
    MethodOptions(Bench only) {
        this.rounds = 3;
        this.seconds = 0.1;
        this.only = only;
        this.network = PrivateNetwork.none();
    }

    /** How many turns each run has. */
    public int rounds() {
        return rounds;
    }

    /** How long a turn takes. */
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
        if (congestion != null && !congestion.equals(AS_IT_IS) && !network().isPrivate()) {
            throw new CommandFailure(
                    "there can be no loopback with congestion control " + congestion + " here",
                    "net.ipv4.tcp_allowed_congestion_control lists names; root may choose, or who may make network"
                            + " namespaces.");
        }
        if (only == null && congestion == null) {
            String doubt = doubt(network(), CongestionControl.name());
            if (!doubt.isEmpty()) {
                PrintWriter err = spec.commandLine().getErr();
                err.println(spec.qualifiedName() + ": " + doubt);
                err.flush();
            }
        }
    }

    /** What is to be said before minutes are spent on figures that mean little; empty when all is well. */
    static String doubt(PrivateNetwork network, @Nullable String systemCongestion) {
        if (network.isPrivate() || systemCongestion == null || systemCongestion.equals(USUAL)) {
            return "";
        }
        return "TCP has the system's congestion control, " + systemCongestion + ": there can be no loopback with "
                + USUAL
                + " here. BBR paces even loopback, so compare with such runs only.\n  For " + USUAL
                + ", be root or allowed to make network namespaces, and let"
                + " net.ipv4.tcp_allowed_congestion_control list it (sysctl -w).";
    }

    /** Where to measure. */
    public Bench bench() {
        if (only != null) {
            return only;
        }
        Bench workers = new Workers(network(), pin.isOn());
        return pin.isOn() ? turns.over(workers) : workers;
    }

    /** Has these runs measured in turns with each other. */
    public Rounds measure(List<Cell> cells, Progress progress) throws IOException {
        return Rounds.run(this::bench, launches, cells, rounds, seconds, progress);
    }

    /** Has processes started anew so often; the turns are spread over the launches. */
    void launches(int times) {
        launches = times;
    }

    /** Where it is measured. */
    PrivateNetwork network() {
        PrivateNetwork present = network;
        if (present == null) {
            present = AS_IT_IS.equals(congestion)
                    ? PrivateNetwork.none()
                    : PrivateNetwork.with(Objects.requireNonNullElse(congestion, USUAL));
            network = present;
        }
        return present;
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
                rounds, launches, seconds, pin.isOn(), used, network().isPrivate(), turns.found());
    }
}
