package io.stag.testkit;

import io.stag.rnic.SoftRnic;
import io.stag.simnet.DatagramFaults;
import io.stag.simnet.Seeds;
import io.stag.simnet.SimNetwork;
import io.stag.simnet.SimTrace;
import io.stag.simnet.StreamFaults;
import io.stag.simnet.VirtualClock;
import io.stag.verbs.ProgressMode;
import io.stag.verbs.QueuePairSnapshot;
import io.stag.verbs.Rnic;
import io.stag.verbs.RnicConfig;
import io.stag.verbs.RnicSnapshot;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;

/**
 * Several RNICs on one simulated network, in one thread and in virtual time. A run is a function of its seed and of what
 * the program does: the same seed gives the same order of events, the same delays, the same faults.
 *
 * <pre>{@code
 * try (var rnics = SimulatedRnics.open(seed, StreamFaults.random(new SplittableRandom(seed)), 2)) {
 *     Rnic client = rnics.rnic(0);
 *     Rnic server = rnics.rnic(1);
 *     …                                     // listen, connect, post: the verbs as always
 *     rnics.runUntil(() -> queue.poll(completions) > 0);
 * }
 * }</pre>
 *
 * <p>Nothing happens but in {@link #runUntil}, {@link #run} and in the verbs' own blocking calls, which let the whole
 * simulation go on while they wait. Time-outs of minutes pass in an instant. Everything belongs to the thread that opened
 * it.
 */
public final class SimulatedRnics implements AutoCloseable {
    /** Steps that {@link #runUntil} makes before it gives up, unless told otherwise. */
    public static final long DEFAULT_STEP_LIMIT = 5_000_000;

    /** TCP payload of an Ethernet frame, less time stamps. */
    private static final int SEGMENT_SIZE = 1448;

    private static final int FIRST_HOST = 1;
    private static final int MAX_RNICS = 254;
    /** Rounds without time passing after which something must be running in circles. */
    private static final int ROUNDS_PER_INSTANT = 1_000_000;

    private final long seed;
    private final SplittableRandom random;
    private final SimNetwork network;
    private final List<SoftRnic> rnics = new ArrayList<>();
    private final Set<SoftRnic> halted = new HashSet<>();
    private int segmentSize = SEGMENT_SIZE;
    private long stepLimit = DEFAULT_STEP_LIMIT;
    private long steps;
    private long stepsAtStart;
    private boolean closed;

    private SimulatedRnics(long seed, StreamFaults faults) {
        this.seed = seed;
        this.random = new SplittableRandom(seed);
        this.network = new SimNetwork(new VirtualClock(), seed, faults, DatagramFaults.none());
    }

    /**
     * Opens RNICs with default settings.
     *
     * @param seed decides about everything random
     * @param faults of all streams; {@link SimNetwork#streamFaults} of {@link #network} changes them for later ones
     * @param count number of RNICs, 0 to 254; {@link #add} opens more
     */
    public static SimulatedRnics open(long seed, StreamFaults faults, int count) {
        return open(seed, faults, count, builder -> builder);
    }

    /**
     * Opens RNICs with other settings.
     *
     * @param settings changes the settings; called once for each RNIC. Progress is always {@link ProgressMode#INVOKER}
     */
    public static SimulatedRnics open(
            long seed, StreamFaults faults, int count, UnaryOperator<RnicConfig.Builder> settings) {
        if (count < 0 || count > MAX_RNICS) {
            throw new IllegalArgumentException(count + " RNICs, allowed are 0 to " + MAX_RNICS);
        }
        SimulatedRnics simulation = new SimulatedRnics(seed, faults);
        for (int i = 0; i < count; i++) {
            simulation.add(settings);
        }
        return simulation;
    }

    /**
     * Opens one more RNIC.
     *
     * @param settings changes the settings; progress is always {@link ProgressMode#INVOKER}
     * @return the RNIC, whose index is the former {@link #count}
     */
    public Rnic add(UnaryOperator<RnicConfig.Builder> settings) {
        int index = rnics.size();
        if (index >= MAX_RNICS) {
            throw new IllegalStateException("more than " + MAX_RNICS + " RNICs");
        }
        // no spinning: a clock that stands still would never end it
        RnicConfig config = settings.apply(RnicConfig.builder().name("sim" + index))
                .progress(ProgressMode.INVOKER)
                .spin(Duration.ZERO)
                .build();
        SimTransport transport = new SimTransport(network, FIRST_HOST + index, () -> segmentSize, this::pause);
        SoftRnic rnic = new SoftRnic(config, () -> transport, network.clock()::nanoTime, random.split());
        rnics.add(rnic);
        return rnic;
    }

    /** One of the RNICs, from 0. */
    public Rnic rnic(int index) {
        return rnics.get(index);
    }

    /** How many there are. */
    public int count() {
        return rnics.size();
    }

    /** The address of an RNIC, for listening (port 0 chooses one) and connecting. */
    public InetSocketAddress address(int index, int port) {
        return SimNetwork.address(FIRST_HOST + index, port);
    }

    /** The network below, for faults and hand-made peers. */
    public SimNetwork network() {
        return network;
    }

    /** Nanoseconds of virtual time since the start. */
    public long nanoTime() {
        return network.clock().nanoTime();
    }

    /** Steps made so far: events of the network and deadlines of RNICs. */
    public long steps() {
        return steps;
    }

    /** Gives up earlier or later than after {@link #DEFAULT_STEP_LIMIT} steps. */
    public void stepLimit(long newLimit) {
        stepLimit = newLimit;
    }

    /** TCP segments of all streams, also of those that are open, have this payload from now on, as when paths change. */
    public void segmentSize(int octets) {
        segmentSize = octets;
    }

