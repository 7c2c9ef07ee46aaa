package io.stag.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.stag.simnet.Conforms;
import io.stag.verbs.Access;
import io.stag.verbs.AddressHandle;
import io.stag.verbs.MemoryRegion;
import io.stag.verbs.Operation;
import io.stag.verbs.ReliableQueuePair;
import io.stag.verbs.ReliableQueuePairConfig;
import io.stag.verbs.ReliableSendRequests;
import io.stag.verbs.SharedReceiveQueue;
import io.stag.verbs.VerbsError;
import io.stag.verbs.WorkCompletions;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** All operations between reliable datagram queue pairs. */
public abstract class ReliableContract extends ProviderContract {
    /** For subclasses. */
    protected ReliableContract() {}

    final ReliableEnd end(Peer peer) {
        return end(peer, settings -> settings);
    }

    final ReliableEnd end(Peer peer, UnaryOperator<ReliableQueuePairConfig.Builder> settings) {
        return new ReliableEnd(world(), peer, settings);
    }

    @Test
    @Conforms("RD-001")
    void deliversSendsBothWaysWithTheirSource() {
        ReliableEnd left = end(client());
        ReliableEnd right = end(server());
        MemoryRegion from = client().filled(100, 1);
        MemoryRegion into = server().memory(200);
        MemoryRegion back = client().memory(200);
        right.postReceive(7, into);
        left.postReceive(8, back);

        left.to(right).send(3).from(from, 0, 100).post();
        assertThat(right.expectFrom(left, Operation.RECEIVE, 7).length()).isEqualTo(100);
        assertThat(Peer.bytes(into, 0, 100)).isEqualTo(Peer.bytes(from));
        assertThat(Peer.bytes(into, 100, 100)).containsOnly(0);
        left.expect(Operation.SEND, 3);

        right.to(left).send(4).from(into, 0, 50).post();
        assertThat(left.expectFrom(right, Operation.RECEIVE, 8).length()).isEqualTo(50);
        right.expect(Operation.SEND, 4);
        assertThat(right.queuePair.counters().messagesReceived()).isEqualTo(1);
        assertThat(left.queuePair.counters().messagesSent()).isEqualTo(1);
        assertThat(left.queuePair.counters().peers()).isEqualTo(1);
        assertThat(left.queuePair.state()).isEqualTo(ReliableQueuePair.State.READY);
        assertThat(left.queuePair.firstCause()).isEmpty();
    }

    @Test
    void deliversASendOfNothing() {
        ReliableEnd left = end(client());
        ReliableEnd right = end(server());
        right.postEmptyReceives(1, 1);
        left.to(right).send(2).post();
        assertThat(right.expectFrom(left, Operation.RECEIVE, 1).length()).isZero();
        left.expect(Operation.SEND, 2);
    }

    @Test
    @Conforms("DG-022")
    void deliversALongSendGatheredAndScattered() {
        ReliableEnd left = end(client());
        ReliableEnd right = end(server());
        int length = 200_001;
        MemoryRegion from = client().filled(length, 5);
        MemoryRegion into = server().memory(length);
        right.queuePair
                .newReceiveRequests()
                .receive(1)
                .into(into, 150_000, 50_001)
                .into(into, 0, 0)
                .into(into, 0, 150_000)
                .post();
        left.to(right)
                .send(2)
                .from(from, 150_000, 50_001)
                .from(from, 0, 150_000)
                .post();
        assertThat(right.expectFrom(left, Operation.RECEIVE, 1).length()).isEqualTo(length);
        left.expect(Operation.SEND, 2);
        assertThat(Peer.bytes(into)).isEqualTo(Peer.bytes(from));
        assertThat(left.queuePair.segmentLength()).isEqualTo(1344);
    }

