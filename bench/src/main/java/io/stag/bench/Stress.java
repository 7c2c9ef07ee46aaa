package io.stag.bench;

import java.io.PrintWriter;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Closes everything at the worst moment, again and again. */
@Command(
        name = "stress",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        header = "Closes memory, queue pairs, connections and RNICs in the middle of transfers.",
        description = {
            "Each round opens two RNICs with random settings and some connections between them, keeps all of them"
                + " busy, and closes arenas, regions, queue pairs, connections, listeners and RNICs from other"
                + " threads. Every call must return or be refused with a VerbsException; every request posted must"
                + " complete unless its queue pair was destroyed; deregistered memory must stay untouched; the log"
                + " must not admit a bug; and after the round no connection, region, thread or file descriptor may be"
                + " left. The JVM must live.",
            "The system property stag.transport (nio or ffm) chooses the transport."
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:nothing was found", "1:something was found", "2:wrong usage"})
public final class Stress implements Callable<Integer> {
    private static final int LOOK_EVERY = 50;
    private static final int MOST_FAILURES = 20;
    private static final long ALLOWED_GROWTH = 32L << 20;
    private static final double MEGA = 1e6;

    @Spec
    private CommandSpec spec;

    @Option(names = "--seconds", description = "How long. Default: ${DEFAULT-VALUE}.")
    private double seconds = 120;

    @Option(names = "--rounds", description = "Ends earlier, after so many rounds. Default: 0, no limit.")
    private int rounds;

    @Option(names = "--seed", description = "Seed of the first round; the next ones follow from it. Default: random.")
    private long seed = System.nanoTime() & 0xFFFF_FFFFL;

    private long completions;
    private final Map<Sabotage, Integer> deeds = new TreeMap<>();

    /** For picocli. */
    public Stress() {}

    /** Runs the command. */
    public static void main(String[] args) {
        Program.main(new Stress(), args);
    }

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        PrintWriter err = spec.commandLine().getErr();
        out.println("seed " + seed + ", transport " + System.getProperty("stag.transport", "as found"));
        out.flush();
        FileDescriptors.warmUp();
        try (var failures = new Failures()) {
            var seeds = new SplittableRandom(seed);
            long start = System.nanoTime();
            long lastTick = start;
            int done = 0;
            boolean usable = true;
            MemoryUse first = new MemoryUse(0, 0);
            while (usable && !isOver(start, done) && failures.all().size() < MOST_FAILURES) {
                long roundSeed = done == 0 ? seed : seeds.nextLong();
                usable = round(done, roundSeed, failures);
                done++;
                if (done % LOOK_EVERY == 1) {
                    MemoryUse use = MemoryUse.now();
                    first = done == 1 ? use : first;
                    checkGrowth(use.minus(first), failures);
                }
                if (System.nanoTime() - lastTick > TimeUnit.SECONDS.toNanos(1)) {
                    lastTick = System.nanoTime();
                    err.println((lastTick - start) / TimeUnit.SECONDS.toNanos(1) + " s  " + done + " rounds  "
                            + completions + " requests  " + failures.all().size() + " failures");
                    err.flush();
                }
            }
            return report(done, failures);
        }
    }

    private boolean isOver(long start, int done) {
        return System.nanoTime() - start > seconds * TimeUnit.SECONDS.toNanos(1) || (rounds > 0 && done >= rounds);
    }

    private boolean round(int number, long roundSeed, Failures failures) {
        Map<String, String> openBefore = FileDescriptors.open();
        int failuresBefore = failures.all().size();
        var round = new StressRound("stress" + number, roundSeed, failures);
        boolean usable = round.run();
        completions += round.completions();
        round.deeds().forEach((deed, count) -> deeds.merge(deed, count, Integer::sum));
        if (usable) {
            checkDescriptors(openBefore, failures);
        }
        if (failures.all().size() > failuresBefore) {
            PrintWriter err = spec.commandLine().getErr();
            err.println("round " + number + ", seed " + roundSeed + ": " + round.description());
            failures.all().stream().skip(failuresBefore).forEach(failure -> failure.printStackTrace(err));
            err.flush();
        }
        return usable;
    }

    private static void checkDescriptors(Map<String, String> before, Failures failures) {
        Map<String, String> left = new TreeMap<>();
        for (int i = 0; i < 50; i++) {
            left = FileDescriptors.open();
            if (left.size() <= before.size()) {
                return;
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
        }
        left.keySet().removeAll(before.keySet());
        failures.add("file descriptors left open: " + left);
    }

    private static void checkGrowth(MemoryUse grown, Failures failures) {
        if (grown.heap() > ALLOWED_GROWTH || grown.direct() > ALLOWED_GROWTH) {
            failures.add("memory grew: " + grown);
        }
    }

    private int report(int done, Failures failures) {
        PrintWriter out = spec.commandLine().getOut();
        MemoryUse last = MemoryUse.now();
        out.println(done + " rounds, " + completions + " requests, "
                + deeds.values().stream().mapToInt(Integer::intValue).sum() + " deeds: " + deeds);
        out.println("heap " + last.heap() / MEGA + " MB, direct memory " + last.direct() / MEGA + " MB");
        failures.all()
                .forEach(failure -> out.println(
                        "FAILED: " + failure.toString().lines().findFirst().orElse("")));
        out.println(
                failures.all().isEmpty() ? "Nothing was found." : failures.all().size() + " failures; seed " + seed);
        out.flush();
        return failures.all().isEmpty() ? Program.DONE : Program.FAILED;
    }
}
