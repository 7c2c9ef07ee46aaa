package io.stag.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.verbs.AddressHandle;
import io.stag.verbs.CompletionStatus;
import io.stag.verbs.DatagramError;
import io.stag.verbs.DatagramQueuePair;
import io.stag.verbs.DatagramQueuePairConfig;
import io.stag.verbs.DatagramSendRequests;
import io.stag.verbs.MemoryRegion;
import io.stag.verbs.Operation;
import io.stag.verbs.ReceiveRequests;
import io.stag.verbs.WorkCompletions;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.UnaryOperator;

/** A datagram queue pair of a peer, and what happened to it. */
final class DatagramEnd {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /** What an Ethernet frame leaves to UDP over IPv6, also where the network would take more. */
    static final int DATAGRAM = 1452;

    /** A completion with its datagram's part, kept. */
    record Arrived(
            long id,
            CompletionStatus status,
            Operation operation,
            long length,
            boolean solicited,
            InetSocketAddress source,
            int stag,
            long taggedOffset,
            long messageLength,
            boolean complete) {}

    final Peer peer;
    final DatagramQueuePair queuePair;
    final DatagramSendRequests requests;

    private final ContractFixture world;
    private final WorkCompletions batch = WorkCompletions.ofCapacity(8);
    private final Deque<Arrived> arrived = new ArrayDeque<>();

    DatagramEnd(ContractFixture world, Peer peer, UnaryOperator<DatagramQueuePairConfig.Builder> settings) {
        this(world, peer, world.listenAddress(peer.rnic), settings);
    }

    DatagramEnd(
            ContractFixture world,
            Peer peer,
            InetSocketAddress address,
            UnaryOperator<DatagramQueuePairConfig.Builder> settings) {
        this.world = world;
        this.peer = peer;
        queuePair = peer.domain.createDatagramQueuePair(settings.apply(DatagramQueuePairConfig.builder(peer.queue)
                        .minMessageTimeout(PATIENCE) // a pause of the test's threads is no loss
                        .maxMessageTimeout(PATIENCE)
                        .address(address)
                        .datagramLength(DATAGRAM))
                .build());
        requests = queuePair.newSendRequests();
    }

    AddressHandle to(DatagramEnd other) {
        return queuePair.address(other.queuePair.localAddress());
    }

    void postReceive(long id, MemoryRegion region) {
        ReceiveRequests receives = queuePair.newReceiveRequests();
        assertThat(receives.receive(id).into(region, 0, region.length()).post()).isEqualTo(1);
    }

    boolean poll() {
        while (peer.queue.poll(batch) > 0) {
            for (int i = 0; i < batch.size(); i++) {
                boolean datagram = batch.hasDatagram(i);
                arrived.add(new Arrived(
                        batch.id(i),
                        batch.status(i),
                        batch.operation(i),
                        batch.length(i),
                        batch.isSolicited(i),
                        datagram ? batch.datagram(i).source() : queuePair.localAddress(),
                        datagram ? batch.datagram(i).stag() : 0,
                        datagram ? batch.datagram(i).taggedOffset() : 0,
                        datagram ? batch.datagram(i).messageLength() : 0,
                        datagram && batch.datagram(i).isComplete()));
            }
        }
        return !arrived.isEmpty();
    }

    Arrived next() {
        world.runUntil("a completion at " + queuePair.localAddress() + ", " + queuePair.counters(), this::poll);
        return arrived.removeFirst();
    }

    /** The next completion, which must be a success. */
    Arrived expect(Operation operation, long id) {
        Arrived next = next();
        assertThat(next.status()).as("%s", next).isEqualTo(CompletionStatus.SUCCESS);
        assertThat(next.operation()).as("%s", next).isEqualTo(operation);
        assertThat(next.id()).as("%s", next).isEqualTo(id);
        return next;
    }

    void expectNothingMore() {
        poll();
        assertThat(arrived).isEmpty();
    }

    DatagramError nextError() {
        ProviderContract.Holder<DatagramError> found = new ProviderContract.Holder<>();
        world.runUntil("an error at " + queuePair.localAddress(), () -> found.take(queuePair.pollError()));
        return found.get();
    }
}
