package io.stag.testkit.contract;

import io.stag.verbs.Rnic;
import io.stag.verbs.RnicConfig;
import java.net.InetSocketAddress;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;

/** How one provider's RNICs are opened, found and driven. A new one serves each test. */
public interface ContractFixture extends AutoCloseable {

    /** Parts of the contract that not every provider can keep. */
    enum Feature {
        /** The program chooses MPA revision, CRC, markers and the kind of ready-to-receive message. */
        MPA_SETTINGS,
        /** A peer's failure comes with the code of its Terminate message. */
        TERMINATE_CODES,
        /** Threads may wait while the test drives. */
        WAITING_THREADS,
        /** The close of an arena under registered memory is noticed and harmless. */
        VANISHING_MEMORY
    }

    /** Opens an RNIC; it is closed with the fixture. */
    Rnic open(UnaryOperator<RnicConfig.Builder> settings);

    /** Where {@code rnic} can listen so that the other RNICs reach it: an address with port 0. */
    InetSocketAddress listenAddress(Rnic rnic);

    /** The same with IPv6, if there is IPv6 here. */
    Optional<InetSocketAddress> listenAddress6(Rnic rnic);

    /** An address where nobody listens. */
    InetSocketAddress deadAddress();

    /**
     * Drives all RNICs until the condition holds.
     *
     * @param what is awaited, for the message
     * @throws AssertionError when it does not come true; the message shows the state of all RNICs
     */
    void runUntil(String what, BooleanSupplier condition);

    /** What this provider can do. */
    default Set<Feature> features() {
        return EnumSet.allOf(Feature.class);
    }

    /** Octets of a message that counts as large here: several segments, and more than what the stream below holds. */
    int largeMessage();

    @Override
    void close();
}
