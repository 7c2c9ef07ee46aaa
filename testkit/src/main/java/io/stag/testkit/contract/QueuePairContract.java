package io.stag.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.simnet.Conforms;
import io.stag.verbs.Access;
import io.stag.verbs.AsyncEvent;
import io.stag.verbs.CompletionChannel;
import io.stag.verbs.CompletionQueue;
import io.stag.verbs.CompletionStatus;
import io.stag.verbs.MemoryRegion;
import io.stag.verbs.MemoryWindow;
import io.stag.verbs.ProgressMode;
import io.stag.verbs.QueuePair;
import io.stag.verbs.QueuePairConfig;
import io.stag.verbs.QueuePairSnapshot;
import io.stag.verbs.QueuePairState;
import io.stag.verbs.ReceiveRequests;
import io.stag.verbs.RnicLimits;
import io.stag.verbs.SendRequests;
import io.stag.verbs.SharedReceiveQueue;
import io.stag.verbs.VerbsError;
import io.stag.verbs.cm.Connection;
import io.stag.verbs.cm.ConnectionConfig;
import io.stag.verbs.cm.ConnectionEvent;
import io.stag.verbs.cm.Listener;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** States of queue pairs, and what each of them means for requests. */
public abstract class QueuePairContract extends ProviderContract {

    /** For subclasses. */
    protected QueuePairContract() {}

    // transitions

    @Conforms("VRB-001")
    @Test
    void fromIdleAProgramCanOnlyGoToError() {
        QueuePair queuePair = client().queuePair();
        assertThat(queuePair.state()).isEqualTo(QueuePairState.IDLE);
        for (QueuePairState target : List.of(QueuePairState.RTS, QueuePairState.CLOSING, QueuePairState.TERMINATE)) {
            assertRefused(VerbsError.INVALID_STATE, () -> queuePair.modify(target));
            assertThat(queuePair.state()).isEqualTo(QueuePairState.IDLE);
        }
        queuePair.modify(QueuePairState.IDLE);
        assertThat(queuePair.state()).isEqualTo(QueuePairState.IDLE);
        queuePair.modify(QueuePairState.ERROR);
        assertThat(queuePair.state()).isEqualTo(QueuePairState.ERROR);
        assertThat(queuePair.firstCause()).isPresent();
    }

    @Conforms("VRB-001")
    @Test
    void fromErrorAProgramCanOnlyGoToIdle() {
        QueuePair queuePair = client().queuePair();
        queuePair.modify(QueuePairState.ERROR);
        for (QueuePairState target : List.of(QueuePairState.RTS, QueuePairState.CLOSING, QueuePairState.TERMINATE)) {
            assertRefused(VerbsError.INVALID_STATE, () -> queuePair.modify(target));
            assertThat(queuePair.state()).isEqualTo(QueuePairState.ERROR);
        }
        queuePair.modify(QueuePairState.IDLE);
        assertThat(queuePair.state()).isEqualTo(QueuePairState.IDLE);
        assertThat(queuePair.firstCause()).isEmpty();
        connect();
    }

    @Conforms("VRB-001")
    @Test
    void aConnectedQueuePairCannotBecomeIdleAtOnce() {
        connect();
        assertRefused(VerbsError.INVALID_STATE, () -> client().queuePair().modify(QueuePairState.IDLE));
        client().queuePair().modify(QueuePairState.RTS);
        assertThat(client().state()).isEqualTo(QueuePairState.RTS);
    }

    /** The transitions asked for are refused in Closing and also in Idle, which may have been reached. */
    @Conforms({"VRB-001", "VRB-003"})
    @Test
    void modifyToClosingClosesInOrder() {
        connect();
        client().postEmptyReceives(1, 1);
        client().queuePair().modify(QueuePairState.CLOSING);
        for (QueuePairState target : List.of(QueuePairState.RTS, QueuePairState.CLOSING, QueuePairState.TERMINATE)) {
            assertRefused(VerbsError.INVALID_STATE, () -> client().queuePair().modify(target));
        }
        client().expect(1, CompletionStatus.WR_FLUSH_ERR);
        for (Peer peer : List.of(client(), server())) {
            peer.awaitState(QueuePairState.IDLE);
            peer.awaitEvent(AsyncEvent.CloseComplete.class);
            peer.awaitConnection(Connection.State.DISCONNECTED);
            assertThat(peer.queuePair().firstCause()).isEmpty();
        }
    }

