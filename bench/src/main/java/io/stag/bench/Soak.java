package io.stag.bench;

import com.sun.management.ThreadMXBean;
import io.stag.verbs.ProgressMode;
import io.stag.verbs.cm.ConnectionConfig;
import io.stag.verbs.cm.Listener;
import java.io.PrintWriter;
import java.lang.foreign.Arena;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Many writes through one connection: every octet verified, memory flat. */
@Command(
        name = "soak",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        header = "Writes very much through one connection and verifies every octet.",
        description = {
            "Two RNICs in this process, connected over TCP on loopback. In each round one half of the target's memory"
                + " is written completely, with octets that depend on position and round; the source announces the"
                + " round with immediate data, the target checks every octet and the memory around its region, and"
                + " answers; meanwhile it samples the other half, where an octet is either old or new. Fails on a"
                + " wrong octet, on any completion in error, and when the heap or direct memory in use after a garbage"
                + " collection grows."
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:all octets right, memory flat", "1:not so", "2:wrong usage"})
public final class Soak implements Callable<Integer> {
    private static final Duration TICK = Duration.ofSeconds(1);
    private static final Duration LONGEST_STALL = Duration.ofSeconds(60);
    private static final long ALLOWED_GROWTH = 4L << 20;
    private static final double MEGA = 1e6;
    private static final double GIGA = 1e9;

    @Spec
    private CommandSpec spec;

    @Option(names = "--writes", converter = Program.Count.class, description = "Small writes. Default: 500M.")
    private long writes = 500_000_000L;

    @Option(names = "--octets", converter = Program.Count.class, description = "Octets of large writes. Default: 200G.")
    private long octets = 200_000_000_000L;

    @Option(names = "--seconds", description = "Ends earlier, after so many seconds. Default: 0, no limit.")
    private double seconds;

    @Option(
            names = "--small",
            converter = Program.Positive.class,
            description = "Mean length of small writes. Default: ${DEFAULT-VALUE}.")
    private int small = 64;

    @Option(
            names = "--large",
            converter = Program.Positive.class,
            description = "Mean length of large writes. Default: ${DEFAULT-VALUE}.")
    private int large = 1 << 20;

    @Option(names = "--no-crc", negatable = true, description = "Without CRC. Default: with CRC.")
    private boolean crc = true;

    @Option(names = "--markers", description = "With markers in both directions. Default: without.")
    private boolean markers;

    @Option(names = "--progress", description = "Who does the work: ${COMPLETION-CANDIDATES}. Default: SHARED.")
    private ProgressMode progress = ProgressMode.SHARED;

    @Option(names = "--heap-every", description = "Seconds between looks at the memory. Default: ${DEFAULT-VALUE}.")
    private double heapEvery = 10;

    @Option(names = "--seed", description = "Seed of lengths and samples. Default: ${DEFAULT-VALUE}.")
    private long seed = 1;

    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private final List<MemoryUse> memory = new ArrayList<>();
    private long start;
    private long nextLook;

    /** For picocli. */
    public Soak() {}

    /** Runs the command. */
    public static void main(String[] args) {
        Program.main(new Soak(), args);
    }

    @Override
    public Integer call() throws InterruptedException {
        SoakPlan plan = SoakPlan.of(writes, octets, small, large);
        ConnectionConfig config =
                ConnectionConfig.builder().crc(crc).markers(markers).build();
        try (Node from = new Node(Node.config("source", progress));
                Node to = new Node(Node.config("target", progress));
                Arena arena = Arena.ofShared();
                Listener listener = to.listen(1)) {
            var source = new SoakSource(from, arena, plan, seed, this::timeIsUp, this::hasFailed);
            var target = new SoakTarget(to, arena, plan, seed, this::hasFailed);
            Node.Connected connected = Node.connect(from, source.queuePair, to, target.queuePair, listener, config);
            source.writeTo(target.region.stag());
            int result = soak(source, target);
            connected.disconnect(from, to);
            return result;
        }
    }

    private int soak(SoakSource source, SoakTarget target) throws InterruptedException {
        long allocatedBefore = allocated();
        start = System.nanoTime();
        nextLook = start + nanos(heapEvery);
        Thread writing = start("soak-source", source);
        Thread verifying = start("soak-target", target);
        PrintWriter err = spec.commandLine().getErr();
        long lastWrites = 0;
        long lastOctets = 0;
        long lastTick = start;
        long lastProgress = start;
        while (writing.isAlive() || verifying.isAlive()) {
            writing.join(TICK);
            if (!writing.isAlive()) {
                verifying.join(TICK);
            }
            long now = System.nanoTime();
            long nowWrites = source.writesDone();
            long nowOctets = source.octetsDone();
            double passed = (now - lastTick) / GIGA;
            err.println(String.format(
                    Locale.ROOT,
                    "%6.0f s  %,d writes (%.3f M/s)  %.2f GB (%.3f GB/s)  %,d rounds verified%s",
                    (now - start) / GIGA,
                    nowWrites,
                    (nowWrites - lastWrites) / passed / MEGA,
                    nowOctets / GIGA,
                    (nowOctets - lastOctets) / passed / GIGA,
                    target.roundsVerified(),
                    lookAtMemory(now)));
            err.flush();
            if (nowWrites != lastWrites || nowOctets != lastOctets) {
                lastProgress = now;
            } else if (now - lastProgress > LONGEST_STALL.toNanos() && failure.get() == null) {
                fail(new Program.Failure("nothing moved for " + LONGEST_STALL + "\n" + ThreadDump.now()));
            }
            lastWrites = nowWrites;
            lastOctets = nowOctets;
            lastTick = now;
        }
        return report(source, target, allocated() - allocatedBefore);
    }

    private int report(SoakSource source, SoakTarget target, long allocatedOctets) {
        PrintWriter out = spec.commandLine().getOut();
        double passed = (System.nanoTime() - start) / GIGA;
        memory.add(MemoryUse.now());
        checkGrowth();
        out.println(String.format(
                Locale.ROOT,
                "%,d small writes and %.3f GB of large ones in %.1f s: %.3f M writes/s and %.3f GB/s at once;"
                        + " %,d rounds checked completely, %,d samples",
                source.writesDone(),
                source.octetsDone() / GIGA,
                passed,
                source.writesDone() / passed / MEGA,
                source.octetsDone() / passed / GIGA,
                target.roundsVerified(),
                target.samplesTaken()));
        MemoryUse first = memory.getFirst();
        MemoryUse last = memory.getLast();
        out.println(String.format(
                Locale.ROOT,
                "heap %.2f MB at first, %.2f MB at last, direct memory %.2f and %.2f MB, %d looks;"
                        + " %.3f octets allocated per small write",
                first.heap() / MEGA,
                last.heap() / MEGA,
                first.direct() / MEGA,
                last.direct() / MEGA,
                memory.size(),
                (double) allocatedOctets / Math.max(1, source.writesDone())));
        Throwable why = failure.get();
        if (why != null) {
            out.println("FAILED: " + why.getMessage());
            why.printStackTrace(spec.commandLine().getErr());
        } else {
            out.println("All octets right, memory flat.");
        }
        out.flush();
        return why == null ? Program.DONE : Program.FAILED;
    }

    private Thread start(String name, Runnable work) {
        return Thread.ofPlatform().name(name).daemon().start(() -> {
            try {
                work.run();
            } catch (RuntimeException | Error e) {
                fail(e);
            }
        });
    }

    private String lookAtMemory(long now) {
        if (now - nextLook < 0) {
            return "";
        }
        nextLook = now + nanos(heapEvery);
        MemoryUse use = MemoryUse.now();
        memory.add(use);
        checkGrowth();
        return String.format(Locale.ROOT, "  heap %.2f MB, direct %.2f MB", use.heap() / MEGA, use.direct() / MEGA);
    }

    /** The first look comes after everything has run for a while, so later ones may not be much higher. */
    private void checkGrowth() {
        MemoryUse grown = memory.getLast().minus(memory.getFirst());
        if (grown.heap() > ALLOWED_GROWTH || grown.direct() > ALLOWED_GROWTH) {
            fail(new Program.Failure("memory grew by " + grown));
        }
    }

    private boolean timeIsUp() {
        return seconds > 0 && System.nanoTime() - start > nanos(seconds);
    }

    private boolean hasFailed() {
        return failure.get() != null;
    }

    private void fail(Throwable why) {
        failure.compareAndSet(null, why);
    }

    private static long nanos(double durationSeconds) {
        return (long) (durationSeconds * GIGA);
    }

    private static long allocated() {
        return ManagementFactory.getThreadMXBean() instanceof ThreadMXBean bean
                ? bean.getTotalThreadAllocatedBytes()
                : 0;
    }
}
