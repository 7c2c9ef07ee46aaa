package io.stag.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.simnet.Conforms;
import io.stag.verbs.Access;
import io.stag.verbs.AsyncEvent;
import io.stag.verbs.CompletionStatus;
import io.stag.verbs.ErrorDetail;
import io.stag.verbs.ErrorDetail.Layer;
import io.stag.verbs.MemoryRegion;
import io.stag.verbs.Operation;
import io.stag.verbs.QueuePairState;
import io.stag.verbs.VerbsError;
import io.stag.verbs.VerbsException;
import io.stag.verbs.cm.Connection;
import io.stag.verbs.cm.ConnectionConfig;
import io.stag.verbs.cm.Listener;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/** Every way a request can fail: its status, who learns of it, and what the detail says. */
public abstract class ErrorContract extends ProviderContract {

    /** For subclasses. */
    protected ErrorContract() {}

    /** Both sides end in Error; each knows a cause with layer, clause and fact, and nothing was answered twice. */
    private void assertBothSidesFailed(int terminateCode) {
        for (Peer peer : List.of(client(), server())) {
            peer.awaitState(QueuePairState.ERROR);
            peer.awaitConnection(Connection.State.DISCONNECTED);
            ErrorDetail cause = peer.queuePair().firstCause().orElseThrow();
            assertThat(cause.clause()).isNotBlank();
            assertThat(cause.fact()).isNotBlank();
            assertThat(cause.layer()).isNotNull();
            if (world().features().contains(ContractFixture.Feature.TERMINATE_CODES)) {
                assertThat(cause.terminateCode())
                        .as("%s: %s", peer.rnic.name(), cause)
                        .isEqualTo(terminateCode);
            }
            long terminates = peer.queuePair().snapshot().counters().terminatesSent()
                    + peer.queuePair().snapshot().counters().terminatesReceived();
            assertThat(terminates).as("one Terminate in all").isEqualTo(1);
            VerbsException refused = assertRefused(
                    VerbsError.INVALID_STATE, () -> peer.requests().send(1).post());
            assertThat(refused).as("names the first cause").hasMessageContaining(cause.fact());
        }
    }

    private static String hex(int stag) {
        return Integer.toHexString(stag).toLowerCase(Locale.ROOT);
    }

    // our own mistakes

    @Conforms("RDMAP-070")
    @Test
    void aSourceWithoutTheRightToRead() {
        connect();
        MemoryRegion region = client().memory(8, EnumSet.of(Access.LOCAL_WRITE));
        client().requests().send(1).from(region, 0, 8).post();
        Completion failed = client().expect(1, CompletionStatus.LOC_ACCESS_ERR);
        assertThat(failed.operation()).isEqualTo(Operation.SEND);
        assertThat(failed.cause().fact()).contains(hex(region.stag()));
        assertThat(client().eventsOf(AsyncEvent.PeerError.class)).isEmpty();
        server().awaitEvent(AsyncEvent.TerminateReceived.class);
        assertBothSidesFailed(0x0000);
    }

    @Test
    void aSinkWithoutTheRightToWrite() {
        connect();
        MemoryRegion source = server().memory(8);
        MemoryRegion sink = client().memory(8, EnumSet.of(Access.LOCAL_READ));
        client().requests().read(1, source.stag(), 0).into(sink, 0, 8).post();
        client().expect(1, CompletionStatus.LOC_ACCESS_ERR);
        assertBothSidesFailed(0x0000);
    }

    @Test
    void aSourceThatWasInvalidated() {
        connect();
        MemoryRegion region = client().memory(8);
        client().requests()
                .invalidate(1, region.stag())
                .write(2, 0x1234, 0)
                .from(region, 0, 8)
                .post();
        client().expect(1);
        Completion failed = client().expect(2, CompletionStatus.LOC_PROT_ERR);
        assertThat(failed.operation()).isEqualTo(Operation.RDMA_WRITE);
        assertBothSidesFailed(0x0000);
    }

