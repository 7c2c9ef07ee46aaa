package io.stag.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.stag.simnet.Conforms;
import io.stag.testkit.contract.DatagramEnd.Arrived;
import io.stag.verbs.AddressHandle;
import io.stag.verbs.CompletionStatus;
import io.stag.verbs.DatagramQueuePairConfig;
import io.stag.verbs.DatagramRefusal;
import io.stag.verbs.MemoryRegion;
import io.stag.verbs.Operation;
import io.stag.verbs.SharedReceiveQueue;
import io.stag.verbs.VerbsError;
import io.stag.verbs.WorkCompletions;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Send and Receive between datagram queue pairs. */
public abstract class DatagramContract extends ProviderContract {
    /** For subclasses. */
    protected DatagramContract() {}

    final DatagramEnd end(Peer peer) {
        return end(peer, settings -> settings);
    }

    final DatagramEnd end(Peer peer, UnaryOperator<DatagramQueuePairConfig.Builder> settings) {
        return new DatagramEnd(world(), peer, settings);
    }

    @Test
    @Conforms({"DG-037", "DG-036", "DG-030"})
    void isReadyAtOnceAndDeliversASendWithItsSource() {
        DatagramEnd left = end(client());
        DatagramEnd right = end(server());
        assertThat(left.queuePair.localAddress().getPort()).isPositive();
        MemoryRegion from = client().filled(100, 1);
        MemoryRegion into = server().memory(200);
        right.postReceive(7, into);
        left.requests.send(3, left.to(right)).from(from, 0, 100).post();
        left.expect(Operation.SEND, 3);
        Arrived received = right.expect(Operation.RECEIVE, 7);
        assertThat(received.length()).isEqualTo(100);
        assertThat(received.source()).isEqualTo(left.queuePair.localAddress());
        assertThat(received.solicited()).isFalse();
        assertThat(Peer.bytes(into, 0, 100)).isEqualTo(Peer.bytes(from));
        assertThat(Peer.bytes(into, 100, 100)).containsOnly(0);
        assertThat(right.queuePair.counters().messagesReceived()).isEqualTo(1);
        assertThat(left.queuePair.counters().messagesSent()).isEqualTo(1);
    }

    @Test
    void deliversASendOfNothing() {
        DatagramEnd left = end(client());
        DatagramEnd right = end(server());
        right.postReceive(1, server().memory(8));
        left.requests.send(2, left.to(right)).post();
        left.expect(Operation.SEND, 2);
        assertThat(right.expect(Operation.RECEIVE, 1).length()).isZero();
    }

    @Test
    @Conforms("DG-022")
    void deliversALongSendInManyDatagrams() {
        DatagramEnd left = end(client());
        DatagramEnd right = end(server());
        int length = 100_001;
        MemoryRegion from = client().filled(length, 5);
        MemoryRegion into = server().memory(length);
        right.postReceive(1, into);
        left.requests.send(2, left.to(right)).from(from, 0, length).post();
        left.expect(Operation.SEND, 2);
        assertThat(right.expect(Operation.RECEIVE, 1).length()).isEqualTo(length);
        assertThat(Peer.bytes(into)).isEqualTo(Peer.bytes(from));
        assertThat(left.queuePair.segmentLength()).isEqualTo(1408);
        assertThat(left.queuePair.counters().datagramsSent()).isEqualTo(Math.ceilDiv(length, 1408));
        assertThat(right.queuePair.counters().openMessages()).isZero();
    }

    @Test
    void gathersAndScatters() {
        DatagramEnd left = end(client());
        DatagramEnd right = end(server());
        MemoryRegion from = client().filled(5_000, 6);
        MemoryRegion into = server().memory(5_000);
        assertThat(right.queuePair
                        .newReceiveRequests()
                        .receive(1)
                        .into(into, 3_000, 2_000)
                        .into(into, 0, 0)
                        .into(into, 0, 3_000)
                        .post())
                .isEqualTo(1);
        left.requests
                .send(2, left.to(right))
                .from(from, 4_000, 1_000)
                .from(from, 0, 4_000)
                .post();
        left.expect(Operation.SEND, 2);
        right.expect(Operation.RECEIVE, 1);
        byte[] sent = new byte[5_000];
        System.arraycopy(Peer.bytes(from, 4_000, 1_000), 0, sent, 0, 1_000);
        System.arraycopy(Peer.bytes(from, 0, 4_000), 0, sent, 1_000, 4_000);
        byte[] received = new byte[5_000];
        System.arraycopy(Peer.bytes(into, 3_000, 2_000), 0, received, 0, 2_000);
        System.arraycopy(Peer.bytes(into, 0, 3_000), 0, received, 2_000, 3_000);
        assertThat(received).isEqualTo(sent);
    }