    /**
     * Unlike disconnect(), it does not wait for requests: those left are flushed and the stream is reset. Done in the
     * handler of the connection's event, because an RNIC that waits for its handler cannot have finished them before.
     */
    @Test
    void modifyToClosingWithWorkLeftIsABadClose() {
        client().create(config -> config.maxOutboundReads(1));
        MemoryRegion source = server().memory(world().largeMessage());
        MemoryRegion sink = client().memory(world().largeMessage());
        client().rnic.connectionManager().onEvent(event -> {
            if (event instanceof ConnectionEvent.Established) {
                for (int i = 0; i < 4; i++) {
                    client().requests().read(i, source.stag(), 0).into(sink, 0, sink.length());
                }
                client().requests().post();
                client().queuePair().modify(QueuePairState.CLOSING);
            }
        });
        try (Listener listener = listen(server())) {
            client().rnic
                    .connectionManager()
                    .connect(client().queuePair(), listener.address(), ConnectionConfig.defaults());
            await(listener).accept(server().queuePair(), ConnectionConfig.defaults());
        }

        client().awaitState(QueuePairState.ERROR);
        server().awaitState(QueuePairState.ERROR);
        List<Completion> completions = client().next(4);
        assertThat(completions.getLast().status()).isEqualTo(CompletionStatus.WR_FLUSH_ERR);
        assertThat(completions.getLast().cause().fact()).isNotBlank();
    }

    @Conforms({"RDMAP-049", "RDMAP-068", "RDMAP-070", "VRB-005"})
    @Test
    void modifyToTerminateTellsThePeer() {
        connect();
        client().postEmptyReceives(1, 1);
        server().postEmptyReceives(2, 1);
        client().queuePair().modify(QueuePairState.TERMINATE);
        for (QueuePairState target : List.of(QueuePairState.RTS, QueuePairState.CLOSING, QueuePairState.TERMINATE)) {
            assertRefused(VerbsError.INVALID_STATE, () -> client().queuePair().modify(target));
        }

        client().expect(1, CompletionStatus.WR_FLUSH_ERR);
        Completion flushed = server().expect(2, CompletionStatus.WR_FLUSH_ERR);
        AsyncEvent.TerminateReceived received = server().awaitEvent(AsyncEvent.TerminateReceived.class);
        assertThat(received.queuePair()).isSameAs(server().queuePair());
        assertThat(received.detail()).isEqualTo(flushed.cause());
        if (world().features().contains(ContractFixture.Feature.TERMINATE_CODES)) {
            assertThat(received.detail().terminateCode()).isZero();
        }
        client().awaitState(QueuePairState.ERROR);
        server().awaitState(QueuePairState.ERROR);
        assertThat(client().eventsOf(AsyncEvent.TerminateReceived.class))
                .as("a Terminate is not answered with a Terminate")
                .isEmpty();
        assertThat(client().queuePair().snapshot().counters().terminatesSent()).isEqualTo(1);
        assertThat(client().queuePair().snapshot().counters().terminatesReceived())
                .isZero();
        assertThat(server().queuePair().snapshot().counters().terminatesSent()).isZero();
        assertThat(server().queuePair().snapshot().counters().terminatesReceived())
                .isEqualTo(1);
    }

    @Test
    void modifyToErrorResetsTheStream() {
        connect();
        client().postEmptyReceives(1, 1);
        client().queuePair().modify(QueuePairState.ERROR);
        assertThat(client().state()).isEqualTo(QueuePairState.ERROR);
        client().expect(1, CompletionStatus.WR_FLUSH_ERR);
        server().awaitEvent(AsyncEvent.StreamLost.class);
        server().awaitState(QueuePairState.ERROR);
        assertThat(server().queuePair().snapshot().counters().terminatesReceived())
                .isZero();
        assertThat(client().connection().state()).isEqualTo(Connection.State.DISCONNECTED);
    }

    @Test
    void modifyToErrorCancelsAConnectionAttempt() {
        Listener listener = listen(server());
        client().requests().send(1).post();
        client().connection(client().rnic
                .connectionManager()
                .connect(client().queuePair(), listener.address(), ConnectionConfig.defaults()));
        client().queuePair().modify(QueuePairState.ERROR);
        assertThat(client().state()).isEqualTo(QueuePairState.ERROR);
        assertThat(client().connection().state()).isEqualTo(Connection.State.FAILED);
        client().expect(1, CompletionStatus.WR_FLUSH_ERR);
        listener.close();
        client().queuePair().modify(QueuePairState.IDLE);
        connect();
    }

    // requests in each state

