package io.stag.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.simnet.Conforms;
import io.stag.verbs.Access;
import io.stag.verbs.CompletionStatus;
import io.stag.verbs.MemoryRegion;
import io.stag.verbs.Operation;
import io.stag.verbs.ReliableQueuePair;
import io.stag.verbs.ReliableQueuePairConfig;
import io.stag.verbs.VerbsError;
import java.time.Duration;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** What fails between reliable datagram queue pairs, whom it hurts, and how a program goes on. */
public abstract class ReliableErrorContract extends ProviderContract {
    private static final Duration GIVE_UP = Duration.ofMillis(200);
    private static final Duration REMEMBER = Duration.ofSeconds(60);

    /** For subclasses. */
    protected ReliableErrorContract() {}

    private ReliableEnd end(Peer peer) {
        return end(peer, settings -> settings);
    }

    private ReliableEnd end(Peer peer, UnaryOperator<ReliableQueuePairConfig.Builder> settings) {
        return new ReliableEnd(world(), peer, settings);
    }

    /** An end that soon gives up. */
    private ReliableEnd impatient(Peer peer) {
        return end(peer, settings -> settings.giveUp(GIVE_UP).remember(REMEMBER));
    }

    private static void assertFailed(ReliableEnd end) {
        assertThat(end.queuePair.state()).isEqualTo(ReliableQueuePair.State.ERROR);
        assertThat(end.queuePair.firstCause()).isPresent();
        assertThat(assertRefused(
                                VerbsError.INVALID_STATE,
                                () -> end.to(end).send(1).post())
                        .getMessage())
                .contains("reset()")
                .contains(end.queuePair.firstCause().orElseThrow().clause());
    }

    /** Back to work: a message gets through, and nothing of before is left. */
    private void assertWorksAgain(ReliableEnd from, ReliableEnd to) {
        from.queuePair.reset();
        assertThat(from.queuePair.state()).isEqualTo(ReliableQueuePair.State.READY);
        to.postEmptyReceives(900, 1);
        from.to(to).immediate(901, 5).post();
        assertThat(to.expectFrom(from, Operation.RECEIVE_IMMEDIATE, 900).immediate())
                .isEqualTo(5);
        from.expect(Operation.IMMEDIATE, 901);
        from.expectNothingMore();
        to.expectNothingMore();
    }

    @Test
    @Conforms({"RD-025", "RD-040", "RD-041", "RD-042"})
    void aWriteThatThePeerRefusesStopsTheSenderAndNobodyElse() {
        ReliableEnd left = end(client());
        ReliableEnd right = end(server());
        ReliableEnd third = end(client());
        MemoryRegion from = client().filled(5_000, 1);
        MemoryRegion target = server().memory(100);
        left.to(right)
                .write(1, target.stag() ^ 0x100, 0)
                .from(from, 0, 100)
                .write(2, target.stag(), 0)
                .from(from, 0, 100)
                .post();
        Completion failed = left.expect(1, CompletionStatus.REM_ACCESS_ERR);
        assertThat(failed.cause().terminateCode()).isPositive();
        left.expect(2, CompletionStatus.WR_FLUSH_ERR);
        assertFailed(left);
        assertThat(left.nextError().source()).isEqualTo(right.queuePair.localAddress());
        assertThat(right.nextError().source()).isEqualTo(left.queuePair.localAddress());
        assertThat(Peer.bytes(target)).as("nothing behind it was placed").containsOnly(0);

        assertThat(right.queuePair.state()).isEqualTo(ReliableQueuePair.State.READY);
        left.postEmptyReceives(3, 1);
        right.to(left).send(4).post();
        left.expectFrom(right, Operation.RECEIVE, 3);
        right.expect(Operation.SEND, 4);
        third.to(right).write(5, target.stag(), 0).from(from, 0, 100).post();
        third.expect(Operation.RDMA_WRITE, 5);
        assertWorksAgain(left, right);
    }

