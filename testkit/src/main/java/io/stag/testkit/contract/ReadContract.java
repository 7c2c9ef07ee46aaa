package io.stag.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.simnet.Conforms;
import io.stag.verbs.Access;
import io.stag.verbs.AsyncEvent;
import io.stag.verbs.CompletionStatus;
import io.stag.verbs.MemoryRegion;
import io.stag.verbs.Operation;
import io.stag.verbs.QueuePairState;
import io.stag.verbs.VerbsError;
import io.stag.verbs.cm.ConnectionConfig;
import io.stag.verbs.cm.ConnectionConfig.ReadyToReceive;
import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** RDMA Read. */
public abstract class ReadContract extends ProviderContract {

    /** For subclasses. */
    protected ReadContract() {}

    @Conforms({"RDMAP-026", "RDMAP-029", "RDMAP-035", "RDMAP-061"})
    @Test
    void aReadBringsThePeersOctets() {
        connect();
        MemoryRegion source = server().filled(500, 1);
        MemoryRegion sink = client().memory(300);

        client().requests().read(1, source.stag(), 120).into(sink, 50, 200).post();

        Completion read = client().expect(1);
        assertThat(read.operation()).isEqualTo(Operation.RDMA_READ);
        assertThat(read.length()).isEqualTo(200);
        assertThat(Peer.bytes(sink, 50, 200)).isEqualTo(Peer.bytes(source, 120, 200));
        assertThat(Peer.bytes(sink, 0, 50)).containsOnly(0);
        assertThat(Peer.bytes(sink, 250, 50)).containsOnly(0);
        server().expectNothingMore();
        assertThat(server().queuePair().snapshot().counters().readsServed()).isPositive();
        assertThat(source.snapshot().remoteReads()).isPositive();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5, 64, 1405, 1406, 1407, 1408, 1409, 1410, 3000})
    void readsOfAnyLengthAreExact(int length) {
        connect();
        MemoryRegion source = server().filled(length + 2L, length);
        MemoryRegion sink = client().memory(length + 2L);

        client().requests().read(1, source.stag(), 1).into(sink, 1, length).post();

        client().expect(1);
        assertThat(Peer.bytes(sink, 1, length)).isEqualTo(Peer.bytes(source, 1, length));
        assertThat(Peer.bytes(sink, 0, 1)).containsOnly(0);
        assertThat(Peer.bytes(sink, length + 1L, 1)).containsOnly(0);
    }

    @Test
    void aLargeReadArrivesWhole() {
        int length = world().largeMessage();
        connect();
        MemoryRegion source = server().filled(length, 2);
        MemoryRegion sink = client().memory(length);

        client().requests().read(1, source.stag(), 0).into(sink, 0, length).post();

        assertThat(client().expect(1).length()).isEqualTo(length);
        assertThat(sink.segment().mismatch(source.segment())).isEqualTo(-1);
    }

    @Test
    void aReadScattersToSeveralBuffers() {
        connect();
        MemoryRegion source = server().filled(2_500, 3);
        MemoryRegion first = client().memory(1_600);
        MemoryRegion second = client().memory(1_000);

        client().requests()
                .read(1, source.stag(), 0)
                .into(second, 10, 5)
                .into(first, 0, 1_600)
                .into(second, 0, 0)
                .into(second, 15, 895)
                .post();

        assertThat(client().expect(1).length()).isEqualTo(2_500);
        assertThat(Peer.bytes(second, 10, 5)).isEqualTo(Peer.bytes(source, 0, 5));
        assertThat(Peer.bytes(first)).isEqualTo(Peer.bytes(source, 5, 1_600));
        assertThat(Peer.bytes(second, 15, 895)).isEqualTo(Peer.bytes(source, 1_605, 895));
        assertThat(Peer.bytes(second, 0, 10)).containsOnly(0);
        assertThat(Peer.bytes(second, 910, 90)).containsOnly(0);
    }

    @Conforms({"RDMAP-031", "RDMAP-032", "SEC-009"})
    @Test
    void anEmptyReadNeedsNoSource() {
        connect();
        MemoryRegion writeOnly = server().memory(8, EnumSet.of(Access.LOCAL_WRITE, Access.REMOTE_WRITE));

        client().requests()
                .read(1, 0x7777_7777, -1)
                .read(2, writeOnly.stag(), 100)
                .post();

        assertThat(client().expect(1).length()).isZero();
        assertThat(client().expect(2).length()).isZero();
        assertThat(server().state()).isEqualTo(QueuePairState.RTS);
    }

    @Conforms({"RDMAP-027", "RDMAP-036", "RDMAP-054", "RDMAP-060", "RDMAP-062"})
    @Test
    void readsAreAnsweredInOrder() {
        int count = 16;
        int longest = 2_000;
        connect();
        MemoryRegion source = server().filled(longest, 5);
        MemoryRegion sink = client().memory((long) count * longest);
        for (int i = 0; i < count; i++) {
            client().requests().read(i, source.stag(), i).into(sink, (long) i * longest, lengthOf(i));
        }
        client().requests().post();

        for (int i = 0; i < count; i++) {
            assertThat(client().expect(i).length()).isEqualTo(lengthOf(i));
            assertThat(Peer.bytes(sink, (long) i * longest, lengthOf(i))).isEqualTo(Peer.bytes(source, i, lengthOf(i)));
        }
    }

    private static int lengthOf(int index) {
        return index % 3 == 0 ? 1_900 : index * 10;
    }

    @Conforms({"VRB-010", "RDMAP-065"})
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 5})
    void readsBeyondOrdWaitForTheirTurn(int ord) {
        int count = 12;
        client().create(config -> config.maxOutboundReads(ord));
        connect();
        assertThat(client().connection().info().orElseThrow().outboundReads()).isEqualTo(ord);
        MemoryRegion source = server().filled(count * 8L, 6);
        MemoryRegion sink = client().memory(count * 8L);
        for (int i = 0; i < count; i++) {
            client().requests().read(i, source.stag(), i * 8L).into(sink, i * 8L, 8);
        }
        client().requests().post();

        for (int i = 0; i < count; i++) {
            client().expect(i);
        }
        assertThat(Peer.bytes(sink)).isEqualTo(Peer.bytes(source));
    }

    /** A ready-to-receive Read of the set-up counts too: the peer holds no more than it said. */
    @Conforms("RDMAP-065")
    @Test
    void aFirstReadOfTheSetUpCountsAgainstOrd() {
        assume(ContractFixture.Feature.MPA_SETTINGS);
        ConnectionConfig readFirst = ConnectionConfig.builder()
                .readyToReceive(Set.of(ReadyToReceive.READ))
                .build();
        client().create(config -> config.maxOutboundReads(1));
        server().create(config -> config.maxInboundReads(1));
        MemoryRegion source = server().filled(64, 6);
        MemoryRegion sink = client().memory(64);
        for (int i = 0; i < 8; i++) {
            client().requests().read(i, source.stag(), i * 8L).into(sink, i * 8L, 8);
        }
        client().requests().post();

        connect(readFirst, readFirst);

        for (int i = 0; i < 8; i++) {
            client().expect(i);
        }
        assertThat(Peer.bytes(sink)).isEqualTo(Peer.bytes(source));
    }

    @Conforms({"RDMAP-034", "SEC-014"})
    @Test
    void aPeerHoldsAsManyReadsAsItSaid() {
        int ird = 32;
        client().create(config -> config.maxOutboundReads(ird));
        server().create(config -> config.maxInboundReads(ird));
        connect();
        assertThat(server().connection().info().orElseThrow().inboundReads()).isEqualTo(ird);
        MemoryRegion source = server().filled(ird, 6);
        MemoryRegion sink = client().memory(ird);
        for (int i = 0; i < ird; i++) {
            client().requests().read(i, source.stag(), i).into(sink, i, 1);
        }
        client().requests().post();

        for (int i = 0; i < ird; i++) {
            client().expect(i);
        }
        assertThat(Peer.bytes(sink)).isEqualTo(Peer.bytes(source));
    }

    @Conforms("VRB-011")
    @Test
    void aReadWithoutOutboundReadsFails() {
        client().create(config -> config.maxOutboundReads(0));
        connect();
        MemoryRegion source = server().memory(8);
        MemoryRegion sink = client().memory(8);

        client().requests().read(1, source.stag(), 0).into(sink, 0, 8).send(2).post();

        Completion failed = client().expect(1, CompletionStatus.LOC_QP_OP_ERR);
        assertThat(failed.cause().fact()).contains("ORD");
        client().expect(2, CompletionStatus.WR_FLUSH_ERR);
        client().awaitState(QueuePairState.ERROR);
    }

    /** A Send behind a Read overtakes its response on the wire, but not in the completion queue. */
    @Conforms({"RDMAP-058", "VRB-021"})
    @Test
    void completionsKeepTheOrderOfPostingAroundReads() {
        int length = world().largeMessage();
        connect();
        MemoryRegion source = server().memory(length);
        MemoryRegion sink = client().memory(length);
        server().postEmptyReceives(1, 2);

        client().requests()
                .read(1, source.stag(), 0)
                .into(sink, 0, length)
                .send(2)
                .read(3, source.stag(), 0)
                .send(4)
                .post();

        for (int i = 1; i <= 4; i++) {
            client().expect(i);
        }
        server().expect(1);
        server().expect(2);
    }

    @Conforms("VRB-023")
    @Test
    void aReadFenceKeepsAWriteBehindTheRead() {
        int length = 4_000;
        connect();
        MemoryRegion shared = server().filled(length, 1);
        byte[] before = Peer.bytes(shared);
        MemoryRegion sink = client().memory(length);
        MemoryRegion other = client().filled(length, 2);

        client().requests()
                .read(1, shared.stag(), 0)
                .into(sink, 0, length)
                .write(2, shared.stag(), 0)
                .from(other, 0, length)
                .readFence()
                .read(3, 0, 0)
                .post();

        client().expect(1);
        client().expect(2);
        client().expect(3);
        assertThat(Peer.bytes(sink)).as("read before the write").isEqualTo(before);
        assertThat(Peer.bytes(shared)).isEqualTo(Peer.bytes(other));
    }

    @Test
    void aReadCanInvalidateItsSink() {
        connect();
        MemoryRegion source = server().filled(100, 3);
        MemoryRegion sink = client().memory(100);

        client().requests()
                .readInvalidate(1, source.stag(), 0)
                .into(sink, 0, 100)
                .post();

        client().expect(1);
        assertThat(sink.isValid()).isFalse();
        assertThat(sink.segment().mismatch(source.segment())).isEqualTo(-1);
        assertThat(client().state()).isEqualTo(QueuePairState.RTS);
    }

    @Test
    void bothSidesReadAtOnce() {
        int count = 20;
        connect();
        MemoryRegion atClient = client().filled(count * 100L, 1);
        MemoryRegion atServer = server().filled(count * 100L, 2);
        MemoryRegion toClient = client().memory(count * 100L);
        MemoryRegion toServer = server().memory(count * 100L);
        for (int i = 0; i < count; i++) {
            client().requests().read(i, atServer.stag(), i * 100L).into(toClient, i * 100L, 100);
            server().requests().read(i, atClient.stag(), i * 100L).into(toServer, i * 100L, 100);
        }
        client().requests().post();
        server().requests().post();

        for (int i = 0; i < count; i++) {
            client().expect(i);
            server().expect(i);
        }
        assertThat(Peer.bytes(toClient)).isEqualTo(Peer.bytes(atServer));
        assertThat(Peer.bytes(toServer)).isEqualTo(Peer.bytes(atClient));
    }

    @Test
    void aQueuePairMayForbidReads() {
        server().create(config -> config.allowRemoteRead(false));
        connect();
        MemoryRegion source = server().filled(8, 1);
        MemoryRegion sink = client().memory(8);

        client().requests().read(1, source.stag(), 0).into(sink, 0, 8).post();

        Completion refused = client().next();
        assertThat(refused.isSuccess()).isFalse();
        server().awaitEvent(AsyncEvent.PeerError.class);
        assertThat(Peer.bytes(sink)).containsOnly(0);
    }

    @Test
    void wrongReadsAreRefusedAtTheCall() {
        connect();
        MemoryRegion region = client().memory(8);

        assertRefused(
                VerbsError.INVALID_ARGUMENT,
                () -> client().queuePair().newSendRequests().read(1, 1, 0).readFence());
        assertRefused(
                VerbsError.INVALID_ARGUMENT,
                () -> client().queuePair().newSendRequests().read(1, 1, 0).from(region, 0, 8));
        assertRefused(
                VerbsError.INVALID_ARGUMENT,
                () -> client().queuePair().newSendRequests().read(1, 1, 0).inline(MemorySegment.ofArray(new byte[1])));
        assertRefused(
                VerbsError.INVALID_ARGUMENT,
                () -> client().queuePair().newSendRequests().read(1, 1, 0).solicited());
        assertRefused(
                VerbsError.INVALID_ARGUMENT,
                () -> client().queuePair()
                        .newSendRequests()
                        .readInvalidate(1, 1, 0)
                        .into(region, 0, 4)
                        .into(region, 4, 4));
        assertThat(client().state()).isEqualTo(QueuePairState.RTS);
    }
}