    @Test
    void sendsInlineUnsignaledAndSolicited() {
        ReliableEnd left = end(client());
        ReliableEnd right = end(server());
        MemoryRegion into = server().memory(16);
        right.postReceive(1, into);
        MemorySegment data = client().octets(16);
        Peer.fill(data, 9);
        left.to(right).send(2).inline(data).unsignaled().solicited().post();
        data.fill((byte) 0);
        assertThat(right.expectFrom(left, Operation.RECEIVE, 1).solicited()).isTrue();
        for (int i = 0; i < 16; i++) {
            assertThat(Peer.bytes(into)[i]).isEqualTo(Peer.pattern(9, i));
        }
        runUntil("the acknowledgement", () -> left.queuePair.counters().messagesSent() == 1);
        left.expectNothingMore();
    }

    @Test
    void aSendInvalidatesMemoryOfThePeer() {
        ReliableEnd left = end(client());
        ReliableEnd right = end(server());
        MemoryRegion lent = server().memory(64, Access.LOCAL_WRITE, Access.REMOTE_WRITE, Access.REMOTE_INVALIDATE);
        right.postEmptyReceives(1, 1);
        left.to(right)
                .write(2, lent.stag(), 0)
                .from(client().filled(64, 1), 0, 64)
                .sendInvalidate(3, lent.stag())
                .post();
        Completion received = right.expectFrom(left, Operation.RECEIVE, 1);
        assertThat(received.hasInvalidatedStag()).isTrue();
        assertThat(received.invalidatedStag()).isEqualTo(lent.stag());
        assertThat(lent.snapshot().remoteWrites()).isEqualTo(1);
        left.expect(Operation.RDMA_WRITE, 2);
        left.expect(Operation.SEND, 3);
    }

    @Test
    void aWriteIsThereWhenItIsComplete() {
        ReliableEnd left = end(client());
        ReliableEnd right = end(server());
        MemoryRegion from = client().filled(300_000, 2);
        MemoryRegion target = server().memory(300_100);
        left.to(right)
                .write(1, target.stag(), target.remoteOffset(37))
                .from(from, 0, 300_000)
                .post();
        left.expect(Operation.RDMA_WRITE, 1);
        assertThat(Peer.bytes(target, 37, 300_000)).isEqualTo(Peer.bytes(from));
        assertThat(Peer.bytes(target, 0, 37)).containsOnly(0);
        assertThat(Peer.bytes(target, 300_037, 63)).containsOnly(0);
        right.expectNothingMore();
    }

    @Test
    void immediateDataComesWithAndWithoutAWrite() {
        ReliableEnd left = end(client());
        ReliableEnd right = end(server());
        MemoryRegion from = client().filled(5_000, 3);
        MemoryRegion target = server().memory(5_000);
        right.postEmptyReceives(1, 2);
        left.to(right)
                .writeImmediate(3, target.stag(), 0, 0x1122_3344_5566_7788L)
                .from(from, 0, 5_000)
                .immediate(4, -5)
                .solicited()
                .post();
        Completion first = right.expectFrom(left, Operation.RECEIVE_IMMEDIATE, 1);
        assertThat(first.immediate()).isEqualTo(0x1122_3344_5566_7788L);
        assertThat(Peer.bytes(target)).isEqualTo(Peer.bytes(from));
        Completion second = right.expectFrom(left, Operation.RECEIVE_IMMEDIATE, 2);
        assertThat(second.immediate()).isEqualTo(-5);
        assertThat(second.solicited()).isTrue();
        left.expect(Operation.RDMA_WRITE, 3);
        left.expect(Operation.IMMEDIATE, 4);
    }

    @Test
    void readsBringMemoryOfThePeer() {
        ReliableEnd left = end(client());
        ReliableEnd right = end(server());
        MemoryRegion source = server().filled(100_000, 4);
        MemoryRegion into = client().memory(100_000);
        left.to(right)
                .read(1, source.stag(), 40_000)
                .into(into, 40_000, 60_000)
                .read(2, source.stag(), 0)
                .into(into, 0, 10_000)
                .into(into, 10_000, 30_000)
                .post();
        assertThat(left.expect(Operation.RDMA_READ, 1).length()).isEqualTo(60_000);
        left.expect(Operation.RDMA_READ, 2);
        assertThat(Peer.bytes(into)).isEqualTo(Peer.bytes(source));
        right.expectNothingMore();
    }

