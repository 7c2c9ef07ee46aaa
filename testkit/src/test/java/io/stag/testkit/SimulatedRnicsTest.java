package io.stag.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stag.simnet.StreamFaults;
import io.stag.verbs.Access;
import io.stag.verbs.CompletionQueue;
import io.stag.verbs.MemoryRegion;
import io.stag.verbs.ProgressMode;
import io.stag.verbs.ProtectionDomain;
import io.stag.verbs.QueuePair;
import io.stag.verbs.QueuePairConfig;
import io.stag.verbs.Rnic;
import io.stag.verbs.VerbsError;
import io.stag.verbs.VerbsException;
import io.stag.verbs.WorkCompletions;
import io.stag.verbs.cm.Connection;
import io.stag.verbs.cm.ConnectionConfig;
import io.stag.verbs.cm.ConnectionEvent;
import io.stag.verbs.cm.ConnectionRequest;
import io.stag.verbs.cm.Listener;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;

class SimulatedRnicsTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private record Endpoint(ProtectionDomain domain, CompletionQueue queue, QueuePair queuePair) {
        static Endpoint of(Rnic rnic) {
            ProtectionDomain domain = rnic.allocateProtectionDomain();
            CompletionQueue queue = rnic.createCompletionQueue(16);
            return new Endpoint(
                    domain,
                    queue,
                    domain.createQueuePair(QueuePairConfig.builder(queue).build()));
        }

