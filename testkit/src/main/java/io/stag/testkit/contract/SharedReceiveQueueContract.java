package io.stag.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.simnet.Conforms;
import io.stag.verbs.AsyncEvent;
import io.stag.verbs.CompletionStatus;
import io.stag.verbs.MemoryRegion;
import io.stag.verbs.Operation;
import io.stag.verbs.QueuePair;
import io.stag.verbs.QueuePairConfig;
import io.stag.verbs.QueuePairState;
import io.stag.verbs.ReceiveRequests;
import io.stag.verbs.SendRequests;
import io.stag.verbs.SharedReceiveQueue;
import io.stag.verbs.VerbsError;
import io.stag.verbs.cm.Connection;
import io.stag.verbs.cm.ConnectionConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Receives that several queue pairs share. */
public abstract class SharedReceiveQueueContract extends ProviderContract {
    private final List<QueuePair> senders = new ArrayList<>();
    private final List<QueuePair> receivers = new ArrayList<>();

    /** For subclasses. */
    protected SharedReceiveQueueContract() {}

    private SharedReceiveQueue connectShared(int connections, int capacity) {
        SharedReceiveQueue shared = server().domain.createSharedReceiveQueue(capacity, 2);
        for (int i = 0; i < connections; i++) {
            connectTo(shared, 0);
        }
        return shared;
    }

    private void connectTo(SharedReceiveQueue shared, int inProgressLimit) {
        senders.add(client().use(client().another(config -> config)));
        receivers.add(server().use(server().another(
                        config -> config.sharedReceiveQueue(shared).inProgressLimit(inProgressLimit))));
        connect(client(), server(), ConnectionConfig.defaults(), ConnectionConfig.defaults());
    }

    private static void post(SharedReceiveQueue shared, long firstId, int count) {
        ReceiveRequests list = shared.newReceiveRequests();
        for (int i = 0; i < count; i++) {
            list.receive(firstId + i);
        }
        assertThat(list.post()).isEqualTo(count);
    }

    private void send(int connection, int count) {
        SendRequests list = senders.get(connection).newSendRequests();
        for (int i = 0; i < count; i++) {
            list.send(i).unsignaled();
        }
        assertThat(list.post()).isEqualTo(count);
    }

    @Conforms("VRB-025")
    @Test
    void eachMessageTakesOneReceiveWhoeverSentIt() {
        SharedReceiveQueue shared = connectShared(3, 16);
        assertThat(shared.capacity()).isEqualTo(16);
        post(shared, 100, 12);
        assertThat(shared.available()).isEqualTo(12);
        for (int round = 0; round < 3; round++) {
            for (int c = 0; c < 3; c++) {
                send(c, 1);
            }
        }
        List<Completion> received = server().next(9);
        assertThat(received).extracting(Completion::isSuccess).containsOnly(true);
        assertThat(received).extracting(Completion::operation).containsOnly(Operation.RECEIVE);
        assertThat(received)
                .extracting(Completion::id)
                .containsExactlyInAnyOrder(100L, 101L, 102L, 103L, 104L, 105L, 106L, 107L, 108L);
        for (QueuePair receiver : receivers) {
            assertThat(received.stream().filter(c -> c.queuePairId() == receiver.id()))
                    .hasSize(3);
        }
        assertThat(shared.available()).isEqualTo(3);
    }

    /** The messages of one connection complete in their order and each in its own buffer. */
    @Conforms("VRB-025")
    @Test
    void messagesOfOneConnectionKeepTheirOrder() {
        int count = 12;
        SharedReceiveQueue shared = connectShared(2, 2 * count);
        MemoryRegion buffers = server().memory(2L * count * 8);
        ReceiveRequests list = shared.newReceiveRequests();
        for (int i = 0; i < 2 * count; i++) {
            list.receive(i).into(buffers, i * 8L, 8);
        }
        list.post();
        MemoryRegion source = client().memory(2L * count * 8);
        for (int c = 0; c < 2; c++) {
            SendRequests sends = senders.get(c).newSendRequests();
            for (int i = 0; i < count; i++) {
                int at = (c * count + i) * 8;
                Peer.word(source, at, 1_000 * c + i);
                sends.send(i).from(source, at, 8).unsignaled();
            }
            sends.post();
        }
        int[] next = {0, 0};
        for (Completion completion : server().next(2 * count)) {
            assertThat(completion.isSuccess()).isTrue();
            int c = completion.queuePairId() == receivers.getFirst().id() ? 0 : 1;
            assertThat(Peer.word(buffers, completion.id() * 8)).isEqualTo(1_000 * c + next[c]);
            next[c]++;
        }
    }

    @Conforms("VRB-025")
    @Test
    void theLimitFiresOncePerArming() {
        SharedReceiveQueue shared = connectShared(1, 16);
        post(shared, 0, 10);
        shared.armLimit(8);
        send(0, 2);
        server().next(2);
        assertThat(server().events).as("8 are left").isEmpty();
        send(0, 1);
        AsyncEvent.ReceiveLimitReached reached = server().awaitEvent(AsyncEvent.ReceiveLimitReached.class);
        assertThat(reached.sharedReceiveQueue()).isSameAs(shared);
        assertThat(reached.detail().fact()).contains("7");
        send(0, 3);
        server().next(4);
        assertThat(server().eventsOf(AsyncEvent.ReceiveLimitReached.class)).hasSize(1);

        post(shared, 20, 8);
        shared.armLimit(12);
        send(0, 1);
        server().next(1);
        runUntil(
                "it fires again",
                () -> server().eventsOf(AsyncEvent.ReceiveLimitReached.class).size() == 2);
        shared.armLimit(11);
        shared.armLimit(0);
        send(0, 2);
        server().next(2);
        assertThat(server().events).hasSize(2);
        assertRefused(VerbsError.INVALID_ARGUMENT, () -> shared.armLimit(17));
        assertRefused(VerbsError.INVALID_ARGUMENT, () -> shared.armLimit(-1));
    }