    @Test
    void aReadInvalidatesItsSink() {
        ReliableEnd left = end(client());
        ReliableEnd right = end(server());
        MemoryRegion source = server().filled(100, 4);
        MemoryRegion into = client().memory(100, Access.LOCAL_WRITE, Access.REMOTE_WRITE, Access.REMOTE_INVALIDATE);
        MemorySegment memory = into.segment();
        left.to(right).readInvalidate(1, source.stag(), 0).into(into, 0, 100).post();
        left.expect(Operation.RDMA_READ, 1);
        assertThat(memory.mismatch(source.segment())).isEqualTo(-1);
        left.requests.send(2).from(into, 0, 100).post();
        assertThat(left.next().isSuccess()).as("the STag is invalid").isFalse();
    }

    @Test
    void atomicsAreCarriedOutOnce() {
        ReliableEnd left = end(client());
        ReliableEnd right = end(server());
        MemoryRegion target = server().memory(16);
        Peer.word(target, 8, 100);
        MemoryRegion result = client().memory(32);
        left.to(right)
                .fetchAdd(1, target.stag(), 8, 11)
                .into(result, 0, 8)
                .compareSwap(2, target.stag(), 8, 111, 7)
                .into(result, 8, 8)
                .compareSwap(3, target.stag(), 8, 111, 9)
                .into(result, 16, 8)
                .fetchAdd(4, target.stag(), 0, 0x0000_0001_FFFF_FFFFL, 0x8000_0000_8000_0000L)
                .into(result, 24, 8)
                .post();
        left.expect(Operation.FETCH_ADD, 1);
        left.expect(Operation.COMPARE_SWAP, 2);
        left.expect(Operation.COMPARE_SWAP, 3);
        left.expect(Operation.FETCH_ADD, 4);
        assertThat(Peer.word(result, 0)).isEqualTo(100);
        assertThat(Peer.word(result, 8)).isEqualTo(111);
        assertThat(Peer.word(result, 16)).isEqualTo(7);
        assertThat(Peer.word(target, 8)).isEqualTo(7);
        assertThat(Peer.word(target, 0)).isEqualTo(0x0000_0001_FFFF_FFFFL);
    }

    @Test
    @Conforms({"RD-001", "RD-002"})
    void everythingToOnePeerKeepsItsOrder() {
        ReliableEnd left = end(client(), settings -> settings.sendDepth(128).maxReads(3));
        ReliableEnd right = end(server(), settings -> settings.maxReads(3));
        MemoryRegion target = server().memory(8);
        MemoryRegion word = client().memory(80);
        MemoryRegion seen = client().memory(160);
        right.postEmptyReceives(0, 20);
        for (int i = 0; i < 10; i++) {
            Peer.word(word, i * 8L, i + 1);
            left.to(right)
                    .write(10L * i, target.stag(), 0)
                    .from(word, i * 8L, 8)
                    .readFence() // a Read before it may be answered late
                    .send(10 * i + 1)
                    .read(10 * i + 2, target.stag(), 0)
                    .into(seen, i * 16L, 8)
                    .fetchAdd(10 * i + 3, target.stag(), 0, 1_000)
                    .into(seen, i * 16L + 8, 8)
                    .immediate(10 * i + 4, i);
        }
        assertThat(left.requests.post()).isEqualTo(50);
        for (int i = 0; i < 10; i++) {
            left.expect(Operation.RDMA_WRITE, 10L * i);
            left.expect(Operation.SEND, 10 * i + 1);
            left.expect(Operation.RDMA_READ, 10 * i + 2);
            left.expect(Operation.FETCH_ADD, 10 * i + 3);
            left.expect(Operation.IMMEDIATE, 10 * i + 4);
            assertThat(Peer.word(seen, i * 16L)).isEqualTo(i + 1);
            assertThat(Peer.word(seen, i * 16L + 8)).isEqualTo(i + 1);
            right.expectFrom(left, Operation.RECEIVE, 2L * i);
            assertThat(right.expectFrom(left, Operation.RECEIVE_IMMEDIATE, 2 * i + 1)
                            .immediate())
                    .isEqualTo(i);
        }
        assertThat(Peer.word(target, 0)).isEqualTo(1_010);
    }

