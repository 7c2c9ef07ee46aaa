package io.stag.bench;

import io.stag.verbs.AgentSnapshot;
import io.stag.verbs.RnicSnapshot;
import io.stag.verbs.cm.Listener;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Lets a crowd of strangers loose on a listening RNIC, while good clients come and others are being served. */
final class StrangerRun {
    private static final Pattern PORT = Pattern.compile(":(\\d+)\\b");
    private static final long MEMORY_FOR_ONE = 16 << 10;
    private static final long MEMORY_ONCE = 8 << 20;

    private final Node node;
    private final Witness others;
    private final GoodClients goodClients;
    private final Listener listener;
    private final Stranger kind;
    private final int count;
    private long mostHalfOpen;
    private long mostStaging;
    private int mostThreads;

    /**
     * What was seen.
     *
     * @param gone time until the last of them was closed on
     * @param mostHalfOpen connections in set-up at once
     * @param mostStaging octets of staging memory at once
     * @param turnedAway peers, strangers or not, for whom there was no room
     * @param threads threads that were added
     * @param grown memory that is held more than before, after all of it
     * @param served good clients that got in meanwhile
     * @param refused attempts of good clients that were turned away
     * @param longest how long a good client had to try
     * @param line an example from the log
     * @param left what is still there
     */
    record Result(
            Duration gone,
            long mostHalfOpen,
            long mostStaging,
            long turnedAway,
            int threads,
            long grown,
            int served,
            int refused,
            Duration longest,
            String line,
            String left) {}

    StrangerRun(Node node, Witness others, GoodClients goodClients, Listener listener, Stranger kind, int count) {
        this.node = node;
        this.others = others;
        this.goodClients = goodClients;
        this.listener = listener;
        this.kind = kind;
        this.count = count;
    }

    Result run(Duration limit, long seed) throws IOException {
        Leftovers before = Leftovers.of(node.rnic);
        MemoryUse memoryBefore = MemoryUse.now();
        others.start();
        goodClients.start();
        int threadsBefore = ManagementFactory.getThreadMXBean().getThreadCount();
        long turnedAwayBefore = node.rnic.snapshot().connectionsTurnedAway();
        long verifiedBefore = others.rounds();
        long start = System.nanoTime();
        Duration passed;
        List<Integer> ports;
        List<String> lines;
        try (var log = new LogLines();
                var crowd = new StrangerCrowd(kind, count, listener.address(), seed)) {
            int gone = crowd.run(limit, this::look);
            passed = Duration.ofNanos(System.nanoTime() - start);
            if (gone < count) {
                throw new Program.Failure((count - gone) + " are still connected after " + limit);
            }
            others.verifiedSince(verifiedBefore);
            ports = crowd.ports();
            lines = log.all();
        } finally {
            goodClients.stop();
            others.stop();
        }
        checkLog(ports, lines);
        long grown = MemoryUse.now().minus(memoryBefore).total();
        if (grown > count * MEMORY_FOR_ONE + MEMORY_ONCE) {
            throw new Program.Failure("memory grew by " + grown + " octets");
        }
        return new Result(
                passed,
                mostHalfOpen,
                mostStaging,
                node.rnic.snapshot().connectionsTurnedAway() - turnedAwayBefore,
                mostThreads - threadsBefore,
                grown,
                goodClients.served(),
                goodClients.refused(),
                goodClients.longest(),
                example(ports, lines),
                before.beyond(node.rnic));
    }

    private void look() {
        RnicSnapshot now = node.rnic.snapshot();
        mostHalfOpen = Math.max(mostHalfOpen, now.connectionsHalfOpen());
        mostStaging = Math.max(
                mostStaging,
                now.agents().stream().mapToLong(AgentSnapshot::stagingOctets).sum());
        mostThreads = Math.max(mostThreads, ManagementFactory.getThreadMXBean().getThreadCount());
    }

    /** Everybody who was sent away is named in the log. */
    private static void checkLog(List<Integer> ports, List<String> lines) {
        Set<Integer> named = new HashSet<>();
        for (String line : lines) {
            Matcher matcher = PORT.matcher(line);
            while (matcher.find()) {
                named.add(Integer.parseInt(matcher.group(1)));
            }
        }
        long missing = ports.stream().filter(port -> !named.contains(port)).count();
        if (missing > 0) {
            throw new Program.Failure("the log does not name " + missing + " of " + ports.size());
        }
    }

    /** The last line about one of them: the first ones may be of those who were turned away. */
    private static String example(List<Integer> ports, List<String> lines) {
        String found = "";
        for (String line : lines) {
            if (ports.stream().anyMatch(port -> line.contains(":" + port))) {
                found = line;
            }
        }
        return found;
    }
}