    @Conforms("VRB-002")
    @Test
    void requestsPostedInIdleWaitForTheConnection() {
        MemoryRegion source = client().filled(100, 1);
        MemoryRegion sink = server().memory(100);
        client().requests().send(1).from(source, 0, 100).post();
        server().postReceive(2, sink);
        assertThat(client().queuePair().snapshot().sendQueueDepth()).isEqualTo(1);
        assertThat(server().queuePair().snapshot().receiveQueueDepth()).isEqualTo(1);
        client().expectNothingMore();

        connect();
        client().expect(1);
        server().expect(2);
        assertThat(Peer.bytes(sink)).isEqualTo(Peer.bytes(source));
    }

    @Test
    void requestsSurviveAnAttemptThatFails() {
        server().postEmptyReceives(2, 1);
        client().requests().send(1).post();
        client().connection(client().rnic
                .connectionManager()
                .connect(client().queuePair(), world().deadAddress(), ConnectionConfig.defaults()));
        client().awaitConnection(Connection.State.FAILED);
        client().expectNothingMore();
        connect();
        client().expect(1);
        server().expect(2);
    }

    @Conforms("VRB-007")
    @Test
    void errorFlushesEverythingThatWasPosted() {
        for (int i = 0; i < 5; i++) {
            client().requests().send(i).unsignaled();
        }
        client().requests().post();
        client().postEmptyReceives(100, 3);
        client().queuePair().modify(QueuePairState.ERROR);

        List<Completion> completions = client().next(8);
        assertThat(completions).extracting(Completion::status).containsOnly(CompletionStatus.WR_FLUSH_ERR);
        assertThat(completions)
                .extracting(Completion::id)
                .containsExactlyInAnyOrder(0L, 1L, 2L, 3L, 4L, 100L, 101L, 102L);
        assertThat(completions)
                .extracting(Completion::cause)
                .containsOnly(client().queuePair().firstCause().orElseThrow());
        assertThat(client().queuePair().snapshot().sendQueueDepth()).isZero();
        assertThat(client().queuePair().snapshot().receiveQueueDepth()).isZero();
        client().expectNothingMore();
    }

    @Test
    void nothingCanBePostedInError() {
        client().queuePair().modify(QueuePairState.ERROR);
        assertRefused(
                VerbsError.INVALID_STATE, () -> client().requests().send(1).post());
        assertRefused(
                VerbsError.INVALID_STATE, () -> client().receives().receive(1).post());
        client().queuePair().modify(QueuePairState.IDLE);
        assertThat(client().requests().send(2).post())
                .as("the refused ones are gone")
                .isEqualTo(1);
    }

    @Conforms({"VRB-019", "VRB-020"})
    @Test
    void aFullQueueTakesNoMore() {
        QueuePair queuePair = client().create(config -> config.sendDepth(4).receiveDepth(3));
        SendRequests sends = queuePair.newSendRequests();
        ReceiveRequests receives = queuePair.newReceiveRequests();
        assertThat(sends.send(1).send(2).send(3).post()).isEqualTo(3);
        assertThat(sends.send(4).send(5).send(6).post()).as("room for one").isEqualTo(1);
        assertThat(sends.send(7).post()).isZero();
        assertThat(receives.receive(1).receive(2).post()).isEqualTo(2);
        assertThat(receives.receive(3).receive(4).post()).isEqualTo(1);
        assertThat(receives.receive(5).post()).isZero();
        server().postEmptyReceives(1, 4);

        connect();
        for (int i = 1; i <= 4; i++) {
            client().expect(i);
            server().expect(i);
        }
        assertThat(sends.send(8).post()).as("there is room again").isEqualTo(1);
    }

    @Test
    void aSlotIsFreeWhenItsCompletionIsThere() {
        QueuePair queuePair = client().create(config -> config.sendDepth(1));
        connect();
        SendRequests sends = queuePair.newSendRequests();
        for (int i = 0; i < 10; i++) {
            assertThat(sends.write(i, 0, 0).post()).isEqualTo(1);
            client().expect(i);
        }
    }

    // destruction