    @Test
    @Conforms("RD-024")
    void moreReadsThanThePeerTakesWait() {
        ReliableEnd left = end(client(), settings -> settings.sendDepth(64).maxReads(32));
        ReliableEnd right = end(server(), settings -> settings.maxReads(2));
        MemoryRegion target = server().memory(8);
        MemoryRegion result = client().memory(40 * 8);
        for (int i = 0; i < 40; i++) {
            left.to(right).fetchAdd(i, target.stag(), 0, 1).into(result, i * 8L, 8);
        }
        assertThat(left.requests.post()).isEqualTo(40);
        for (int i = 0; i < 40; i++) {
            left.expect(Operation.FETCH_ADD, i);
            assertThat(Peer.word(result, i * 8L)).isEqualTo(i);
        }
        assertThat(Peer.word(target, 0)).isEqualTo(40);
    }

    @Test
    void answersWhereAMessageCameFrom() {
        ReliableEnd left = end(client());
        ReliableEnd other = end(client());
        ReliableEnd right = end(server());
        MemoryRegion into = server().memory(16);
        MemoryRegion back = client().memory(16);
        right.postReceive(1, into);
        left.postReceive(2, back);
        other.postEmptyReceives(3, 1);
        left.to(right).send(4).from(client().filled(16, 3), 0, 16).unsignaled().post();
        WorkCompletions batch = WorkCompletions.ofCapacity(1);
        runUntil("the question", () -> right.queue.poll(batch) > 0);

        ReliableSendRequests requests = right.requests;
        requests.to(batch.datagram(0)).send(5).from(into, 0, 16);
        batch.datagram(0).setSource(0, 0, 0, 0); // was taken by value
        requests.immediate(6, 1).unsignaled();
        left.postEmptyReceives(7, 1);
        requests.to(right.addressOf(other)).send(8).post();

        left.expectFrom(right, Operation.RECEIVE, 2);
        left.expectFrom(right, Operation.RECEIVE_IMMEDIATE, 7);
        other.expectFrom(right, Operation.RECEIVE, 3);
        assertThat(Peer.bytes(back)).isEqualTo(Peer.bytes(into));
        assertThat(List.of(right.next().id(), right.next().id())).containsExactlyInAnyOrder(5L, 8L);
    }

    @Test
    void talksToItself() {
        ReliableEnd end = end(client());
        MemoryRegion from = client().filled(5_000, 3);
        MemoryRegion into = client().memory(5_000);
        end.postReceive(1, into);
        end.to(end)
                .send(2)
                .from(from, 0, 5_000)
                .unsignaled()
                .read(3, from.stag(), 0)
                .into(into, 0, 100)
                .post();
        end.expectFrom(end, Operation.RECEIVE, 1);
        end.expect(Operation.RDMA_READ, 3);
        assertThat(Peer.bytes(into)).isEqualTo(Peer.bytes(from));
    }

