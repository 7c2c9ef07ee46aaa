package io.stag.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.verbs.AddressHandle;
import io.stag.verbs.CompletionQueue;
import io.stag.verbs.CompletionStatus;
import io.stag.verbs.DatagramError;
import io.stag.verbs.MemoryRegion;
import io.stag.verbs.Operation;
import io.stag.verbs.ReceiveRequests;
import io.stag.verbs.ReliableQueuePair;
import io.stag.verbs.ReliableQueuePairConfig;
import io.stag.verbs.ReliableSendRequests;
import io.stag.verbs.WorkCompletions;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.UnaryOperator;

/** A reliable datagram queue pair of a peer with a completion queue of its own, and what happened to it. */
final class ReliableEnd {
    private static final int COMPLETIONS = 1024;

    final Peer peer;
    final CompletionQueue queue;
    final ReliableQueuePair queuePair;
    final ReliableSendRequests requests;

    private final ContractFixture world;
    private final WorkCompletions batch = WorkCompletions.ofCapacity(8);
    private final Deque<Completion> completions = new ArrayDeque<>();
    private final Deque<InetSocketAddress> sources = new ArrayDeque<>(); // of the receives among them
    private final ReceiveRequests receives;

    ReliableEnd(ContractFixture world, Peer peer, UnaryOperator<ReliableQueuePairConfig.Builder> settings) {
        this.world = world;
        this.peer = peer;
        queue = peer.rnic.createCompletionQueue(COMPLETIONS);
        queuePair = peer.domain.createReliableQueuePair(settings.apply(ReliableQueuePairConfig.builder(queue)
                        .address(world.listenAddress(peer.rnic))
                        .datagramLength(DatagramEnd.DATAGRAM))
                .build());
        requests = queuePair.newSendRequests();
        receives = queuePair.config().sharedReceiveQueue().isPresent()
                ? queuePair.config().sharedReceiveQueue().get().newReceiveRequests()
                : queuePair.newReceiveRequests();
    }

    AddressHandle addressOf(ReliableEnd other) {
        return queuePair.address(other.queuePair.localAddress());
    }

    /** The list, with requests to {@code other}. */
    ReliableSendRequests to(ReliableEnd other) {
        return requests.to(addressOf(other));
    }

    void postReceive(long id, MemoryRegion region) {
        assertThat(receives.receive(id).into(region, 0, region.length()).post()).isEqualTo(1);
    }

    void postEmptyReceives(long firstId, int count) {
        for (int i = 0; i < count; i++) {
            receives.receive(firstId + i);
        }
        assertThat(receives.post()).isEqualTo(count);
    }

    boolean poll() {
        while (queue.poll(batch) > 0) {
            for (int i = 0; i < batch.size(); i++) {
                completions.add(Completion.of(batch, i));
                if (batch.hasDatagram(i)) {
                    sources.add(batch.datagram(i).source());
                }
            }
        }
        return !completions.isEmpty();
    }

    Completion next() {
        world.runUntil("a completion at " + this, this::poll);
        return completions.removeFirst();
    }

    /** The next completion, which must be a success. */
    Completion expect(Operation operation, long id) {
        Completion next = expect(id, CompletionStatus.SUCCESS);
        assertThat(next.operation()).as("%s", next).isEqualTo(operation);
        return next;
    }

    Completion expect(long id, CompletionStatus status) {
        Completion next = next();
        assertThat(next.status()).as("%s", next).isEqualTo(status);
        assertThat(next.id()).as("%s", next).isEqualTo(id);
        return next;
    }

    /** The next completion, which must be a receive of a message of {@code sender}. */
    Completion expectFrom(ReliableEnd sender, Operation operation, long id) {
        Completion next = expect(operation, id);
        assertThat(sources.removeFirst()).isEqualTo(sender.queuePair.localAddress());
        return next;
    }

    InetSocketAddress nextSource() {
        return sources.removeFirst();
    }

    void expectNothingMore() {
        poll();
        assertThat(completions).isEmpty();
    }

    DatagramError nextError() {
        ProviderContract.Holder<DatagramError> found = new ProviderContract.Holder<>();
        world.runUntil("an error at " + this, () -> found.take(queuePair.pollError()));
        return found.get();
    }

    @Override
    public String toString() {
        return queuePair.localAddress() + ", " + queuePair.state() + ", " + queuePair.counters();
    }
}