    /** Closing and Terminate last until progress is made, which an RNIC with threads may have done before. */
    @Conforms("VRB-026")
    @ParameterizedTest
    @EnumSource
    void aQueuePairCanBeDestroyedInAnyState(QueuePairState state) {
        QueuePair queuePair = client().queuePair();
        boolean connected = state != QueuePairState.IDLE && state != QueuePairState.ERROR;
        if (connected) {
            connect();
        }
        queuePair.modify(state);
        if (client().rnic.config().progress() == ProgressMode.INVOKER) {
            assertThat(queuePair.state()).isEqualTo(state);
        }
        client().postEmptyReceivesIfPossible();
        queuePair.close();
        queuePair.close();
        assertThat(client().rnic.snapshot().queuePairs()).isEmpty();
        assertRefused(
                VerbsError.CLOSED, () -> queuePair.newSendRequests().send(1).post());
        assertRefused(VerbsError.CLOSED, () -> queuePair.modify(QueuePairState.IDLE));
        client().expectNothingMore();
        if (connected) {
            runUntil("the peer notices", () -> server().state() != QueuePairState.RTS);
            assertThat(client().rnic.snapshot().connectionsOpen()).isZero();
        }
        if (state == QueuePairState.RTS) {
            server().awaitState(QueuePairState.ERROR);
        }
        client().queue.close();
        client().domain.close();
    }

    @Conforms("VRB-026")
    @Test
    void aQueuePairCanBeDestroyedWhileConnecting() {
        Listener listener = listen(server());
        Connection connection = client().rnic
                .connectionManager()
                .connect(client().queuePair(), listener.address(), ConnectionConfig.defaults());
        client().queuePair().close();
        assertThat(connection.state()).isEqualTo(Connection.State.FAILED);
        assertThat(client().rnic.snapshot().connectionsHalfOpen()).isZero();
    }

    @Conforms("VRB-026")
    @Test
    void aQueuePairWithBoundWindowsCannotBeDestroyed() {
        connect();
        MemoryRegion region = client().memory(10);
        MemoryWindow window = client().domain.allocateWindow();
        client().requests()
                .bindWindow(1, window, 1, region, 0, 10, EnumSet.of(Access.REMOTE_READ))
                .post();
        client().expect(1);
        assertRefused(VerbsError.IN_USE, () -> client().queuePair().close());
        assertThat(client().state()).isEqualTo(QueuePairState.RTS);

        client().requests().invalidate(2, window.stag()).post();
        client().expect(2);
        client().queuePair().close();
    }

    // creation

    @Test
    void queuePairsHaveNumbersOfTheirOwn() {
        QueuePair one = client().another(config -> config);
        QueuePair two = client().another(config -> config.sendDepth(7));
        assertThat(one.id()).isNotEqualTo(two.id());
        assertThat(two.config().sendDepth()).isEqualTo(7);
        assertThat(two.protectionDomain()).isSameAs(client().domain);
        assertThat(client().rnic.snapshot().queuePairs())
                .extracting(QueuePairSnapshot::id)
                .containsExactlyInAnyOrder(one.id(), two.id());
    }

    @Conforms("SEC-016")
    @Test
    void settingsBeyondTheDeviceAreRefused() {
        RnicLimits limits = client().rnic.limits();
        assertThat(limits.maxSegments()).isGreaterThanOrEqualTo(4);
        List<UnaryOperator<QueuePairConfig.Builder>> wrong = List.of(
                config -> config.sendDepth(0),
                config -> config.sendDepth(limits.maxQueueDepth() + 1),
                config -> config.receiveDepth(-1),
                config -> config.receiveDepth(limits.maxQueueDepth() + 1),
                config -> config.maxSegments(0),
                config -> config.maxSegments(limits.maxSegments() + 1),
                config -> config.maxInline(-1),
                config -> config.maxInline(limits.maxInline() + 1),
                config -> config.maxInboundReads(limits.maxInboundReads() + 1),
                config -> config.maxOutboundReads(-1),
                config -> config.maxOutboundReads(limits.maxOutboundReads() + 1));
        for (UnaryOperator<QueuePairConfig.Builder> settings : wrong) {
            assertRefused(VerbsError.LIMIT_EXCEEDED, () -> client().another(settings));
        }
        assertRefused(VerbsError.LIMIT_EXCEEDED, () -> client().rnic.createCompletionQueue(0));
        assertRefused(
                VerbsError.LIMIT_EXCEEDED, () -> client().rnic.createCompletionQueue(limits.maxCompletions() + 1));
        assertThat(client().rnic.snapshot().queuePairs()).isEmpty();
        client().queue.close(); // nothing uses it
    }

