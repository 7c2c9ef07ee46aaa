package io.stag.bench;

import io.stag.verbs.ProgressMode;
import io.stag.verbs.RnicConfig;
import io.stag.verbs.cm.Listener;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Real faults on real TCP: what the end that stays learns, when, and what is left of it. */
@Command(
        name = "faults",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        header = "Kills peers, cuts connections, lets strangers in, and looks at what the RNIC makes of it.",
        description = {
            "Each fault hits a connection to another process, mostly with transfers under way. The end that stays has"
                + " to learn it within the configured time, flush every request with the cause, and free everything;"
                + " meanwhile verified traffic goes on on other connections of the same RNIC.",
            "Strangers are peers that speak something else, all at once. Each has to be closed on in time and named in"
                + " the log; other connections go on, and good clients get in. A second crowd of those that hold their"
                + " connections open stays below the limit on connections in set-up.",
            "Pulling a cable needs Linux, root, and the command ip. The system property stag.transport (nio or ffm)"
                    + " chooses the transport."
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:all as it should be", "1:not so", "2:wrong usage"})
public final class Faults implements Callable<Integer> {
    private static final double GIGA = 1e9;
    private static final int BACKLOG = 128;
    private static final int KIBI = 1024;

    @Spec
    private CommandSpec spec;

    @Option(names = "--faults", split = ",", description = "Which ones: ${COMPLETION-CANDIDATES}. Default: all.")
    private Set<Fault> faults = EnumSet.allOf(Fault.class);

    @Option(names = "--strangers", description = "How many at once; 0 for none. Default: ${DEFAULT-VALUE}.")
    private int strangers = 1_000;

    @Option(names = "--half-open", description = "Limit on connections in set-up. Default: ${DEFAULT-VALUE}.")
    private int halfOpen = 256;

    @Option(names = "--startup-seconds", description = "Time for the set-up. Default: ${DEFAULT-VALUE}.")
    private double startupSeconds = 5;

    @Option(names = "--probe-seconds", description = "Liveness probe. Default: ${DEFAULT-VALUE}.")
    private double probeSeconds = 1;

    @Option(names = "--progress-seconds", description = "Send-progress time-out. Default: ${DEFAULT-VALUE}.")
    private double progressSeconds = 2;

    @Option(
            names = "--slack-seconds",
            description = "What a fault may be learnt later than configured. Default: ${DEFAULT-VALUE}.")
    private double slackSeconds = 2;

    @Option(names = "--seed", description = "Seed of the random octets. Default: random.")
    private long seed = System.nanoTime() & 0xFFFF_FFFFL;

    private final List<String> table = new ArrayList<>();
    private final List<String> remarks = new ArrayList<>();
    private int failed;

    /** For picocli. */
    public Faults() {}

    /** Runs the command. */
    public static void main(String[] args) {
        Program.main(new Faults(), args);
    }

    @Override
    public Integer call() throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        out.println("seed " + seed + ", transport " + System.getProperty("stag.transport", "as found"));
        FileDescriptors.warmUp();
        try (var failures = new Failures()) {
            if (!faults.isEmpty()) {
                runFaults();
            }
            if (strangers > 0) {
                runStrangers();
            }
            failures.all().forEach(failure -> fail("the log", failure));
        }
        table.forEach(out::println);
        out.println();
        remarks.forEach(out::println);
        out.println(failed == 0 ? "All as it should be." : failed + " failed.");
        out.flush();
        return failed == 0 ? Program.DONE : Program.FAILED;
    }

    // faults

    private void runFaults() throws IOException {
        var times = new Fault.Times(duration(probeSeconds), duration(progressSeconds), duration(slackSeconds));
        row("%-40s  %10s  %8s  %7s  %6s  %s", "fault", "configured", "learnt", "flushed", "others", "left");
        boolean cableWanted = faults.stream().anyMatch(fault -> fault.way == Fault.Way.CABLE);
        @Nullable Cable cable = cableWanted ? layCable() : null;
        try (var node = new Node(FaultPeer.config("near"));
                var friend = new Node(FaultPeer.config("friend"))) {
            node.rnic.onAsyncEvent(_ -> {});
            var others = new Witness(friend, node);
            for (Fault fault : EnumSet.copyOf(faults)) {
                if (fault.way != Fault.Way.CABLE || cable != null) {
                    progress(fault.text);
                    run(fault, times, new FaultRun(node, others, fault, times, cable));
                }
            }
        } finally {
            if (cable != null) {
                cable.close();
            }
        }
    }

    private @Nullable Cable layCable() {
        try {
            return new Cable();
        } catch (Program.Failure e) {
            remarks.add("No cable was pulled, which needs root and network namespaces: " + e.getMessage());
            return null;
        }
    }

    private void run(Fault fault, Fault.Times times, FaultRun run) throws IOException {
        try {
            FaultRun.Result result = run.run();
            Duration configured = times.of(fault.watch);
            row(
                    "%-40s  %10s  %8s  %7d  %6d  %s",
                    fault.text,
                    configured.isZero() ? "-" : seconds(configured),
                    seconds(result.learnt()),
                    result.flushed(),
                    result.othersVerified(),
                    result.left());
            table.add("    " + result.cause());
            if (!result.left().equals("nothing")) {
                fail(fault.text, new Program.Failure(result.left() + " left"));
            }
        } catch (RuntimeException e) {
            row("%-40s  FAILED", fault.text);
            fail(fault.text, e);
        }
    }

    // strangers

    private void runStrangers() throws IOException {
        row("");
        row(
                "%-20s  %7s  %6s  %9s  %7s  %7s  %9s  %7s  %7s  %8s  %s",
                "strangers",
                "at once",
                "gone",
                "half-open",
                "staging",
                "threads",
                "grown",
                "good in",
                "refused",
                "longest",
                "left");
        var config = RnicConfig.builder()
                .name("gate")
                .progress(ProgressMode.SHARED)
                .maxHalfOpenConnections(halfOpen)
                .startupTimeout(duration(startupSeconds))
                .build();
        try (var node = new Node(config);
                var friend = new Node(FaultPeer.config("friend"));
                Listener listener = node.listen(Math.max(BACKLOG, strangers))) {
            var others = new Witness(friend, node);
            var goodClients = new GoodClients(friend, node, listener);
            for (Stranger kind : Stranger.values()) {
                run(kind, strangers, new StrangerRun(node, others, goodClients, listener, kind, strangers));
                int below = Math.min(strangers, halfOpen * 3 / 4);
                if (kind == Stranger.SLOW || kind == Stranger.SILENT) {
                    run(kind, below, new StrangerRun(node, others, goodClients, listener, kind, below));
                }
            }
        }
    }

    private void run(Stranger kind, int count, StrangerRun run) throws IOException {
        progress(count + " strangers: " + kind.text);
        try {
            StrangerRun.Result result = run.run(duration(startupSeconds + slackSeconds), seed);
            row(
                    "%-20s  %7d  %6s  %9d  %7s  %7d  %9s  %7d  %7d  %8s  %s",
                    kind.text,
                    count,
                    seconds(result.gone()),
                    result.mostHalfOpen(),
                    result.mostStaging() / KIBI + " KiB",
                    result.threads(),
                    result.grown() / KIBI + " KiB",
                    result.served(),
                    result.refused(),
                    seconds(result.longest()),
                    result.left());
            table.add("    " + result.line());
            check(kind, count, result);
        } catch (RuntimeException e) {
            row("%-20s  %7d  FAILED", kind.text, count);
            fail(kind.text, e);
        }
    }

    private void check(Stranger kind, int count, StrangerRun.Result result) {
        if (!result.left().equals("nothing")) {
            fail(kind.text, new Program.Failure(result.left() + " left"));
        }
        if (result.threads() > 0) {
            fail(kind.text, new Program.Failure(result.threads() + " threads were started"));
        }
        if (result.mostHalfOpen() > halfOpen) {
            fail(kind.text, new Program.Failure(result.mostHalfOpen() + " connections were in set-up"));
        }
        if (count < halfOpen && result.turnedAway() > 0) {
            fail(kind.text, new Program.Failure(result.turnedAway() + " were turned away below the limit"));
        }
    }

    // printing

    private void fail(String what, Throwable failure) {
        failed++;
        remarks.add("FAILED: " + what + ": " + failure.getMessage());
        PrintWriter err = spec.commandLine().getErr();
        failure.printStackTrace(err);
        err.flush();
    }

    private void progress(String what) {
        PrintWriter err = spec.commandLine().getErr();
        err.println(what);
        err.flush();
    }

    @SuppressWarnings("AnnotateFormatMethod") // the annotation would be one more dependency
    private void row(String format, Object... values) {
        table.add(String.format(Locale.ROOT, format, values).stripTrailing());
    }

    private static String seconds(Duration duration) {
        return String.format(Locale.ROOT, "%.2f s", duration.toNanos() / GIGA);
    }

    private static Duration duration(double seconds) {
        return Duration.ofNanos((long) (seconds * GIGA));
    }
}
