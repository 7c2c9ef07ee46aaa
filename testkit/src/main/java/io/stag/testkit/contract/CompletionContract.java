package io.stag.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.simnet.Conforms;
import io.stag.verbs.Access;
import io.stag.verbs.AsyncEvent;
import io.stag.verbs.CompletionChannel;
import io.stag.verbs.CompletionQueue;
import io.stag.verbs.CompletionQueue.NotifyOn;
import io.stag.verbs.CompletionStatus;
import io.stag.verbs.ErrorDetail;
import io.stag.verbs.MemoryRegion;
import io.stag.verbs.Operation;
import io.stag.verbs.QueuePair;
import io.stag.verbs.QueuePairConfig;
import io.stag.verbs.QueuePairState;
import io.stag.verbs.SendRequests;
import io.stag.verbs.VerbsError;
import io.stag.verbs.WorkCompletions;
import io.stag.verbs.cm.ConnectionConfig;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Completion queues, their channels, and what completions say. */
public abstract class CompletionContract extends ProviderContract {

    /** For subclasses. */
    protected CompletionContract() {}

    // polling

    @Test
    void aPollTakesAsManyAsTheBatchHolds() {
        connect();
        for (int i = 0; i < 10; i++) {
            client().requests().write(i, 0, 0);
        }
        client().requests().post();
        runUntil(
                "all are complete",
                () -> client().queuePair().snapshot().counters().completions() == 10);

        WorkCompletions batch = WorkCompletions.ofCapacity(4);
        List<Long> ids = new ArrayList<>();
        for (int expected : new int[] {4, 4, 2, 0}) {
            assertThat(client().queue.poll(batch)).isEqualTo(expected);
            assertThat(batch.size()).isEqualTo(expected);
            for (int i = 0; i < batch.size(); i++) {
                ids.add(batch.id(i));
                assertThat(batch.isSuccess(i)).isTrue();
            }
        }
        assertThat(ids).containsExactly(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L);
        assertThat(batch.capacity()).isEqualTo(4);
    }

    @Test
    void threadsThatWaitForOneQueueGetNothingOnlyWhenTheTimeRanOut() {
        assume(ContractFixture.Feature.WAITING_THREADS);
        connect();
        WaitingThreads threads = new WaitingThreads(() -> {
            WorkCompletions batch = WorkCompletions.ofCapacity(1);
            return () -> client().queue.await(batch, WaitingThreads.LONG) > 0;
        });
        for (int i = 1; i <= 100; i++) {
            int expected = i;
            client().requests().write(i, 0, 0).post();
            runUntil("a thread has taken completion " + i, () -> threads.taken() == expected);
        }
        client().queuePair().close();
        client().queue.close();
        threads.expectNoneEmptyHanded();
    }

    @Conforms("VRB-021")
    @Test
    void completionsComeInTheOrderOfPosting() {
        connect();
        MemoryRegion local = client().memory(2_000);
        MemoryRegion remote = server().memory(2_000);
        server().postEmptyReceives(0, 10);
        for (int i = 0; i < 40; i += 4) {
            client().requests()
                    .read(i, remote.stag(), 0)
                    .into(local, 0, 2_000)
                    .send(i + 1)
                    .fetchAdd(i + 2, remote.stag(), 0, 1)
                    .into(local, 0, 8)
                    .write(i + 3, remote.stag(), 0)
                    .from(local, 0, 10);
        }
        client().requests().post();
        for (int i = 0; i < 40; i++) {
            client().expect(i);
        }
    }

    @Conforms("VRB-017")
    @Test
    void unsignalledRequestsCompleteOnlyInError() {
        connect();
        for (int i = 0; i < 10; i++) {
            client().requests().write(i, 0, 0).unsignaled();
        }
        client().requests().write(10, 0, 0).post();
        client().expect(10);
        client().expectNothingMore();
        assertThat(client().queuePair().snapshot().sendQueueDepth()).isZero();

        MemoryRegion writeOnly = client().memory(8, EnumSet.of(Access.LOCAL_WRITE));
        client().requests()
                .write(11, 0, 0)
                .unsignaled()
                .send(12)
                .from(writeOnly, 0, 8)
                .unsignaled()
                .send(13)
                .unsignaled()
                .post();
        Completion failed = client().next();
        if (failed.id() == 11) { // it may have been flushed too, if the stream had not taken it
            assertThat(failed.status()).isEqualTo(CompletionStatus.WR_FLUSH_ERR);
            failed = client().next();
        }
        assertThat(failed.id()).isEqualTo(12);
        assertThat(failed.status()).isEqualTo(CompletionStatus.LOC_ACCESS_ERR);
        client().expect(13, CompletionStatus.WR_FLUSH_ERR);
        client().expectNothingMore();
    }