    @Test
    void queuesOfOthersAreRefused() {
        CompletionQueue elsewhere = server().queue;
        CompletionQueue here = client().queue;
        SharedReceiveQueue ofAnotherDomain =
                client().rnic.allocateProtectionDomain().createSharedReceiveQueue(8, 1);
        List<QueuePairConfig.Builder> wrong = List.of(
                QueuePairConfig.builder(elsewhere),
                QueuePairConfig.builder(elsewhere, here),
                QueuePairConfig.builder(here, elsewhere),
                QueuePairConfig.builder(here).sharedReceiveQueue(ofAnotherDomain),
                QueuePairConfig.builder(here).sharedReceiveQueue(server().domain.createSharedReceiveQueue(8, 1)));
        for (QueuePairConfig.Builder config : wrong) {
            assertRefused(VerbsError.INVALID_ARGUMENT, () -> client().domain.createQueuePair(config.build()));
        }
        CompletionChannel channel = server().rnic.createCompletionChannel();
        assertRefused(VerbsError.INVALID_ARGUMENT, () -> client().rnic.createCompletionQueue(8, channel));
        client().queue.close(); // nothing uses it
        ofAnotherDomain.close();
        channel.close();
    }

    @Test
    void aQueuePairThatWasNotMadeUsesNoQueue() {
        CompletionQueue open = client().rnic.createCompletionQueue(8);
        CompletionQueue closed = client().rnic.createCompletionQueue(8);
        closed.close();
        SharedReceiveQueue closedReceives = client().domain.createSharedReceiveQueue(8, 1);
        closedReceives.close();
        List<QueuePairConfig.Builder> wrong = List.of(
                QueuePairConfig.builder(open, closed),
                QueuePairConfig.builder(closed, open),
                QueuePairConfig.builder(open).sharedReceiveQueue(closedReceives));
        for (QueuePairConfig.Builder config : wrong) {
            assertRefused(VerbsError.CLOSED, () -> client().domain.createQueuePair(config.build()));
        }
        assertThat(client().rnic.snapshot().queuePairs()).isEmpty();
        open.close();
    }

    @Test
    void permissionsAreAskedFor() {
        client().create(config -> config.allowWindowBind(false).allowFastRegister(false));
        connect();
        MemoryRegion region = client().memory(8);
        MemoryRegion empty = client().domain.allocateStag(true);
        MemoryWindow window = client().domain.allocateWindow();
        assertRefused(
                VerbsError.NOT_PERMITTED,
                () -> client().queuePair()
                        .newSendRequests()
                        .bindWindow(1, window, 1, region, 0, 8, Set.of(Access.REMOTE_READ)));
        assertRefused(
                VerbsError.NOT_PERMITTED,
                () -> client().queuePair().newSendRequests().fastRegister(1, empty, 1, client().octets(8), Peer.LOCAL));
        assertThat(client().state()).isEqualTo(QueuePairState.RTS);
    }

    @Test
    void countersTellWhatHappened() {
        connect();
        MemoryRegion target = server().memory(100);
        MemoryRegion local = client().memory(100);
        server().postEmptyReceives(1, 1);
        client().requests()
                .write(1, target.stag(), 0)
                .from(local, 0, 100)
                .read(2, target.stag(), 0)
                .into(local, 0, 100)
                .fetchAdd(3, target.stag(), 0, 1)
                .into(local, 0, 8)
                .send(4)
                .post();
        for (int i = 1; i <= 4; i++) {
            client().expect(i);
        }
        server().expect(1);

        // a sender counts what the stream took a moment after the receiver may have it
        runUntil("all counted", () -> sentIsReceived(client(), server()) && sentIsReceived(server(), client()));
        QueuePairSnapshot active = client().queuePair().snapshot();
        QueuePairSnapshot passive = server().queuePair().snapshot();
        assertThat(active.id()).isEqualTo(client().queuePair().id());
        assertThat(active.state()).isEqualTo(QueuePairState.RTS);
        assertThat(active.counters().messagesSent()).isGreaterThanOrEqualTo(4);
        assertThat(passive.counters().messagesReceived()).isGreaterThanOrEqualTo(4);
        assertThat(passive.counters().readsServed()).isEqualTo(1);
        assertThat(passive.counters().atomicsServed()).isEqualTo(1);
        assertThat(active.counters().completions()).isEqualTo(4);
        assertThat(active.counters().completionErrors()).isZero();
        assertThat(passive.counters().completions()).isEqualTo(1);
    }

    private static boolean sentIsReceived(Peer from, Peer to) {
        QueuePairSnapshot sender = from.queuePair().snapshot();
        QueuePairSnapshot receiver = to.queuePair().snapshot();
        return sender.counters().octetsSent() == receiver.counters().octetsReceived()
                && sender.counters().segmentsSent() == receiver.counters().segmentsReceived();
    }
}
