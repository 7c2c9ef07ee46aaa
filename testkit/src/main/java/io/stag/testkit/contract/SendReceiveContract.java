package io.stag.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.simnet.Conforms;
import io.stag.verbs.Access;
import io.stag.verbs.MemoryRegion;
import io.stag.verbs.MemoryWindow;
import io.stag.verbs.Operation;
import io.stag.verbs.ReceiveRequests;
import io.stag.verbs.SendRequests;
import io.stag.verbs.VerbsError;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.EnumSet;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sends and receives between two peers. */
public abstract class SendReceiveContract extends ProviderContract {

    /** For subclasses. */
    protected SendReceiveContract() {}

    @Conforms("RDMAP-059")
    @Test
    void aSendFillsTheReceiveThatWasPosted() {
        connect();
        MemoryRegion source = client().filled(100, 1);
        MemoryRegion sink = server().memory(200);
        server().postReceive(7, sink);

        client().requests().send(3).from(source, 0, 100).post();

        Completion sent = client().expect(3);
        assertThat(sent.operation()).isEqualTo(Operation.SEND);
        assertThat(sent.queuePairId()).isEqualTo(client().queuePair().id());
        Completion received = server().expect(7);
        assertThat(received.operation()).isEqualTo(Operation.RECEIVE);
        assertThat(received.queuePairId()).isEqualTo(server().queuePair().id());
        assertThat(received.length()).isEqualTo(100);
        assertThat(received.solicited()).isFalse();
        assertThat(received.hasImmediate()).isFalse();
        assertThat(received.hasInvalidatedStag()).isFalse();
        assertThat(received.detail()).isNull();
        assertThat(Peer.bytes(sink, 0, 100)).isEqualTo(Peer.bytes(source));
        assertThat(Peer.bytes(sink, 100, 100)).as("behind the message").containsOnly(0);
        client().expectNothingMore();
        server().expectNothingMore();
    }