    @Test
    void servesManyPeers() {
        int count = 40;
        ReliableEnd hub =
                end(server(), settings -> settings.receiveDepth(2 * count).sendDepth(2 * count));
        hub.postEmptyReceives(0, 2 * count);
        MemoryRegion counter = server().memory(8);
        MemoryRegion result = client().memory(8L * count);
        List<ReliableEnd> spokes = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            ReliableEnd spoke = end(client());
            spokes.add(spoke);
            spoke.postEmptyReceives(0, 1);
            spoke.to(hub)
                    .immediate(1, i)
                    .fetchAdd(2, counter.stag(), 0, 1)
                    .into(result, i * 8L, 8)
                    .immediate(3, i)
                    .post();
        }
        int[] heard = new int[count];
        for (int i = 0; i < 2 * count; i++) {
            Completion received = hub.next();
            int sender = (int) received.immediate();
            assertThat(hub.nextSource()).isEqualTo(spokes.get(sender).queuePair.localAddress());
            heard[sender]++;
        }
        assertThat(heard).containsOnly(2);
        for (ReliableEnd spoke : spokes) {
            spoke.expect(Operation.IMMEDIATE, 1);
            spoke.expect(Operation.FETCH_ADD, 2);
            spoke.expect(Operation.IMMEDIATE, 3);
            hub.to(spoke).send(9);
        }
        assertThat(hub.requests.post()).isEqualTo(count);
        for (ReliableEnd spoke : spokes) {
            spoke.expectFrom(hub, Operation.RECEIVE, 0);
            hub.expect(Operation.SEND, 9);
        }
        assertThat(Peer.word(counter, 0)).isEqualTo(count);
        assertThat(hub.queuePair.counters().peers()).isEqualTo(count);
    }

    @Test
    @Conforms("RD-024")
    void aMessageWaitsForItsReceive() {
        ReliableEnd left = end(client());
        ReliableEnd right = end(server());
        MemoryRegion from = client().filled(10_000, 1);
        MemoryRegion into = server().memory(10_000);
        left.to(right).send(1).from(from, 0, 10_000).send(2).post();
        runUntil("the message is turned away", () -> right.queuePair.counters().notReady() > 0);
        left.expectNothingMore();
        right.postReceive(3, into);
        right.expectFrom(left, Operation.RECEIVE, 3);
        assertThat(Peer.bytes(into)).isEqualTo(Peer.bytes(from));
        left.expect(Operation.SEND, 1);
        right.postEmptyReceives(4, 1);
        right.expectFrom(left, Operation.RECEIVE, 4);
        left.expect(Operation.SEND, 2);
        right.expectNothingMore();
    }

    @Test
    void takesReceivesFromASharedQueue() {
        SharedReceiveQueue shared = server().domain.createSharedReceiveQueue(8, 1);
        ReliableEnd left = end(client());
        ReliableEnd first = end(server(), settings -> settings.sharedReceiveQueue(shared));
        ReliableEnd second = end(server(), settings -> settings.sharedReceiveQueue(shared));
        MemoryRegion into = server().memory(100);
        first.postReceive(1, into);
        MemoryRegion from = client().filled(100, 1);
        left.to(first).send(5).from(from, 0, 100).post();
        first.expectFrom(left, Operation.RECEIVE, 1);
        left.expect(Operation.SEND, 5);
        left.to(second).send(6).from(from, 0, 100).post();
        runUntil("the message is turned away", () -> second.queuePair.counters().notReady() > 0);
        second.postReceive(2, into);
        second.expectFrom(left, Operation.RECEIVE, 2);
        left.expect(Operation.SEND, 6);
        assertRefused(VerbsError.INVALID_STATE, first.queuePair::newReceiveRequests);
        first.queuePair.close();
        second.queuePair.close();
        shared.close();
    }

    @Test
    void speaksIpv6() {
        Optional<InetSocketAddress> here = world().listenAddress6(client().rnic);
        assumeTrue(here.isPresent(), "no IPv6 here");
        InetSocketAddress there = world().listenAddress6(server().rnic).orElseThrow();
        ReliableEnd left = end(client(), settings -> settings.address(here.get()));
        ReliableEnd right = end(server(), settings -> settings.address(there));
        right.postReceive(1, server().memory(8));
        left.to(right).send(2).from(client().filled(8, 1), 0, 8).post();
        right.expectFrom(left, Operation.RECEIVE, 1);
        left.expect(Operation.SEND, 2);
        assertRefused(VerbsError.INVALID_ARGUMENT, () -> left.queuePair.address(world().listenAddress(server().rnic)));
    }

    @Test
    void aThreadWaitsForAMessage() {
        ReliableEnd left = end(client());
        ReliableEnd right = end(server());
        right.postEmptyReceives(1, 1);
        left.to(right).immediate(2, 77).post();
        WorkCompletions batch = WorkCompletions.ofCapacity(4);
        assertThat(right.queue.await(batch, Duration.ofSeconds(30))).isEqualTo(1);
        assertThat(batch.immediate(0)).isEqualTo(77);
        left.expect(Operation.IMMEDIATE, 2);
    }

    @Test
    void refusesWhatMakesNoSense() {
        ReliableEnd left = end(client());
        assertRefused(VerbsError.LIMIT_EXCEEDED, () -> end(client(), settings -> settings.datagramLength(117)));
        assertRefused(VerbsError.LIMIT_EXCEEDED, () -> end(client(), settings -> settings.window(100)));
        assertRefused(
                VerbsError.LIMIT_EXCEEDED, () -> end(client(), settings -> settings.giveUp(Duration.ofSeconds(16))));
        assertRefused(VerbsError.INVALID_STATE, () -> left.requests.unsignaled());
        assertThat(assertRefused(VerbsError.INVALID_STATE, () -> left.requests.send(1))
                        .getMessage())
                .contains("to(");
        assertRefused(VerbsError.LIMIT_EXCEEDED, () -> left.to(left).send(1).inline(client().octets(65)));
        assertRefused(
                VerbsError.INVALID_ARGUMENT,
                () -> left.to(left).fetchAdd(1, 1, 0, 1).post());
        assertRefused(
                VerbsError.INVALID_ARGUMENT,
                () -> left.queuePair.address(new InetSocketAddress(InetAddress.ofLiteral("224.0.0.1"), 9)));
        assertRefused(
                VerbsError.INVALID_ARGUMENT,
                () -> left.queuePair.address(InetSocketAddress.createUnresolved("nowhere.invalid", 9)));
        assertRefused(
                VerbsError.INVALID_ARGUMENT,
                () -> end(client(), settings -> settings.address(left.queuePair.localAddress())));
    }

    @Test
    void queuesOfOthersAreRefused() {
        SharedReceiveQueue elsewhere = server().domain.createSharedReceiveQueue(8, 1);
        assertRefused(
                VerbsError.INVALID_ARGUMENT, () -> end(client(), settings -> settings.sharedReceiveQueue(elsewhere)));
        assertRefused(
                VerbsError.INVALID_ARGUMENT,
                () -> client().domain
                        .createReliableQueuePair(ReliableQueuePairConfig.builder(server().queue)
                                .address(world().listenAddress(client().rnic))
                                .build()));
        elsewhere.close();
    }

    @Test
    void aRefusedRequestIsNotPostedWithTheOthers() {
        ReliableEnd left = end(client());
        ReliableEnd right = end(server());
        MemoryRegion from = client().filled(64, 1);
        AddressHandle foreign = right.queuePair::localAddress;
        right.postEmptyReceives(1, 1);
        assertRefused(VerbsError.INVALID_ARGUMENT, () -> left.to(right).send(2).from(from, 0, 65));
        assertRefused(VerbsError.INVALID_ARGUMENT, () -> left.requests.to(foreign));
        assertThat(left.requests.send(3).post()).isEqualTo(1);
        left.expect(Operation.SEND, 3);
        right.expect(Operation.RECEIVE, 1);
    }

    @Test
    void closesInTheMiddleOfATransfer() {
        ReliableEnd left = end(client());
        ReliableEnd right = end(server());
        MemoryRegion target = server().memory(1_000_000);
        MemoryRegion from = client().filled(1_000_000, 1);
        left.to(right).write(1, target.stag(), 0).from(from, 0, 1_000_000).post();
        runUntil("octets arrive", () -> right.queuePair.counters().datagramsReceived() > 10);
        left.queuePair.close();
        left.queuePair.close();
        if (left.poll()) {
            left.expect(Operation.RDMA_WRITE, 1); // a network that is real was quicker than we were
        }
        assertRefused(VerbsError.CLOSED, () -> left.requests.send(2).post());
        ReliableEnd again = end(client(), settings -> settings.address(left.queuePair.localAddress()));
        right.postEmptyReceives(1, 1);
        again.to(right).send(1).post();
        right.expectFrom(again, Operation.RECEIVE, 1);
        again.expect(Operation.SEND, 1);
        right.queuePair.close();
        left.expectNothingMore();
    }
}