    /** Tells {@code listener} of everything that happens on the network from now on. */
    public void trace(SimTrace listener) {
        network.trace(listener);
    }

    /** Like {@link #runUntil(String, BooleanSupplier)} without a name for what is awaited. */
    public void runUntil(BooleanSupplier condition) {
        runUntil("the condition", condition);
    }

    /**
     * Lets things happen until a condition holds. It is looked at whenever all RNICs have done what they can, and may
     * itself poll.
     *
     * @param what is awaited, for the message
     * @throws AssertionError when nothing can happen any more, or after too many steps; the message has the seed and the
     *     state of all RNICs
     */
    public void runUntil(String what, BooleanSupplier condition) {
        stepsAtStart = steps;
        while (true) {
            drive();
            if (condition.getAsBoolean()) {
                return;
            }
            if (!advance(Long.MAX_VALUE)) {
                // the last look may have polled, which gives work
                drive();
                if (condition.getAsBoolean()) {
                    return;
                }
                if (!hasNext()) {
                    throw failure("nothing can happen any more, and " + what + " has not come true");
                }
            }
        }
    }

    /** Lets all that happens within {@code duration} of virtual time happen. */
    public void run(Duration duration) {
        stepsAtStart = steps;
        long end = nanoTime() + duration.toNanos();
        drive();
        while (nextNanos() <= end) {
            advance(end);
            drive();
        }
        network.clock().advanceTo(end);
        drive();
    }

    /** Whether an RNIC does nothing, as if its machine had stopped; what comes waits for it. Its program must not poll. */
    public void halt(int index, boolean wanted) {
        if (wanted) {
            halted.add(rnics.get(index));
        } else {
            halted.remove(rnics.get(index));
        }
    }

    /** Lets everything happen that is under way on the network; timers that are further off stay as they are. */
    public void settle() {
        stepsAtStart = steps;
        drive();
        while (network.nextEventNanos() != Long.MAX_VALUE) {
            advance(Long.MAX_VALUE);
            drive();
        }
    }

    /** All RNICs work until none has anything to do at this instant. */
    private void drive() {
        int rounds = 0;
        int work;
        do {
            work = 0;
            for (int i = 0; i < rnics.size(); i++) {
                work += halted.contains(rnics.get(i)) ? 0 : rnics.get(i).progress();
            }
            if (++rounds > ROUNDS_PER_INSTANT) {
                throw failure("the RNICs do not come to rest at " + nanoTime() + " ns");
            }
        } while (work > 0);
    }

    /** Moves time to the next event or deadline, but not beyond {@code limitNanos}. @return false when there is none */
    private boolean advance(long limitNanos) {
        long event = network.nextEventNanos();
        long next = Math.min(nextNanos(), limitNanos);
        if (next == Long.MAX_VALUE) {
            return false;
        }
        if (++steps - stepsAtStart > stepLimit) {
            throw failure("no end after " + stepLimit + " steps");
        }
        if (event <= next) {
            network.step(); // one at a time: RNICs may work between any two
        } else {
            network.clock().advanceTo(Math.max(next, nanoTime()));
        }
        return true;
    }

    private boolean hasNext() {
        return nextNanos() != Long.MAX_VALUE;
    }

    private long nextNanos() {
        long next = network.nextEventNanos();
        for (SoftRnic rnic : rnics) {
            next = halted.contains(rnic) ? next : Math.min(next, rnic.nextDeadline());
        }
        return next;
    }

    /** A program waits in a blocking call: the world goes on meanwhile. */
    private void pause(long nanos) {
        long until = nanoTime() > Long.MAX_VALUE - nanos ? Long.MAX_VALUE : nanoTime() + nanos;
        drive();
        advance(until);
    }

    /** For tests of leaks: buffers that streams of any RNIC hold. */
    int stagingBuffersInUse() {
        return rnics.stream().mapToInt(SoftRnic::stagingBuffersInUse).sum();
    }

    /** For tests of leaks: whether any RNIC has a timer. */
    boolean hasDeadlines() {
        return rnics.stream().anyMatch(rnic -> rnic.nextDeadline() != Long.MAX_VALUE);
    }

    private AssertionError failure(String what) {
        return new AssertionError(what + "; " + Seeds.replay(seed) + System.lineSeparator() + dump());
    }

    /** The state of network and RNICs, several lines. */
    public String dump() {
        StringBuilder text = new StringBuilder(512);
        text.append(String.format(
                Locale.ROOT,
                "seed %d, time %d ns, step %d, next event %s%n",
                seed,
                nanoTime(),
                steps,
                instant(network.nextEventNanos())));
        for (SoftRnic rnic : rnics) {
            describe(text, rnic.snapshot(), instant(rnic.nextDeadline()));
        }
        return text.toString();
    }

    private static void describe(StringBuilder text, RnicSnapshot rnic, String deadline) {
        text.append(String.format(
                Locale.ROOT,
                "%s: %d connections open, %d in set-up, %d failed, next deadline %s%n",
                rnic.name(),
                rnic.connectionsOpen(),
                rnic.connectionsHalfOpen(),
                rnic.connectionsFailed(),
                deadline));
        for (QueuePairSnapshot pair : rnic.queuePairs()) {
            text.append("  ").append(pair).append(System.lineSeparator());
        }
    }

    private static String instant(long nanos) {
        return nanos == Long.MAX_VALUE ? "never" : nanos + " ns";
    }

    /** Closes all RNICs. */
    @Override
    public void close() {
        if (!closed) {
            closed = true;
            rnics.forEach(SoftRnic::close);
        }
    }
}