    /** Around the ends of segments, whatever their size: each length has its own pad. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 127, 1023, 1400, 1401, 1402, 1403, 1404, 1405, 2047, 4097})
    void messagesOfAnyLengthArrive(int length) {
        connect();
        MemoryRegion source = client().filled(length, length);
        MemoryRegion sink = server().memory(length);
        server().postReceive(1, sink);

        client().requests().send(1).from(source, 0, length).post();

        assertThat(server().expect(1).length()).isEqualTo(length);
        assertThat(Peer.bytes(sink)).isEqualTo(Peer.bytes(source));
        client().expect(1);
    }

    @Conforms({"DDP-027"})
    @Test
    void aLargeMessageArrivesWhole() {
        int length = world().largeMessage();
        connect();
        MemoryRegion source = client().filled(length, 5);
        MemoryRegion sink = server().memory(length);
        server().postReceive(1, sink);

        client().requests().send(1).from(source, 0, length).post();

        assertThat(server().expect(1).length()).isEqualTo(length);
        assertThat(sink.segment().mismatch(source.segment())).isEqualTo(-1);
        client().expect(1);
    }

    @Conforms("RDMAP-039")
    @Test
    void anEmptySendTakesAReceiveToo() {
        connect();
        server().postEmptyReceives(10, 2);
        MemoryRegion sink = server().memory(8);
        server().postReceive(12, sink);

        client().requests()
                .send(1)
                .send(2)
                .send(3)
                .inline(MemorySegment.ofArray(new byte[] {9}))
                .post();

        assertThat(server().expect(10).length()).isZero();
        assertThat(server().expect(11).length()).isZero();
        assertThat(server().expect(12).length()).isEqualTo(1);
        assertThat(Peer.bytes(sink)).startsWith(9, 0);
    }

    @Conforms({"RDMAP-041", "RDMAP-043", "RDMAP-053", "RDMAP-056", "DDP-032", "DDP-035"})
    @Test
    void sendsArriveInTheOrderOfPosting() {
        int count = 30;
        int longest = 2_000;
        connect();
        MemoryRegion source = client().filled(longest + count, 2);
        MemoryRegion sink = server().memory((long) count * longest);
        SplittableRandom lengths = new SplittableRandom(17);
        for (int i = 0; i < count; i++) {
            server().receives().receive(100 + i).into(sink, (long) i * longest, longest);
        }
        assertThat(server().receives().post()).isEqualTo(count);

        for (int i = 0; i < count; i++) {
            client().requests().send(i).from(source, i, lengths.nextInt(longest));
        }
        assertThat(client().requests().post()).isEqualTo(count);

        SplittableRandom again = new SplittableRandom(17);
        for (int i = 0; i < count; i++) {
            int length = again.nextInt(longest);
            assertThat(server().expect(100 + i).length()).isEqualTo(length);
            assertThat(Peer.bytes(sink, (long) i * longest, length)).isEqualTo(Peer.bytes(source, i, length));
            client().expect(i);
        }
    }

    @Test
    void bothSidesSendAtOnce() {
        int count = 20;
        int length = 1_600;
        connect();
        MemoryRegion fromClient = client().filled(length, 1);
        MemoryRegion fromServer = server().filled(length, 2);
        MemoryRegion atClient = client().memory((long) count * length);
        MemoryRegion atServer = server().memory((long) count * length);
        for (int i = 0; i < count; i++) {
            client().receives().receive(i).into(atClient, (long) i * length, length);
            server().receives().receive(i).into(atServer, (long) i * length, length);
        }
        client().receives().post();
        server().receives().post();

        for (int i = 0; i < count; i++) {
            client().requests().send(1_000 + i).from(fromClient, 0, length);
            server().requests().send(1_000 + i).from(fromServer, 0, length);
        }
        client().requests().post();
        server().requests().post();

        for (Completion completion : client().next(2 * count)) {
            assertThat(completion.isSuccess()).as("%s", completion).isTrue();
        }
        for (Completion completion : server().next(2 * count)) {
            assertThat(completion.isSuccess()).as("%s", completion).isTrue();
        }
        for (int i = 0; i < count; i++) {
            assertThat(Peer.bytes(atClient, (long) i * length, length)).isEqualTo(Peer.bytes(fromServer));
            assertThat(Peer.bytes(atServer, (long) i * length, length)).isEqualTo(Peer.bytes(fromClient));
        }
    }

    @Conforms({"VRB-018", "VRB-014"})
    @Test
    void payloadIsGatheredFromAndScatteredToSeveralBuffers() {
        connect();
        MemoryRegion source = client().filled(3_000, 3);
        MemoryRegion small = client().filled(16, 4);
        MemoryRegion sink = server().memory(3_000);
        MemoryRegion other = server().memory(64);
        server().receives()
                .receive(1)
                .into(other, 8, 5)
                .into(sink, 0, 0)
                .into(sink, 100, 1_900)
                .into(other, 40, 20)
                .post();

        // 7 + 0 + 1,500 + 9 octets into 5 + 0 + 1,900 + 20
        client().requests()
                .send(1)
                .from(small, 0, 7)
                .from(source, 2_000, 0)
                .from(source, 10, 1_500)
                .from(small, 7, 9)
                .post();

        client().expect(1);
        assertThat(server().expect(1).length()).isEqualTo(1_516);
        byte[] expected = new byte[1_516];
        System.arraycopy(Peer.bytes(small), 0, expected, 0, 7);
        System.arraycopy(Peer.bytes(source), 10, expected, 7, 1_500);
        System.arraycopy(Peer.bytes(small), 7, expected, 1_507, 9);
        byte[] found = new byte[1_516];
        System.arraycopy(Peer.bytes(other), 8, found, 0, 5);
        System.arraycopy(Peer.bytes(sink), 100, found, 5, 1_511);
        assertThat(found).isEqualTo(expected);
        assertThat(Peer.bytes(other, 0, 8)).containsOnly(0);
        assertThat(Peer.bytes(other, 13, 51)).containsOnly(0);
    }

    @Test
    void inlinePayloadIsTakenAtOnce() {
        connect();
        MemoryRegion sink = server().memory(64);
        server().postReceive(1, sink);
        byte[] heap = {1, 2, 3, 4, 5};
        MemorySegment payload = MemorySegment.ofArray(heap);

        SendRequests list = client().requests().send(1).inline(payload);
        payload.fill((byte) 0);
        list.post();

        assertThat(server().expect(1).length()).isEqualTo(5);
        assertThat(Peer.bytes(sink, 0, 6)).containsExactly(1, 2, 3, 4, 5, 0);
        client().expect(1);
    }

    @Test
    void aSolicitedSendIsMarkedAtTheReceiver() {
        connect();
        server().postEmptyReceives(1, 3);

        client().requests().send(1).send(2).solicited().send(3).post();

        assertThat(server().expect(1).solicited()).isFalse();
        assertThat(server().expect(2).solicited()).isTrue();
        assertThat(server().expect(3).solicited()).isFalse();
    }

    @Conforms({"VRB-022", "RDMAP-045"})
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aSendInvalidatesAWindowOfThePeer(boolean solicited) {
        connect();
        MemoryRegion region = server().memory(100);
        MemoryWindow window = server().domain.allocateWindow();
        server().requests()
                .bindWindow(1, window, 0x33, region, 10, 20, EnumSet.of(Access.REMOTE_WRITE))
                .post();
        server().expect(1);
        assertThat(window.isBound()).isTrue();
        int stag = window.stag();
        MemoryRegion sink = server().memory(8);
        server().postReceive(2, sink);

        SendRequests list = client().requests()
                .write(1, stag, 0)
                .inline(MemorySegment.ofArray(new byte[] {7}))
                .sendInvalidate(2, stag)
                .inline(MemorySegment.ofArray(new byte[] {5}));
        if (solicited) {
            list.solicited();
        }
        list.post();

        client().expect(1);
        client().expect(2);
        Completion received = server().expect(2);
        assertThat(received.hasInvalidatedStag()).isTrue();
        assertThat(received.invalidatedStag()).isEqualTo(stag);
        assertThat(received.solicited()).isEqualTo(solicited);
        assertThat(Peer.bytes(sink)).startsWith(5);
        assertThat(Peer.bytes(region, 10, 2)).containsExactly(7, 0);
        assertThat(window.isBound()).isFalse();
    }

    @Test
    void aPostedListIsEmptyAndCanBeUsedAgain() {
        connect();
        server().postEmptyReceives(1, 4);
        SendRequests list = client().queuePair().newSendRequests();

        assertThat(list.post()).as("an empty list").isZero();
        assertThat(list.send(1).send(2).post()).isEqualTo(2);
        assertThat(list.post()).as("posted already").isZero();
        assertThat(list.send(3).post()).isEqualTo(1);

        for (int i = 1; i <= 3; i++) {
            server().expect(i);
            client().expect(i);
        }
    }

    @Test
    void requestIdsComeBackUnchanged() {
        connect();
        server().postEmptyReceives(Long.MAX_VALUE, 1);
        server().postEmptyReceives(-1, 1);

        client().requests().send(Long.MIN_VALUE).send(0).post();

        server().expect(Long.MAX_VALUE);
        server().expect(-1);
        client().expect(Long.MIN_VALUE);
        client().expect(0);
    }

    @Test
    void wrongRequestsAreRefusedBeforeAnythingIsPosted() {
        connect();
        MemoryRegion region = client().memory(100);
        MemoryRegion foreign = client().rnic.allocateProtectionDomain().allocate(100, Peer.LOCAL);

        assertRefused(
                VerbsError.INVALID_STATE,
                () -> client().queuePair().newSendRequests().from(region, 0, 1));
        assertRefused(VerbsError.INVALID_ARGUMENT, () -> newSend().from(region, 0, 101));
        assertRefused(VerbsError.INVALID_ARGUMENT, () -> newSend().from(region, -1, 1));
        assertRefused(VerbsError.INVALID_ARGUMENT, () -> newSend().from(region, 100, 1));
        assertRefused(VerbsError.INVALID_ARGUMENT, () -> newSend().from(region, 1, -1));
        assertRefused(VerbsError.INVALID_ARGUMENT, () -> newSend().from(region, Long.MAX_VALUE, 2));
        assertRefused(VerbsError.INVALID_ARGUMENT, () -> newSend().from(foreign, 0, 1));
        assertRefused(VerbsError.INVALID_ARGUMENT, () -> newSend().into(region, 0, 1));
        assertRefused(VerbsError.INVALID_ARGUMENT, () -> newSend().localFence());
        assertRefused(
                VerbsError.INVALID_ARGUMENT,
                () -> newSend().from(region, 0, 1).inline(MemorySegment.ofArray(new byte[1])));
        assertRefused(VerbsError.LIMIT_EXCEEDED, () -> newSend().inline(MemorySegment.ofArray(new byte[65])));
        assertRefused(VerbsError.LIMIT_EXCEEDED, () -> {
            SendRequests list = newSend();
            for (int i = 0; i < 5; i++) {
                list.from(region, i, 1);
            }
        });
        assertRefused(VerbsError.LIMIT_EXCEEDED, () -> {
            ReceiveRequests list = client().queuePair().newReceiveRequests().receive(1);
            for (int i = 0; i < 5; i++) {
                list.into(region, i, 1);
            }
        });
        assertRefused(
                VerbsError.INVALID_ARGUMENT,
                () -> client().queuePair().newReceiveRequests().receive(1).into(foreign, 0, 1));

        server().postEmptyReceives(1, 1);
        client().requests().send(5).post();
        client().expect(5);
        server().expect(1);
        server().expectNothingMore();
    }

    @Test
    void aRefusedRequestIsNotPostedWithTheOthers() {
        connect();
        MemoryRegion from = client().filled(64, 1);
        MemoryRegion into = server().memory(64);
        assertRefused(
                VerbsError.INVALID_ARGUMENT,
                () -> server().receives().receive(1).into(into, 0, 65));
        server().postReceive(2, into);
        assertRefused(
                VerbsError.INVALID_ARGUMENT, () -> client().requests().send(3).from(from, 0, 65));
        assertRefused(
                VerbsError.INVALID_ARGUMENT,
                () -> client().requests().fetchAdd(4, 0, 0, 1).into(from, 0, 7));
        assertRefused(VerbsError.INVALID_STATE, () -> client().requests().from(from, 0, 64));
        assertThat(client().requests().send(5).from(from, 0, 64).post()).isEqualTo(1);
        client().expect(5);
        assertThat(server().expect(2).length()).isEqualTo(64);
        server().expectNothingMore();
    }

    private SendRequests newSend() {
        return client().queuePair().newSendRequests().send(1);
    }

    /** The memory of one request may be used by another; nothing ties a region to a queue pair. */
    @Test
    void severalRequestsMayNameTheSameMemory() {
        connect();
        MemoryRegion source = client().filled(64, 6);
        MemoryRegion sink = server().memory(128);
        server().receives()
                .receive(1)
                .into(sink, 0, 64)
                .receive(2)
                .into(sink, 64, 64)
                .post();

        client().requests()
                .send(1)
                .from(source, 0, 64)
                .send(2)
                .from(source, 0, 64)
                .post();

        server().expect(1);
        server().expect(2);
        assertThat(Peer.bytes(sink, 0, 64)).isEqualTo(Peer.bytes(source));
        assertThat(Peer.bytes(sink, 64, 64)).isEqualTo(Peer.bytes(source));
    }

    /** Memory may come from any arena that other threads can use; an own one is closed after the region. */
    @Test
    void memoryOfAnArenaThatIsClosedAfterUseIsFine() {
        connect();
        MemoryRegion sink = server().memory(8);
        server().postReceive(1, sink);
        try (Arena arena = Arena.ofShared()) {
            MemorySegment segment = arena.allocate(8);
            segment.set(ValueLayout.JAVA_BYTE, 3, (byte) 8);
            try (MemoryRegion source = client().domain.register(segment, EnumSet.of(Access.LOCAL_READ))) {
                client().requests().send(1).from(source, 0, 8).post();
                client().expect(1);
            }
        }
        server().expect(1);
        assertThat(Peer.bytes(sink)).containsExactly(0, 0, 0, 8, 0, 0, 0, 0);
    }
}