    @Test
    void sendsInlineUnsignaledAndSolicited() {
        DatagramEnd left = end(client());
        DatagramEnd right = end(server());
        MemoryRegion into = server().memory(16);
        right.postReceive(1, into);
        MemorySegment data = client().octets(16);
        Peer.fill(data, 9);
        left.requests
                .send(2, left.to(right))
                .inline(data)
                .unsignaled()
                .solicited()
                .post();
        data.fill((byte) 0);
        assertThat(right.expect(Operation.RECEIVE, 1).solicited()).isTrue();
        for (int i = 0; i < 16; i++) {
            assertThat(Peer.bytes(into)[i]).isEqualTo(Peer.pattern(9, i));
        }
        left.expectNothingMore();
    }

    @Test
    void repliesToWhereAMessageCameFrom() {
        DatagramEnd left = end(client());
        DatagramEnd right = end(server());
        MemoryRegion into = server().memory(16);
        MemoryRegion back = client().memory(16);
        right.postReceive(1, into);
        left.postReceive(2, back);
        left.requests
                .send(3, left.to(right))
                .from(client().filled(16, 3), 0, 16)
                .unsignaled()
                .post();
        WorkCompletions batch = WorkCompletions.ofCapacity(1);
        runUntil("the question", () -> right.peer.queue.poll(batch) > 0);
        right.requests
                .reply(4, batch.datagram(0))
                .from(into, 0, 16)
                .unsignaled()
                .post();
        Arrived answer = left.expect(Operation.RECEIVE, 2);
        assertThat(answer.source()).isEqualTo(right.queuePair.localAddress());
        assertThat(Peer.bytes(back)).isEqualTo(Peer.bytes(into));
    }

    @Test
    @Conforms({"DG-014", "DG-029"})
    void aSendWithoutReceiveIsReportedAndTheQueuePairGoesOn() {
        DatagramEnd left = end(client());
        DatagramEnd right = end(server());
        MemoryRegion from = client().filled(10_000, 1);
        left.requests.send(1, left.to(right)).from(from, 0, 10_000).post();
        left.expect(Operation.SEND, 1);
        var error = right.nextError();
        assertThat(error.source()).isEqualTo(left.queuePair.localAddress());
        assertThat(error.detail().toString()).contains("DG-014").contains("10000 octets");
        MemoryRegion into = server().memory(10_000);
        right.postReceive(2, into);
        left.requests.send(3, left.to(right)).from(from, 0, 10_000).post();
        left.expect(Operation.SEND, 3);
        assertThat(right.expect(Operation.RECEIVE, 2).length()).isEqualTo(10_000);
        assertThat(right.queuePair.counters().refused(DatagramRefusal.NO_RECEIVE))
                .as("once for the message, not for each of its datagrams")
                .isEqualTo(1);
    }

    @Test
    @Conforms("DG-015")
    void aSendLongerThanItsReceiveIsReportedAndTheReceiveServesAnother() {
        DatagramEnd left = end(client());
        DatagramEnd right = end(server());
        MemoryRegion from = client().filled(3_000, 1);
        right.postReceive(2, server().memory(2_000));
        left.requests.send(1, left.to(right)).from(from, 0, 3_000).unsignaled();
        left.requests.send(3, left.to(right)).from(from, 0, 2_000).unsignaled().post();
        assertThat(right.expect(Operation.RECEIVE, 2).length()).isEqualTo(2_000);
        assertThat(right.nextError().detail().clause()).isEqualTo("DG-015");
    }

    @Test
    void talksToManyOthers() {
        DatagramEnd hub = end(server(), settings -> settings.receiveDepth(128));
        MemoryRegion into = server().memory(64 * 100);
        var receives = hub.queuePair.newReceiveRequests();
        for (int i = 0; i < 100; i++) {
            receives.receive(i).into(into, 64L * i, 64);
        }
        assertThat(receives.post()).isEqualTo(100);
        MemoryRegion from = client().filled(64, 1);
        for (int i = 0; i < 100; i++) {
            DatagramEnd spoke = end(client());
            spoke.requests.send(i, spoke.to(hub)).from(from, 0, 64).unsignaled().post();
            Arrived received = hub.next();
            assertThat(received.source()).isEqualTo(spoke.queuePair.localAddress());
            spoke.queuePair.close();
        }
        assertThat(hub.queuePair.counters().messagesReceived()).isEqualTo(100);
    }

