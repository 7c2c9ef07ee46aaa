package io.stag.testkit;

import io.stag.simnet.SimNetwork;
import io.stag.simnet.StreamFaults;
import io.stag.testkit.contract.ContractFixture;
import io.stag.verbs.Rnic;
import io.stag.verbs.RnicConfig;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;

/** Contract suites on the simulated network: any cut, delay, stall and window, from a seed. */
final class SimFixture implements ContractFixture {
    private static final int DEAD_HOST = 255;

    private final SimulatedRnics simulation;
    private final List<Rnic> rnics = new ArrayList<>();
    private final int window;

    SimFixture(long seed) {
        StreamFaults faults = StreamFaults.randomBenign(new SplittableRandom(seed));
        window = faults.windowOctets();
        simulation = SimulatedRnics.open(seed, faults, 0);
    }

    /** A seed that is given alone replays a failure; else a few, since each suite has many tests. */
    static LongStream seeds() {
        Long single = Long.getLong("stag.seed");
        return single != null
                ? LongStream.of(single)
                : LongStream.range(0, Integer.getInteger("stag.contract.seeds", 6));
    }

    @Override
    public Rnic open(UnaryOperator<RnicConfig.Builder> settings) {
        Rnic rnic = simulation.add(settings);
        rnics.add(rnic);
        return rnic;
    }

    @Override
    public InetSocketAddress listenAddress(Rnic rnic) {
        return simulation.address(rnics.indexOf(rnic), 0);
    }

    @Override
    public Optional<InetSocketAddress> listenAddress6(Rnic rnic) {
        return Optional.of(new InetSocketAddress(InetAddress.ofLiteral("fd00::" + (rnics.indexOf(rnic) + 1)), 0));
    }

    @Override
    public InetSocketAddress deadAddress() {
        return SimNetwork.address(DEAD_HOST, 9);
    }

    @Override
    public void runUntil(String what, BooleanSupplier condition) {
        simulation.runUntil(what, condition);
    }

    /** All is one thread here. */
    @Override
    public Set<Feature> features() {
        return EnumSet.complementOf(EnumSet.of(Feature.WAITING_THREADS));
    }

    /** More than the window, but not so much that a window of some octets takes for ever. */
    @Override
    public int largeMessage() {
        return Math.clamp(window * 3L, 5_000, 300_000);
    }

    @Override
    public void close() {
        simulation.close();
    }
}