    @Test
    void aSourceThatWasClosed() {
        connect();
        MemoryRegion region = client().memory(8);
        region.close();
        try {
            client().requests().send(1).from(region, 0, 8).post();
        } catch (VerbsException e) {
            assertThat(e.error()).isIn(VerbsError.CLOSED, VerbsError.INVALID_ARGUMENT); // at the call is fine too
            return;
        }
        client().expect(1, CompletionStatus.LOC_PROT_ERR);
        assertBothSidesFailed(0x0000);
    }

    /** The memory shrinks between posting and sending. */
    @Test
    void aSourceThatShrank() {
        MemoryRegion region = client().memory(100);
        client().requests().send(1).from(region, 0, 100).post();
        region.reregister(client().octets(50), Peer.ALL);
        Listener listener = listen(server());
        client().rnic
                .connectionManager()
                .connect(client().queuePair(), listener.address(), ConnectionConfig.defaults());
        await(listener).accept(server().queuePair(), ConnectionConfig.defaults());
        Completion failed = client().expect(1, CompletionStatus.LOC_PROT_ERR);
        assertThat(failed.cause().fact()).contains("100");
    }

    @Test
    void aReceiveWithoutTheRightToWrite() {
        connect();
        MemoryRegion region = server().memory(8, EnumSet.of(Access.LOCAL_READ));
        server().postReceive(1, region);
        server().postEmptyReceives(2, 1);
        client().requests()
                .send(1)
                .inline(MemorySegment.ofArray(new byte[] {1}))
                .post();
        Completion failed = server().expect(1, CompletionStatus.LOC_ACCESS_ERR);
        assertThat(failed.operation()).isEqualTo(Operation.RECEIVE);
        server().expect(2, CompletionStatus.WR_FLUSH_ERR);
        client().awaitEvent(AsyncEvent.TerminateReceived.class);
        assertThat(Peer.bytes(region)).containsOnly(0);
        assertBothSidesFailed(0x0000);
    }

    @Test
    void aReceiveWhoseRegionWasClosed() {
        connect();
        MemoryRegion region = server().memory(8);
        server().postReceive(1, region);
        MemorySegment memory = region.segment();
        region.close();
        client().requests()
                .send(1)
                .inline(MemorySegment.ofArray(new byte[] {1}))
                .post();
        server().expect(1, CompletionStatus.LOC_PROT_ERR);
        assertThat(memory.get(ValueLayout.JAVA_BYTE, 0)).isZero();
        assertBothSidesFailed(0x0000);
    }

    @Test
    void aLocalInvalidationOfSomethingUnknown() {
        connect();
        MemoryRegion region = client().memory(8);
        client().requests().invalidate(1, region.stag() ^ 1).post();
        Completion failed = client().expect(1, CompletionStatus.MW_BIND_ERR);
        assertThat(failed.cause().layer()).isEqualTo(Layer.VERBS);
        assertThat(failed.cause().fact()).contains(hex(region.stag() ^ 1));
        assertThat(region.isValid()).isTrue();
        assertBothSidesFailed(0x0000);
    }

    // mistakes between the peers

    @Conforms({"DDP-047", "RDMAP-067"})
    @Test
    void aSendWithoutAReceive() {
        connect();
        client().postEmptyReceives(5, 1);
        client().requests().send(1).unsignaled().post();
        AsyncEvent.PeerError error = server().awaitEvent(AsyncEvent.PeerError.class);
        assertThat(error.detail().layer()).isEqualTo(Layer.DDP);
        assertThat(error.detail().fact()).contains("no receive");
        AsyncEvent.TerminateReceived told = client().awaitEvent(AsyncEvent.TerminateReceived.class);
        assertThat(told.detail().layer()).isEqualTo(Layer.DDP);
        client().expect(5, CompletionStatus.WR_FLUSH_ERR);
        server().expectNothingMore();
        assertBothSidesFailed(0x1202);
    }

    @Conforms({"DDP-049", "RDMAP-040"})
    @Test
    void aSendLongerThanItsReceive() {
        connect();
        MemoryRegion sink = server().memory(99);
        MemoryRegion source = client().filled(100, 1);
        server().postReceive(1, sink);
        server().postEmptyReceives(2, 1);
        client().requests().send(1).from(source, 0, 100).unsignaled().post();
        Completion failed = server().expect(1, CompletionStatus.LOC_LEN_ERR);
        assertThat(failed.cause().fact()).contains("100").contains("99");
        server().expect(2, CompletionStatus.WR_FLUSH_ERR);
        client().awaitEvent(AsyncEvent.TerminateReceived.class);
        assertBothSidesFailed(0x1205);
    }