    @Test
    void takesReceivesFromASharedQueue() {
        SharedReceiveQueue shared = server().domain.createSharedReceiveQueue(8, 1);
        DatagramEnd left = end(client());
        DatagramEnd first = end(server(), settings -> settings.sharedReceiveQueue(shared));
        DatagramEnd second = end(server(), settings -> settings.sharedReceiveQueue(shared));
        MemoryRegion into = server().memory(200);
        shared.newReceiveRequests()
                .receive(1)
                .into(into, 0, 100)
                .receive(2)
                .into(into, 100, 100)
                .post();
        MemoryRegion from = client().filled(100, 1);
        left.requests.send(5, left.to(first)).from(from, 0, 100).unsignaled().post();
        assertThat(first.next().id()).isEqualTo(1);
        left.requests.send(6, left.to(second)).from(from, 0, 100).unsignaled().post();
        assertThat(second.next().id()).isEqualTo(2);
        assertRefused(VerbsError.INVALID_STATE, first.queuePair::newReceiveRequests);
        first.queuePair.close();
        second.queuePair.close();
        shared.close();
    }

    @Test
    @Conforms("DG-024")
    void theReceiveOfHalfAMessageGoesBackToASharedQueueWhenItsQueuePairIsClosed() {
        SharedReceiveQueue shared = server().domain.createSharedReceiveQueue(8, 1);
        Duration aWhile = Duration.ofMinutes(5);
        DatagramEnd left =
                end(client(), settings -> settings.flowWindow(1).flowTimeout(aWhile)); // the rest is never sent
        DatagramEnd first =
                end(server(), settings -> settings.sharedReceiveQueue(shared).maxMessageTimeout(aWhile));
        int length = 2 * left.queuePair.segmentLength();
        shared.newReceiveRequests()
                .receive(1)
                .into(server().memory(length), 0, length)
                .post();
        left.requests
                .send(5, left.to(first))
                .from(client().filled(length, 1), 0, length)
                .post();
        runUntil("half of it is there", () -> shared.available() == 0);
        first.queuePair.close();
        assertThat(shared.available()).isEqualTo(1);
        shared.close();
    }

    @Test
    void speaksIpv6() {
        Optional<InetSocketAddress> address = world().listenAddress6(client().rnic);
        assumeTrue(address.isPresent(), "no IPv6 here");
        DatagramEnd left = new DatagramEnd(world(), client(), address.get(), settings -> settings);
        DatagramEnd right = new DatagramEnd(
                world(), server(), world().listenAddress6(server().rnic).orElseThrow(), settings -> settings);
        right.postReceive(1, server().memory(8));
        left.requests
                .send(2, left.to(right))
                .from(client().filled(8, 1), 0, 8)
                .unsignaled()
                .post();
        assertThat(right.expect(Operation.RECEIVE, 1).source()).isEqualTo(left.queuePair.localAddress());
        assertRefused(VerbsError.INVALID_ARGUMENT, () -> left.queuePair.address(world().listenAddress(server().rnic)));
    }

    @Test
    void memoryThatIsGoneFailsItsRequestAndNoOther() {
        DatagramEnd left = end(client());
        DatagramEnd right = end(server());
        right.postReceive(1, server().memory(100));
        MemoryRegion gone = client().filled(100, 1);
        MemoryRegion from = client().filled(100, 2);
        left.requests.send(2, left.to(right)).from(gone, 0, 100);
        left.requests.send(3, left.to(right)).from(from, 0, 100);
        gone.close();
        left.requests.post();
        Arrived failed = left.next();
        assertThat(failed.status()).isEqualTo(CompletionStatus.LOC_PROT_ERR);
        assertThat(failed.id()).isEqualTo(2);
        left.expect(Operation.SEND, 3);
        right.expect(Operation.RECEIVE, 1);
    }

