package io.stag.bench.figures;

import com.google.gson.Gson;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** A process in a network of its own that sends through paths and says how much arrived: a JSON object per line. */
public final class PathWorker {
    private static final Gson GSON = new Gson();
    private static final double STEP_SECONDS = 0.1;
    private static final double WARM_UP_SECONDS = 3;

    /** Who sends. */
    enum Who {
        TCP,
        RELIABLE,
        BOTH
    }

    /**
     * What was measured.
     *
     * @param who who sent
     * @param tcp millions of octets per second by TCP, in each tenth of a second
     * @param reliable the same by reliable datagrams
     */
    record Outcome(Who who, List<Double> tcp, List<Double> reliable) {}

    private PathWorker() {}

    /**
     * Measures and ends.
     *
     * @param args loss in percent, delay in ms, Mbit/s, octets of queue, seconds, rounds, and who sends, one after the other
     */
    public static void main(String[] args) throws IOException {
        PathSpec path = new PathSpec(
                Double.parseDouble(args[0]),
                Double.parseDouble(args[1]),
                Double.parseDouble(args[2]),
                Integer.parseInt(args[3]));
        double seconds = Double.parseDouble(args[4]);
        int rounds = Integer.parseInt(args[5]);
        try (MirrorPath mirror = new MirrorPath(PathSpec.losing(0, path.delayMillis()))) {
            int number = 0;
            measure(Who.BOTH, number++, WARM_UP_SECONDS); // for the compiler
            mirror.become(path);
            for (int round = 0; round < rounds; round++) {
                for (int i = 6; i < args.length; i++) {
                    System.out.println(GSON.toJson(measure(Who.valueOf(args[i]), number++, seconds)));
                }
            }
        }
        System.exit(0);
    }

    private static Outcome measure(Who who, int number, double seconds) throws IOException {
        List<Double> tcp = new ArrayList<>();
        List<Double> reliable = new ArrayList<>();
        try (BulkFlow byTcp = who == Who.RELIABLE ? new NoFlow() : new TcpFlow(number);
                BulkFlow byDatagrams = who == Who.TCP ? new NoFlow() : new ReliableFlow(number)) {
            long begin = System.nanoTime();
            long last = begin;
            long tcpBefore = byTcp.octets();
            long reliableBefore = byDatagrams.octets();
            while (last - begin < seconds * 1e9) {
                LockSupport.parkNanos((long) (STEP_SECONDS * 1e9));
                long now = System.nanoTime();
                long tcpNow = byTcp.octets();
                long reliableNow = byDatagrams.octets();
                tcp.add((tcpNow - tcpBefore) * 1e3 / (now - last));
                reliable.add((reliableNow - reliableBefore) * 1e3 / (now - last));
                last = now;
                tcpBefore = tcpNow;
                reliableBefore = reliableNow;
            }
        }
        return new Outcome(who, tcp, reliable);
    }

    /** Nobody sends. */
    private record NoFlow() implements BulkFlow {
        @Override
        public long octets() {
            return 0;
        }

        @Override
        public void close() {}
    }
}