    /** A send queue of unsignalled requests is usable for ever if one in each round is signalled. */
    @Test
    void unsignalledRequestsFreeTheirSlots() {
        client().create(config -> config.sendDepth(4));
        connect();
        for (int round = 0; round < 10; round++) {
            int posted = client().requests()
                    .write(1, 0, 0)
                    .unsignaled()
                    .write(2, 0, 0)
                    .unsignaled()
                    .write(3, 0, 0)
                    .unsignaled()
                    .write(100 + round, 0, 0)
                    .post();
            assertThat(posted).isEqualTo(4);
            client().expect(100 + round);
        }
    }

    @Test
    void sendAndReceiveMayReportToDifferentQueues() {
        CompletionQueue sendQueue = client().rnic.createCompletionQueue(16);
        CompletionQueue receiveQueue = client().rnic.createCompletionQueue(16);
        QueuePair queuePair = client().use(client().domain
                .createQueuePair(
                        QueuePairConfig.builder(sendQueue, receiveQueue).build()));
        connect();
        client().postEmptyReceives(5, 1);
        server().postEmptyReceives(6, 1);
        client().requests().send(7).post();
        server().requests().send(8).post();
        server().next(2);

        WorkCompletions batch = WorkCompletions.ofCapacity(4);
        runUntil("the send", () -> sendQueue.poll(batch) > 0);
        assertThat(batch.size()).isEqualTo(1);
        assertThat(batch.id(0)).isEqualTo(7);
        runUntil("the receive", () -> receiveQueue.poll(batch) > 0);
        assertThat(batch.id(0)).isEqualTo(5);
        assertThat(batch.operation(0)).isEqualTo(Operation.RECEIVE);
        assertThat(batch.describe(0)).contains("id 5");
        assertThat(queuePair.config().sendCompletionQueue()).isSameAs(sendQueue);
        assertRefused(VerbsError.IN_USE, sendQueue::close);
        assertRefused(VerbsError.IN_USE, receiveQueue::close);
        queuePair.close();
        sendQueue.close();
        receiveQueue.close();
        assertRefused(VerbsError.CLOSED, () -> sendQueue.poll(batch));
    }