    @Test
    void aReceiveWhoseMemoryIsGoneFailsAlone() {
        DatagramEnd left = end(client());
        DatagramEnd right = end(server());
        MemoryRegion gone = server().memory(5_000);
        right.postReceive(1, gone);
        right.postReceive(2, server().memory(5_000));
        gone.close();
        MemoryRegion from = client().filled(5_000, 2);
        for (int i = 0; i < 2; i++) {
            left.requests
                    .send(i, left.to(right))
                    .from(from, 0, 5_000)
                    .unsignaled()
                    .post();
        }
        assertThat(right.next().status()).isEqualTo(CompletionStatus.LOC_PROT_ERR);
        right.expect(Operation.RECEIVE, 2);
    }

    @Test
    void refusesWhatMakesNoSense() {
        DatagramEnd left = end(client());
        AddressHandle to = left.to(left);
        assertRefused(VerbsError.LIMIT_EXCEEDED, () -> end(client(), settings -> settings.datagramLength(80)));
        assertRefused(
                VerbsError.LIMIT_EXCEEDED,
                () -> end(client(), settings -> settings.maxMessageTimeout(Duration.ofMillis(1))));
        assertRefused(VerbsError.INVALID_STATE, () -> left.requests.unsignaled());
        assertRefused(VerbsError.LIMIT_EXCEEDED, () -> left.requests.send(1, to).inline(client().octets(65)));
        assertRefused(
                VerbsError.NOT_PERMITTED, () -> left.queuePair.address(new InetSocketAddress("255.255.255.255", 9)));
        assertRefused(
                VerbsError.INVALID_ARGUMENT,
                () -> left.queuePair.address(InetSocketAddress.createUnresolved("nowhere.invalid", 9)));
        assertRefused(
                VerbsError.INVALID_ARGUMENT,
                () -> left.queuePair.join(world().listenAddress(client().rnic).getAddress()));
        assertRefused(
                VerbsError.INVALID_ARGUMENT,
                () -> new DatagramEnd(world(), client(), left.queuePair.localAddress(), settings -> settings));
    }

    @Test
    void aRefusedRequestIsNotPostedWithTheOthers() {
        DatagramEnd left = end(client());
        DatagramEnd right = end(server());
        MemoryRegion from = client().filled(64, 1);
        AddressHandle foreign = right.queuePair::localAddress;
        right.postReceive(1, server().memory(64));
        assertRefused(VerbsError.INVALID_ARGUMENT, () -> left.requests.send(2, foreign));
        assertRefused(VerbsError.INVALID_ARGUMENT, () -> left.requests.writeRecord(3, foreign, 1, 0));
        assertRefused(
                VerbsError.INVALID_ARGUMENT,
                () -> left.requests.send(4, left.to(right)).from(from, 0, 65));
        assertThat(left.requests.send(5, left.to(right)).from(from, 0, 64).post())
                .isEqualTo(1);
        left.expect(Operation.SEND, 5);
        assertThat(right.expect(Operation.RECEIVE, 1).length()).isEqualTo(64);
    }

    @Test
    void queuesOfOthersAreRefused() {
        SharedReceiveQueue elsewhere = server().domain.createSharedReceiveQueue(8, 1);
        assertRefused(
                VerbsError.INVALID_ARGUMENT, () -> end(client(), settings -> settings.sharedReceiveQueue(elsewhere)));
        assertRefused(
                VerbsError.INVALID_ARGUMENT,
                () -> client().domain
                        .createDatagramQueuePair(DatagramQueuePairConfig.builder(server().queue)
                                .address(world().listenAddress(client().rnic))
                                .build()));
        elsewhere.close();
    }

    @Test
    void aQueuePairThatWasNotMadeUsesNoQueue() {
        SharedReceiveQueue closed = client().domain.createSharedReceiveQueue(8, 1);
        closed.close();
        assertRefused(VerbsError.CLOSED, () -> end(client(), settings -> settings.sharedReceiveQueue(closed)));
        client().queue.close();
    }

    @Test
    void closesAtAnyTime() {
        DatagramEnd left = end(client());
        DatagramEnd right = end(server());
        AddressHandle to = left.to(right);
        right.postReceive(1, server().memory(100));
        left.requests.send(1, to).from(client().filled(100, 1), 0, 100).post();
        right.queuePair.close();
        left.queuePair.close();
        left.queuePair.close();
        assertRefused(VerbsError.CLOSED, () -> left.requests.send(2, to).post());
        DatagramEnd again = new DatagramEnd(world(), client(), left.queuePair.localAddress(), settings -> settings);
        assertThat(again.queuePair.localAddress()).isEqualTo(left.queuePair.localAddress());
    }
}