    @Test
    void anImmediateWithoutAReceive() {
        connect();
        client().requests().immediate(1, 5).unsignaled().post();
        server().awaitEvent(AsyncEvent.PeerError.class);
        assertBothSidesFailed(0x1202);
    }

    @Conforms("RDMAP-030")
    @Test
    void aReadThatThePeerRefuses() {
        connect();
        MemoryRegion source = server().memory(8, EnumSet.of(Access.LOCAL_READ));
        MemoryRegion sink = client().memory(24);
        client().requests()
                .read(1, source.stag(), 0)
                .into(sink, 0, 8)
                .read(2, source.stag(), 0)
                .into(sink, 8, 8)
                .post();
        Completion refused = client().expect(1, CompletionStatus.REM_ACCESS_ERR);
        assertThat(refused.operation()).isEqualTo(Operation.RDMA_READ);
        assertThat(refused.cause().layer()).isEqualTo(Layer.RDMAP);
        client().expect(2, CompletionStatus.WR_FLUSH_ERR);
        AsyncEvent.PeerError error = server().awaitEvent(AsyncEvent.PeerError.class);
        assertThat(error.detail().fact()).contains(hex(source.stag()));
        assertThat(Peer.bytes(sink)).containsOnly(0);
        assertBothSidesFailed(0x0102);
    }

    /** The Terminate names the Read at fault, also when good ones are before it. */
    @Test
    void theReadAtFaultIsFound() {
        connect();
        MemoryRegion source = server().filled(8, 1);
        MemoryRegion sink = client().memory(24);
        client().requests()
                .read(1, source.stag(), 0)
                .into(sink, 0, 8)
                .read(2, source.stag(), 4)
                .into(sink, 8, 8) // four octets too far
                .read(3, source.stag(), 0)
                .into(sink, 16, 8)
                .post();
        Completion first = client().next();
        assertThat(first.id()).isEqualTo(1);
        // answers to earlier Reads may be lost with the stream
        assertThat(first.status()).isIn(CompletionStatus.SUCCESS, CompletionStatus.WR_FLUSH_ERR);
        client().expect(2, CompletionStatus.REM_ACCESS_ERR);
        client().expect(3, CompletionStatus.WR_FLUSH_ERR);
        assertBothSidesFailed(0x0101);
    }