    @Test
    void severalQueuePairsShareAQueue() {
        List<QueuePair> active = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            active.add(client().use(client().another(config -> config)));
            server().use(server().another(config -> config));
            connect(client(), server(), ConnectionConfig.defaults(), ConnectionConfig.defaults());
        }
        for (QueuePair queuePair : active) {
            SendRequests list = queuePair.newSendRequests();
            for (int i = 0; i < 5; i++) {
                list.write(i, 0, 0);
            }
            list.post();
        }
        List<Completion> completions = client().next(15);
        for (QueuePair queuePair : active) {
            assertThat(completions.stream().filter(c -> c.queuePairId() == queuePair.id()))
                    .extracting(Completion::id)
                    .containsExactly(0L, 1L, 2L, 3L, 4L);
        }
    }

    // notification

    private record Notified(CompletionChannel channel, CompletionQueue queue) {}

    /** The server gets a queue with a channel. */
    private Notified connectNotified() {
        CompletionChannel channel = server().rnic.createCompletionChannel();
        CompletionQueue queue = server().rnic.createCompletionQueue(64, channel);
        server().use(server().domain
                .createQueuePair(QueuePairConfig.builder(queue).build()));
        connect();
        return new Notified(channel, queue);
    }

    private static int drain(CompletionQueue queue) {
        WorkCompletions batch = WorkCompletions.ofCapacity(16);
        int total = 0;
        int count = queue.poll(batch);
        while (count > 0) {
            total += count;
            count = queue.poll(batch);
        }
        return total;
    }

    private void awaitNotification(Notified notified) {
        Holder<CompletionQueue> fired = new Holder<>();
        runUntil("a notification", () -> fired.take(notified.channel().poll()));
        assertThat(fired.get()).isSameAs(notified.queue());
    }

    /** The client's Sends, and all of them received. */
    private void deliver(Notified notified, boolean... solicited) {
        long before = server().queuePair().snapshot().counters().completions();
        server().postEmptyReceives(0, solicited.length);
        for (boolean wakes : solicited) {
            client().requests().send(1);
            if (wakes) {
                client().requests().solicited();
            }
        }
        client().requests().post();
        client().next(solicited.length);
        runUntil(
                "all are received",
                () -> server().queuePair().snapshot().counters().completions() == before + solicited.length);
        assertThat(notified.queue().capacity()).isEqualTo(64);
    }

    @Conforms("VRB-024")
    @Test
    void anArmedQueueNotifiesOnce() {
        Notified notified = connectNotified();
        deliver(notified, false);
        assertThat(notified.channel().poll()).as("not armed").isEmpty();

        notified.queue().arm(NotifyOn.NEXT);
        assertThat(notified.channel().poll())
                .as("what is there already does not count")
                .isEmpty();
        assertThat(drain(notified.queue())).isEqualTo(1);
        deliver(notified, false, false);
        awaitNotification(notified);
        assertThat(notified.channel().poll()).as("once").isEmpty();
        assertThat(drain(notified.queue())).isEqualTo(2);

        deliver(notified, false);
        assertThat(notified.channel().poll()).as("not armed again").isEmpty();
        notified.queue().arm(NotifyOn.NEXT);
        notified.queue().arm(NotifyOn.NEXT);
        deliver(notified, false);
        awaitNotification(notified);
        assertThat(notified.channel().poll()).as("armed twice is armed once").isEmpty();
    }

    @Conforms({"VRB-024", "RDMAP-042"})
    @Test
    void aQueueArmedForSolicitedMessagesIgnoresOthers() {
        Notified notified = connectNotified();
        notified.queue().arm(NotifyOn.NEXT_SOLICITED);
        deliver(notified, false, false);
        assertThat(notified.channel().poll()).isEmpty();
        deliver(notified, false, true);
        awaitNotification(notified);

        notified.queue().arm(NotifyOn.NEXT_SOLICITED);
        notified.queue().arm(NotifyOn.NEXT);
        notified.queue().arm(NotifyOn.NEXT_SOLICITED);
        deliver(notified, false);
        awaitNotification(notified); // NEXT wins
    }

    @Conforms("VRB-024")
    @Test
    void anErrorWakesWhoWaitsForSolicitedMessages() {
        Notified notified = connectNotified();
        server().postEmptyReceives(0, 1);
        notified.queue().arm(NotifyOn.NEXT_SOLICITED);
        client().connection().abort();
        awaitNotification(notified);
        assertThat(drain(notified.queue())).isEqualTo(1);
    }

    /** Poll, arm, poll again, wait: nothing is missed however the completions fall. */
    @Conforms("VRB-024")
    @Test
    void pollArmPollNeverMissesACompletion() {
        Notified notified = connectNotified();
        int total = 60;
        int[] received = {0};
        server().postEmptyReceives(0, total);
        for (int i = 0; i < total; i++) {
            client().requests().send(i).unsignaled();
        }
        assertThat(client().requests().post()).isEqualTo(total);

        while (received[0] < total) {
            received[0] += drain(notified.queue());
            notified.queue().arm(NotifyOn.NEXT);
            int late = drain(notified.queue());
            received[0] += late;
            if (late == 0 && received[0] < total) {
                awaitNotification(notified);
            }
        }
        assertThat(received[0]).isEqualTo(total);
    }

    @Test
    void aChannelServesSeveralQueues() {
        CompletionChannel channel = client().rnic.createCompletionChannel();
        CompletionQueue one = client().rnic.createCompletionQueue(8, channel);
        CompletionQueue two = client().rnic.createCompletionQueue(8, channel);
        client().use(client().domain
                .createQueuePair(QueuePairConfig.builder(one, two).build()));
        connect();
        one.arm(NotifyOn.NEXT);
        two.arm(NotifyOn.NEXT);
        client().postEmptyReceives(1, 1);
        server().requests().send(1).post();
        client().requests().write(1, 0, 0).post();
        List<CompletionQueue> fired = new ArrayList<>();
        runUntil("both notify", () -> {
            channel.poll().ifPresent(fired::add);
            return fired.size() == 2;
        });
        assertThat(fired).containsExactlyInAnyOrder(one, two);

        assertRefused(VerbsError.IN_USE, channel::close);
        client().queuePair().close();
        one.close();
        two.close();
        channel.close();
        assertRefused(VerbsError.CLOSED, channel::poll);
    }

    @Test
    void threadsThatWaitForOneChannelGetNothingOnlyWhenTheTimeRanOut() {
        assume(ContractFixture.Feature.WAITING_THREADS);
        Notified notified = connectNotified();
        WaitingThreads threads = new WaitingThreads(
                () -> () -> notified.channel().await(WaitingThreads.LONG).isPresent());
        for (int i = 1; i <= 50; i++) {
            int expected = i;
            notified.queue().arm(NotifyOn.NEXT);
            deliver(notified, false);
            runUntil("a thread has taken notification " + i, () -> threads.taken() == expected);
            drain(notified.queue());
        }
        server().queuePair().close();
        notified.queue().close();
        notified.channel().close();
        threads.expectNoneEmptyHanded();
    }

    @Test
    void notificationsThatNobodyTakesAreOneForEachQueue() {
        Notified notified = connectNotified();
        CompletionQueue closed = server().rnic.createCompletionQueue(8, notified.channel());
        QueuePair other =
                server().domain.createQueuePair(QueuePairConfig.builder(closed).build());
        other.newReceiveRequests().receive(1).post();
        closed.arm(NotifyOn.NEXT);
        other.modify(QueuePairState.ERROR);
        other.close();
        closed.close();
        for (int i = 0; i < 5; i++) {
            notified.queue().arm(NotifyOn.NEXT);
            deliver(notified, false);
            assertThat(drain(notified.queue())).isEqualTo(1);
        }
        awaitNotification(notified);
        assertThat(notified.channel().poll()).isEmpty();
        notified.queue().arm(NotifyOn.NEXT);
        deliver(notified, false);
        awaitNotification(notified);
    }

    @Test
    void aQueueWithoutChannelCannotBeArmed() {
        assertRefused(VerbsError.INVALID_STATE, () -> client().queue.arm(NotifyOn.NEXT));
    }

    // overflow

    @Conforms("SEC-010")
    @Test
    void anOverflowHurtsOnlyTheQueuePairsOfThatQueue() {
        connect(); // with a queue that is large enough
        Peer unhurt = client();
        QueuePair good = client().queuePair();
        QueuePair goodServer = server().queuePair();
        CompletionQueue tiny = client().rnic.createCompletionQueue(2);
        client().use(client().domain
                .createQueuePair(QueuePairConfig.builder(tiny).build()));
        server().use(server().another(config -> config));
        connect(client(), server(), ConnectionConfig.defaults(), ConnectionConfig.defaults());
        QueuePair bad = client().queuePair();

        for (int i = 0; i < 5; i++) {
            client().requests().write(i, 0, 0);
        }
        client().requests().post();
        AsyncEvent.CompletionQueueFailed failed = client().awaitEvent(AsyncEvent.CompletionQueueFailed.class);
        assertThat(failed.completionQueue()).isSameAs(tiny);
        assertThat(failed.detail().fact()).contains("2");
        client().awaitState(QueuePairState.ERROR);
        server().awaitState(QueuePairState.ERROR);
        assertThat(bad.firstCause()).isPresent();
        assertThat(client().rnic.snapshot().completionQueueOverflows()).isPositive();
        WorkCompletions batch = WorkCompletions.ofCapacity(8);
        assertThat(tiny.poll(batch)).as("what fitted is not lost").isEqualTo(2);
        assertThat(batch.id(0)).isZero();
        assertThat(batch.id(1)).isEqualTo(1);

        assertThat(good.state()).isEqualTo(QueuePairState.RTS);
        goodServer.newReceiveRequests().receive(9).post();
        good.newSendRequests().send(1).post();
        unhurt.expect(1);
        server().expect(9);
    }

    // flushing

    @Conforms({"VRB-007", "RDMAP-052"})
    @Test
    void flushedRequestsNameTheFirstCause() {
        connect();
        MemoryRegion readOnly = client().memory(8, EnumSet.of(Access.LOCAL_READ));
        client().postEmptyReceives(100, 2);
        client().requests()
                .read(1, 0x1234, 0)
                .into(readOnly, 0, 8) // no right to write
                .send(2)
                .write(3, 0, 0)
                .fetchAdd(4, 0, 0, 0)
                .into(readOnly, 0, 8)
                .post();

        Completion first = client().expect(1, CompletionStatus.LOC_ACCESS_ERR);
        ErrorDetail cause = first.cause();
        List<Completion> flushed = client().next(5);
        assertThat(flushed).extracting(Completion::status).containsOnly(CompletionStatus.WR_FLUSH_ERR);
        assertThat(flushed).extracting(Completion::cause).containsOnly(cause);
        assertThat(flushed).extracting(Completion::id).containsExactlyInAnyOrder(2L, 3L, 4L, 100L, 101L);
        assertThat(client().queuePair().firstCause()).contains(cause);
        assertThat(flushed.stream().filter(c -> c.id() == 4))
                .extracting(Completion::operation)
                .containsExactly(Operation.FETCH_ADD);
        client().expectNothingMore();
        client().awaitState(QueuePairState.ERROR);
    }
}