    @Test
    @Conforms("RD-025")
    void theReadAtFaultIsFound() {
        ReliableEnd left = end(client());
        ReliableEnd right = end(server());
        MemoryRegion source = server().filled(100, 1);
        MemoryRegion secret = server().memory(100, Access.LOCAL_READ, Access.LOCAL_WRITE);
        MemoryRegion into = client().memory(300);
        left.to(right)
                .read(1, source.stag(), 0)
                .into(into, 0, 100)
                .read(2, secret.stag(), 0)
                .into(into, 100, 100)
                .read(3, source.stag(), 0)
                .into(into, 200, 100)
                .post();
        left.expect(Operation.RDMA_READ, 1);
        left.expect(2, CompletionStatus.REM_ACCESS_ERR);
        left.expect(3, CompletionStatus.WR_FLUSH_ERR);
        assertFailed(left);
        assertThat(Peer.bytes(into, 0, 100)).isEqualTo(Peer.bytes(source));
        assertThat(Peer.bytes(into, 100, 200)).containsOnly(0);
        assertWorksAgain(left, right);
    }

    @Test
    void anAtomicThatThePeerRefuses() {
        ReliableEnd left = end(client());
        ReliableEnd right = end(server());
        MemoryRegion target = server().memory(64, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
        left.to(right)
                .fetchAdd(1, target.stag(), 0, 1)
                .into(client().memory(8), 0, 8)
                .post();
        left.expect(1, CompletionStatus.REM_ACCESS_ERR);
        assertFailed(left);
        assertWorksAgain(left, right);
    }

    @Test
    void whatTheQueuePairDoesNotAllow() {
        ReliableEnd left = end(client());
        ReliableEnd right =
                end(server(), settings -> settings.allowRemoteRead(false).allowRemoteWrite(false));
        MemoryRegion target = server().memory(64);
        MemoryRegion local = client().memory(64);
        left.to(right).write(1, target.stag(), 0).from(local, 0, 64).post();
        assertThat(left.next().isSuccess()).isFalse();
        left.queuePair.reset();
        left.requests.read(2, target.stag(), 0).into(local, 0, 64).post();
        assertThat(left.next().isSuccess()).isFalse();
        assertWorksAgain(left, right);
    }

    @Test
    @Conforms("RD-025")
    void aSendLongerThanItsReceive() {
        ReliableEnd left = end(client());
        ReliableEnd right = end(server());
        right.postReceive(1, server().memory(2_000));
        left.to(right).send(2).from(client().filled(3_000, 1), 0, 3_000).post();
        assertThat(left.next().isSuccess()).isFalse();
        right.expect(1, CompletionStatus.LOC_LEN_ERR);
        assertFailed(left);
        assertWorksAgain(left, right);
    }

    @Test
    @Conforms({"RD-014", "RD-040", "RD-041"})
    void aSilentPeerIsGivenUpAndOthersGoOn() {
        ReliableEnd left = impatient(client());
        ReliableEnd right = end(server());
        right.postEmptyReceives(1, 1);
        left.requests
                .to(left.queuePair.address(world().deadAddress()))
                .send(2)
                .immediate(3, 0)
                .unsignaled();
        left.to(right).send(4).send(5).post(); // the second finds no receive
        right.expectFrom(left, Operation.RECEIVE, 1);
        left.expect(Operation.SEND, 4);

        Completion silent = left.expect(2, CompletionStatus.RESP_TIMEOUT_ERR);
        assertThat(silent.cause().clause()).isEqualTo("RD-014");
        Completion flushed = left.expect(3, CompletionStatus.WR_FLUSH_ERR);
        assertThat(flushed.cause()).isEqualTo(silent.cause());
        assertFailed(left);
        assertThat(left.nextError().detail()).isEqualTo(silent.cause());

        right.postEmptyReceives(6, 1);
        right.expectFrom(left, Operation.RECEIVE, 6);
        left.expect(Operation.SEND, 5);
        assertWorksAgain(left, right);
    }

    @Test
    @Conforms("RD-041")
    void noRequestsAreTakenUntilReset() {
        ReliableEnd left = end(client());
        ReliableEnd right = end(server());
        MemoryRegion local = client().memory(64);
        MemoryRegion target = server().memory(64);
        left.to(right).write(1, 0x0F00_0000, 0).from(local, 0, 64).post();
        runUntil("the failure", () -> left.queuePair.state() == ReliableQueuePair.State.ERROR);
        assertRefused(
                VerbsError.INVALID_STATE,
                () -> left.to(right)
                        .write(2, target.stag(), 0)
                        .from(local, 0, 64)
                        .post());
        assertThat(left.next().isSuccess()).isFalse();
        left.expectNothingMore();
        assertWorksAgain(left, right);
    }

    @Test
    @Conforms({"RD-011", "RD-013"})
    void aPeerMadeAnewIsNotTakenForItsFormerSelf() {
        ReliableEnd left = end(client());
        ReliableEnd right = end(server());
        right.postEmptyReceives(1, 1);
        left.to(right).send(2).post();
        right.expectFrom(left, Operation.RECEIVE, 1);
        left.expect(Operation.SEND, 2);
        right.queuePair.close();
        ReliableEnd again = end(server(), settings -> settings.address(right.queuePair.localAddress()));
        again.postEmptyReceives(3, 1);

        left.to(again).send(4).post();
        Completion refused = left.next();
        assertThat(refused.isSuccess()).isFalse();
        assertThat(refused.cause().clause()).isEqualTo("RD-013");
        assertFailed(left);
        again.expectNothingMore();

        left.queuePair.reset();
        left.to(again).send(5).post();
        again.expectFrom(left, Operation.RECEIVE, 3);
        left.expect(Operation.SEND, 5);
        assertWorksAgain(left, again);
    }

    @Test
    @Conforms("RD-012")
    void aSenderMadeAnewIsAnotherOne() {
        ReliableEnd left = end(client());
        ReliableEnd right = end(server());
        right.postEmptyReceives(0, 4);
        left.to(right).send(1).send(2).post();
        right.expectFrom(left, Operation.RECEIVE, 0);
        right.expectFrom(left, Operation.RECEIVE, 1);
        left.queuePair.close();
        ReliableEnd again = end(client(), settings -> settings.address(left.queuePair.localAddress()));
        again.to(right).send(3).send(4).post();
        right.expectFrom(again, Operation.RECEIVE, 2);
        right.expectFrom(again, Operation.RECEIVE, 3);
        again.expect(Operation.SEND, 3);
        again.expect(Operation.SEND, 4);
        right.expectNothingMore();
    }

    @Test
    @Conforms("RD-040")
    void ownMemoryThatIsGone() {
        ReliableEnd left = end(client());
        ReliableEnd right = end(server());
        MemoryRegion gone = client().filled(100, 1);
        MemoryRegion target = server().memory(100);
        left.to(right).write(1, target.stag(), 0).from(gone, 0, 100);
        gone.close();
        left.requests.post();
        left.expect(1, CompletionStatus.LOC_PROT_ERR);
        assertFailed(left);
        assertThat(Peer.bytes(target)).containsOnly(0);
        assertThat(right.queuePair.pollError()).as("the peer is not to blame").isEmpty();
        assertWorksAgain(left, right);
    }

    @Test
    void aReceiveWhoseMemoryIsGone() {
        ReliableEnd left = end(client());
        ReliableEnd right = end(server());
        MemoryRegion gone = server().memory(5_000);
        right.postReceive(1, gone);
        gone.close();
        left.to(right).send(2).from(client().filled(5_000, 2), 0, 5_000).post();
        right.expect(1, CompletionStatus.LOC_PROT_ERR);
        assertThat(left.next().isSuccess()).isFalse();
        assertWorksAgain(left, right);
    }

    @Test
    void resetOfAQueuePairThatIsWellDoesNothing() {
        ReliableEnd left = end(client());
        ReliableEnd right = end(server());
        left.queuePair.reset();
        assertWorksAgain(left, right);
        left.queuePair.close();
        assertRefused(VerbsError.CLOSED, left.queuePair::reset);
    }
}
