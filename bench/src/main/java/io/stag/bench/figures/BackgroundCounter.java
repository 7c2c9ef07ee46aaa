package io.stag.bench.figures;

import io.stag.cli.perf.Affinity;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * A process that counts as fast as it may, on the processors of the sender or the receiver. For every line on its
 * standard input it says how far it is, and when; what others do on these processors slows it down.
 */
public final class BackgroundCounter {
    private static final int STEP = 1 << 12;

    private static volatile long count;

    private BackgroundCounter() {}

    /**
     * Counts until standard input ends.
     *
     * @param args {@code sender} or {@code receiver}
     */
    public static void main(String[] args) throws IOException {
        boolean receiver = args.length > 0 && args[0].equals("receiver");
        Thread.ofPlatform().daemon().name("stag-counter").start(() -> {
            Affinity.pin(receiver);
            countForEver();
        });
        PrintStream out = System.out;
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        while (in.readLine() != null) {
            out.println(count + " " + System.nanoTime());
            out.flush();
        }
    }

    private static void countForEver() {
        long mixed = 1;
        long total = 0;
        while (true) {
            for (int i = 0; i < STEP; i++) {
                mixed = mixed * 6_364_136_223_846_793_005L + 1_442_695_040_888_963_407L; // work that is not left out
            }
            total += mixed == 0 ? 0 : STEP;
            count = total;
        }
    }
}