    @Test
    void anAtomicThatThePeerRefuses() {
        connect();
        MemoryRegion target = server().memory(8, Access.LOCAL_READ, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
        MemoryRegion result = client().memory(8);
        client().requests().fetchAdd(1, target.stag(), 0, 1).into(result, 0, 8).post();
        client().expect(1, CompletionStatus.REM_ACCESS_ERR);
        assertThat(Peer.word(target, 0)).isZero();
        assertBothSidesFailed(0x0102);
    }

    @Conforms({"EXT-005", "EXT-008", "EXT-038"})
    @Test
    void anAtomicThatIsNotAligned() {
        connect();
        MemoryRegion target = server().memory(16);
        MemoryRegion result = client().memory(8);
        client().requests()
                .compareSwap(1, target.stag(), 4, 0, 1)
                .into(result, 0, 8)
                .post();
        client().expect(1, CompletionStatus.REM_OP_ERR);
        assertThat(Peer.bytes(target)).containsOnly(0);
        AsyncEvent.PeerError error = server().awaitEvent(AsyncEvent.PeerError.class);
        assertThat(error.detail().fact()).contains("8");
        assertBothSidesFailed(0x0207);
    }

    @Conforms({"DDP-056", "DDP-057", "RDMAP-074"})
    @Test
    void nothingBehindARefusedWriteIsPlaced() {
        connect();
        MemoryRegion target = server().memory(64);
        MemoryRegion source = client().filled(64, 2);
        server().postEmptyReceives(1, 1);
        client().requests()
                .write(1, target.stag(), 0)
                .from(source, 0, 8)
                .write(2, target.stag() ^ 0x10, 8)
                .from(source, 8, 8)
                .write(3, target.stag(), 16)
                .from(source, 16, 8)
                .write(4, target.stag(), 100)
                .from(source, 0, 8)
                .send(5)
                .post();
        server().expect(1, CompletionStatus.WR_FLUSH_ERR);
        AsyncEvent.PeerError error = server().awaitEvent(AsyncEvent.PeerError.class);
        assertThat(error.detail().fact()).as("the first error").contains(hex(target.stag() ^ 0x10));
        assertBothSidesFailed(0x1100);
        assertThat(Peer.bytes(target, 0, 8)).isEqualTo(Peer.bytes(source, 0, 8));
        assertThat(Peer.bytes(target, 8, 56)).as("behind the error").containsOnly(0);
        assertThat(server().eventsOf(AsyncEvent.PeerError.class)).hasSize(1);
    }

    /** The owner takes the memory away while a large Read is answered. */
    @Conforms("SEC-004")
    @Test
    void aReadWhoseSourceIsClosedOnTheWay() {
        int length = world().largeMessage();
        connect();
        MemoryRegion source = server().filled(length, 3);
        MemoryRegion sink = client().memory(length);
        client().requests().read(1, source.stag(), 0).into(sink, 0, length).post();
        runUntil("the answer has begun", () -> source.snapshot().remoteReads() > 0);
        source.close();
        Completion completion = client().next();
        assertThat(completion.id()).isEqualTo(1);
        // all of it may have been sent already
        assertThat(completion.status()).isIn(CompletionStatus.SUCCESS, CompletionStatus.REM_ACCESS_ERR);
        if (!completion.isSuccess()) {
            assertBothSidesFailed(0x0100);
        }
    }

    @Conforms({"RDMAP-052", "RDMAP-068"})
    @Test
    void requestsBehindAnErrorAreFlushedOnBothSides() {
        connect();
        MemoryRegion sink = client().memory(8);
        client().postEmptyReceives(50, 2);
        server().postEmptyReceives(60, 2);
        client().requests().read(1, 0x4242, 0).into(sink, 0, 8);
        for (int i = 2; i < 10; i++) {
            client().requests().read(i, 0, 0).into(sink, 0, 8);
        }
        client().requests().post();
        client().expect(1, CompletionStatus.REM_ACCESS_ERR);
        List<Completion> flushed = client().next(10);
        assertThat(flushed).extracting(Completion::status).containsOnly(CompletionStatus.WR_FLUSH_ERR);
        assertThat(server().next(2)).extracting(Completion::status).containsOnly(CompletionStatus.WR_FLUSH_ERR);
        client().expectNothingMore();
        server().expectNothingMore();
        assertBothSidesFailed(0x0100);
    }

    /** Both sides break a rule at the same moment: both end, whoever is first. */
    @Test
    void bothSidesFailAtOnce() {
        connect();
        client().requests()
                .write(1, 0x999, 0)
                .inline(MemorySegment.ofArray(new byte[] {1}))
                .post();
        try {
            server().requests()
                    .write(1, 0x999, 0)
                    .inline(MemorySegment.ofArray(new byte[] {1}))
                    .post();
        } catch (VerbsException e) {
            assertThat(e.error()).as("the other's was quicker").isEqualTo(VerbsError.INVALID_STATE);
        }
        for (Peer peer : List.of(client(), server())) {
            peer.awaitState(QueuePairState.ERROR);
            peer.awaitConnection(Connection.State.DISCONNECTED);
            assertThat(peer.queuePair().snapshot().counters().terminatesSent()).isLessThanOrEqualTo(1);
            assertThat(peer.queuePair().snapshot().counters().terminatesReceived())
                    .isLessThanOrEqualTo(1);
        }
    }

    @Test
    void everyStatusExplainsItself() {
        for (CompletionStatus status : CompletionStatus.values()) {
            assertThat(status.explanation()).isNotBlank();
            assertThat(status.number()).isBetween(0, 21);
        }
    }
}