    @Conforms("VRB-025")
    @Test
    void aFailingQueuePairDoesNotFlushTheQueue() {
        SharedReceiveQueue shared = connectShared(2, 8);
        post(shared, 0, 4);
        receivers.getFirst().modify(QueuePairState.ERROR);
        runUntil("the peer knows", () -> senders.getFirst().state() == QueuePairState.ERROR);
        assertThat(shared.available()).isEqualTo(4);
        send(1, 4);
        for (int i = 0; i < 4; i++) {
            server().expect(i);
        }
        server().expectNothingMore();
    }

    @Test
    void anOrderlyCloseDoesNotFlushTheQueueEither() {
        SharedReceiveQueue shared = connectShared(1, 8);
        post(shared, 0, 4);
        client().connection().disconnect();
        server().awaitConnection(Connection.State.DISCONNECTED);
        server().awaitState(QueuePairState.IDLE);
        assertThat(shared.available()).isEqualTo(4);
        server().expectNothingMore();
    }

    /** A message that was cut off keeps its receive: that one is flushed, since it is half filled. */
    @Test
    void theReceiveOfAMessageThatWasCutOffIsFlushed() {
        SharedReceiveQueue shared = server().domain.createSharedReceiveQueue(8, 2);
        connectTo(shared, 0);
        int length = world().largeMessage();
        MemoryRegion buffer = server().memory(length);
        MemoryRegion source = client().filled(length, 1);
        shared.newReceiveRequests().receive(7).into(buffer, 0, length).post();
        post(shared, 8, 2);
        client().requests().send(1).from(source, 0, length).post();
        runUntil("the message has begun", () -> shared.available() == 2);
        client().connection().abort();

        Completion completion = server().next();
        assertThat(completion.id()).isEqualTo(7);
        if (completion.isSuccess()) {
            assertThat(completion.length()).isEqualTo(length); // the whole message was under way already
        } else {
            assertThat(completion.status()).isEqualTo(CompletionStatus.WR_FLUSH_ERR);
        }
        server().awaitState(QueuePairState.ERROR);
        assertThat(shared.available()).isEqualTo(2);
        server().expectNothingMore();
    }

    @Conforms("SEC-013")
    @Test
    void aPeerThatHoldsTooManyReceivesIsNoticed() {
        SharedReceiveQueue shared = server().domain.createSharedReceiveQueue(16, 1);
        connectTo(shared, 3);
        connectTo(shared, 3);
        post(shared, 0, 12);
        send(1, 2);
        send(0, 3);
        awaitReceived(0, 3);
        awaitReceived(1, 2);
        assertThat(server().events).as("three are allowed").isEmpty();
        send(0, 1); // none was polled yet
        AsyncEvent.InProgressLimitReached reached = server().awaitEvent(AsyncEvent.InProgressLimitReached.class);
        assertThat(reached.queuePair()).isSameAs(receivers.getFirst());
        send(0, 1);
        awaitReceived(0, 5);
        assertThat(server().eventsOf(AsyncEvent.InProgressLimitReached.class))
                .as("once")
                .hasSize(1);
        server().next(7);
        send(0, 3);
        server().next(3);
        assertThat(server().eventsOf(AsyncEvent.InProgressLimitReached.class))
                .as("what was polled does not count")
                .hasSize(1);
    }

    private void awaitReceived(int connection, int count) {
        runUntil(
                "received",
                () -> receivers.get(connection).snapshot().counters().completions() == count);
    }

    @Test
    void anEmptySharedQueueEndsTheConnectionOfTheSender() {
        SharedReceiveQueue shared = connectShared(2, 8);
        send(0, 1);
        AsyncEvent.PeerError error = server().awaitEvent(AsyncEvent.PeerError.class);
        assertThat(error.queuePair()).isSameAs(receivers.getFirst());
        assertThat(error.detail().fact()).contains("no receive");
        post(shared, 0, 1);
        send(1, 1);
        server().expect(0);
    }

    @Test
    void receivesBelongToTheSharedQueue() {
        SharedReceiveQueue shared = connectShared(1, 4);
        assertRefused(VerbsError.INVALID_STATE, () -> server().queuePair().newReceiveRequests());
        assertThat(server().queuePair().config().sharedReceiveQueue()).containsSame(shared);
        assertRefused(VerbsError.IN_USE, shared::close);
        post(shared, 0, 4);
        assertThat(shared.newReceiveRequests().receive(9).post()).as("full").isZero();
        MemoryRegion region = server().memory(8);
        assertRefused(
                VerbsError.LIMIT_EXCEEDED,
                () -> shared.newReceiveRequests()
                        .receive(1)
                        .into(region, 0, 1)
                        .into(region, 1, 1)
                        .into(region, 2, 1));
        assertRefused(VerbsError.IN_USE, () -> server().domain.close());
        server().queuePair().close();
        shared.close();
        shared.close();
        assertRefused(
                VerbsError.CLOSED, () -> shared.newReceiveRequests().receive(1).post());
        UnaryOperator<QueuePairConfig.Builder> closedQueue = config -> config.sharedReceiveQueue(shared);
        assertRefused(VerbsError.CLOSED, () -> server().another(closedQueue));
        assertRefused(VerbsError.LIMIT_EXCEEDED, () -> server().domain.createSharedReceiveQueue(0, 1));
        assertRefused(VerbsError.LIMIT_EXCEEDED, () -> server().domain.createSharedReceiveQueue(1, 0));
    }
}