        MemoryRegion memory(int length) {
            return domain.allocate(
                    length, EnumSet.of(Access.LOCAL_READ, Access.LOCAL_WRITE, Access.REMOTE_READ, Access.REMOTE_WRITE));
        }
    }

    /** A program with blocking calls on one side, and one that is called back on the other. */
    @Test
    void blockingCallsLetTheWholeWorldGoOn() {
        try (SimulatedRnics rnics = SimulatedRnics.open(5, StreamFaults.none(), 2)) {
            Endpoint server = Endpoint.of(rnics.rnic(1));
            Listener listener = rnics.rnic(1).connectionManager().listen(new InetSocketAddress(7174), 1);
            assertThat(listener.address()).isEqualTo(rnics.address(1, 7174));
            rnics.rnic(1)
                    .connectionManager()
                    .onEvent(event -> listener.poll()
                            .ifPresent(request -> request.accept(server.queuePair(), ConnectionConfig.defaults())));
            MemoryRegion target = server.memory(8);
            Endpoint client = Endpoint.of(rnics.rnic(0));

            Connection connection = rnics.rnic(0)
                    .connectionManager()
                    .connect(client.queuePair(), listener.address(), ConnectionConfig.defaults())
                    .awaitEstablished(MINUTE);
            MemoryRegion source = client.memory(8);
            source.segment().fill((byte) 7);
            client.queuePair()
                    .newSendRequests()
                    .write(1, target.stag(), 0)
                    .from(source, 0, 8)
                    .unsignaled()
                    .read(2, 0, 0)
                    .post();
            WorkCompletions batch = WorkCompletions.ofCapacity(4);
            assertThat(client.queue().await(batch, MINUTE)).isEqualTo(1);
            assertThat(target.segment().mismatch(source.segment())).isEqualTo(-1);
            connection.close();
            assertThat(connection.state()).isEqualTo(Connection.State.DISCONNECTED);
        }
    }

    /** Whatever the addresses of its objects in memory are. */
    @Test
    void theEndOfAnRnicRepeatsItself() {
        assertThat(ends()).hasSize(8).isEqualTo(ends());
    }

    /** The ports of a client with many domains in the order in which its connections end when it is closed. */
    private static List<Integer> ends() {
        List<Integer> ports = new ArrayList<>();
        try (SimulatedRnics rnics = SimulatedRnics.open(5, StreamFaults.none(), 2)) {
            Listener listener = rnics.rnic(1).connectionManager().listen(new InetSocketAddress(7174), 8);
            rnics.rnic(1).onAsyncEvent(_ -> {}); // the connections break, of course
            rnics.rnic(1).connectionManager().onEvent(event -> {
                listener.poll()
                        .ifPresent(request ->
                                request.accept(Endpoint.of(rnics.rnic(1)).queuePair(), ConnectionConfig.defaults()));
                if (event instanceof ConnectionEvent.Disconnected end) {
                    ports.add(end.connection().remoteAddress().getPort());
                }
            });
            for (int i = 0; i < 8; i++) {
                rnics.rnic(0)
                        .connectionManager()
                        .connect(
                                Endpoint.of(rnics.rnic(0)).queuePair(), listener.address(), ConnectionConfig.defaults())
                        .awaitEstablished(MINUTE);
            }
            rnics.rnic(0).close();
            rnics.run(MINUTE);
        }
        return ports;
    }

    @Test
    void aBlockingCallTimesOutInVirtualTime() {
        try (SimulatedRnics rnics = SimulatedRnics.open(5, StreamFaults.none(), 2)) {
            Endpoint client = Endpoint.of(rnics.rnic(0));
            Duration hour = Duration.ofHours(1);
            assertThat(client.queue().await(WorkCompletions.ofCapacity(1), hour))
                    .isZero();
            assertThat(rnics.nanoTime()).isEqualTo(hour.toNanos());
            Listener listener = rnics.rnic(1).connectionManager().listen(rnics.address(1, 0), 1);
            assertThat(listener.await(hour)).isEmpty();
            assertThat(rnics.nanoTime()).isEqualTo(2 * hour.toNanos());
            Connection connection = rnics.rnic(0)
                    .connectionManager()
                    .connect(client.queuePair(), listener.address(), ConnectionConfig.defaults());
            assertThatThrownBy(() -> connection.awaitEstablished(Duration.ofMillis(10)))
                    .isInstanceOfSatisfying(
                            VerbsException.class, e -> assertThat(e.error()).isEqualTo(VerbsError.TIMED_OUT));
        }
    }

    @Test
    void hostsHavePortsOfTheirOwn() {
        try (SimulatedRnics rnics = SimulatedRnics.open(1, StreamFaults.none(), 3)) {
            assertThat(rnics.count()).isEqualTo(3);
            Listener one = rnics.rnic(1).connectionManager().listen(new InetSocketAddress(80), 1);
            Listener two = rnics.rnic(2).connectionManager().listen(new InetSocketAddress(80), 1);
            rnics.rnic(0)
                    .connectionManager()
                    .connect(Endpoint.of(rnics.rnic(0)).queuePair(), two.address(), ConnectionConfig.defaults());
            List<ConnectionRequest> requests = new ArrayList<>();
            rnics.runUntil(() -> {
                two.poll().ifPresent(requests::add);
                return !requests.isEmpty();
            });
            assertThat(one.poll()).isEmpty();
            assertThat(requests.getFirst().remoteAddress().getAddress())
                    .isEqualTo(rnics.address(0, 0).getAddress());
        }
    }

    @Test
    void aProgramThatWaitsForNothingIsToldSo() {
        try (SimulatedRnics rnics = SimulatedRnics.open(42, StreamFaults.none(), 2)) {
            Endpoint.of(rnics.rnic(0));
            assertThatThrownBy(() -> rnics.runUntil("the impossible", () -> false))
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("nothing can happen any more")
                    .hasMessageContaining("the impossible")
                    .hasMessageContaining("-Dstag.seed=42")
                    .hasMessageContaining("sim0")
                    .hasMessageContaining("IDLE");
        }
    }

    @Test
    void aRunWithoutEndIsStopped() {
        try (SimulatedRnics rnics = SimulatedRnics.open(42, StreamFaults.none(), 1)) {
            rnics.stepLimit(1_000);
            tickForEver(rnics);
            assertThatThrownBy(() -> rnics.runUntil(() -> false))
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("1000 steps")
                    .hasMessageContaining("-Dstag.seed=42");
            assertThat(rnics.steps()).isEqualTo(1_001);
        }
    }

    private static void tickForEver(SimulatedRnics rnics) {
        rnics.network().schedule(rnics.nanoTime() + 10, () -> tickForEver(rnics));
    }

    @Test
    void timePassesAsAskedFor() {
        try (SimulatedRnics rnics = SimulatedRnics.open(1, StreamFaults.none(), 1)) {
            boolean[] happened = {false, false};
            rnics.network().schedule(1_000, () -> happened[0] = true);
            rnics.network().schedule(1_001, () -> happened[1] = true);
            rnics.run(Duration.ofNanos(1_000));
            assertThat(rnics.nanoTime()).isEqualTo(1_000);
            assertThat(happened).containsExactly(true, false);
            rnics.settle();
            assertThat(happened).containsExactly(true, true);
            assertThat(rnics.nanoTime()).isEqualTo(1_001);
        }
    }

    @Test
    void settingsAreTheProgramsButForProgress() {
        try (SimulatedRnics rnics = SimulatedRnics.open(
                1,
                StreamFaults.none(),
                1,
                settings -> settings.progress(ProgressMode.DEDICATED).maxHalfOpenConnections(3))) {
            assertThat(rnics.rnic(0).config().maxHalfOpenConnections()).isEqualTo(3);
            assertThat(rnics.rnic(0).config().progress()).isEqualTo(ProgressMode.INVOKER);
            Rnic another = rnics.add(settings -> settings.name("another"));
            assertThat(rnics.rnic(1)).isSameAs(another);
            assertThat(another.name()).isEqualTo("another");
        }
        assertThatThrownBy(() -> SimulatedRnics.open(1, StreamFaults.none(), 255))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("254");
    }
}
