package io.stag.testkit;

import io.stag.rnic.transport.LinuxTransport;
import io.stag.testkit.contract.ContractFixture;
import io.stag.verbs.ProgressMode;
import io.stag.verbs.Rnic;
import io.stag.verbs.RnicConfig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.net.SocketException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** Contract suites on the loopback interface of this machine. */
final class TcpFixture implements ContractFixture {
    /** Only ends a hang; nothing is measured. */
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private static final int AGENTS = 2;

    /**
     * A way to run the software RNIC.
     *
     * @param progress who does the work
     * @param nativeTransport whether system calls are made directly
     */
    record Variant(ProgressMode progress, boolean nativeTransport) {
        @Override
        public String toString() {
            return progress + (nativeTransport ? ", system calls" : ", NIO");
        }
    }

    private final Variant variant;
    private final List<Rnic> rnics = new ArrayList<>();

    TcpFixture(Variant variant) {
        this.variant = variant;
    }

    /** All ways that this machine offers. */
    static Stream<Variant> variants() {
        Stream<Boolean> transports = LinuxTransport.obstacle().isPresent() ? Stream.of(false) : Stream.of(false, true);
        return transports.flatMap(
                direct -> Arrays.stream(ProgressMode.values()).map(progress -> new Variant(progress, direct)));
    }

    @Override
    public Rnic open(UnaryOperator<RnicConfig.Builder> settings) {
        Rnic rnic = Rnic.open(
                settings.apply(RnicConfig.builder().name("tcp" + rnics.size()).agents(AGENTS))
                        .progress(variant.progress())
                        .nativeTransport(variant.nativeTransport())
                        .build());
        rnics.add(rnic);
        return rnic;
    }

    @Override
    public InetSocketAddress listenAddress(Rnic rnic) {
        return new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0);
    }

    @Override
    public Optional<InetSocketAddress> listenAddress6(Rnic rnic) {
        InetAddress loopback = InetAddress.ofLiteral("::1");
        try {
            return NetworkInterface.getByInetAddress(loopback) == null
                    ? Optional.empty()
                    : Optional.of(new InetSocketAddress(loopback, 0));
        } catch (SocketException e) {
            return Optional.empty();
        }
    }

    @Override
    public InetSocketAddress deadAddress() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.ofLiteral("127.0.0.1"))) {
            return (InetSocketAddress) socket.getLocalSocketAddress();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public void runUntil(String what, BooleanSupplier condition) {
        long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            int work = 0;
            for (Rnic rnic : rnics) {
                work += rnic.progress();
            }
            if (work == 0) {
                Thread.yield();
                if (System.nanoTime() - start > PATIENCE.toNanos()) {
                    throw new AssertionError(
                            what + " has not come true with " + variant + System.lineSeparator() + dump());
                }
            }
        }
    }

    private String dump() {
        StringBuilder text = new StringBuilder();
        for (Rnic rnic : rnics) {
            text.append(rnic.snapshot()).append(System.lineSeparator());
        }
        return text.toString();
    }

    @Override
    public int largeMessage() {
        return 3_000_000;
    }

    @Override
    public void close() {
        rnics.forEach(Rnic::close);
    }
}
