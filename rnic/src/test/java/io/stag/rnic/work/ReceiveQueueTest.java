package io.stag.rnic.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stag.simnet.Conforms;
import io.stag.verbs.VerbsException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ReceiveQueueTest {

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5, 8, 9})
    @Conforms("VRB-020")
    void holdsAsManyAsItsDepthAlsoAfterManyRounds(int depth) {
        var fixture = new WorkFixture(depth);
        var spare = new ReceiveWork();
        long next = 0;
        for (int round = 0; round < 50; round++) {
            long first = next;
            while (fixture.receives.receive(next).post() == 1) {
                next++;
            }
            assertThat(next - first).isEqualTo(depth);
            assertThat(fixture.receiveQueue.size()).isEqualTo(depth);
            for (long id = first; id < next; id++) {
                spare = fixture.receiveQueue.take(spare);
                assertThat(spare.id).isEqualTo(id);
            }
            assertThat(fixture.receiveQueue.take(spare)).isNull();
        }
    }

    @Test
    void aSlotUsedAgainKeepsNoBuffers() {
        var fixture = new WorkFixture(2);
        var spare = new ReceiveWork();
        for (int i = 0; i < 5; i++) {
            fixture.receives.receive(i).into(fixture.region(), 0, 10).post();
            spare = fixture.receiveQueue.take(spare);
            assertThat(spare.buffers.count()).isEqualTo(1);
            assertThat(spare.buffers.total()).isEqualTo(10);
        }
        fixture.receives.receive(9).post();
        assertThat(fixture.receiveQueue.take(spare).buffers.count()).isZero();
    }

    @Test
    void aRefusedReceiveLeavesItsList() {
        var fixture = new WorkFixture(8);
        fixture.receives.receive(1).into(fixture.region(), 0, 10);
        assertThatThrownBy(() -> fixture.receives.receive(2).into(fixture.region(), 0, 101))
                .isInstanceOf(VerbsException.class);
        assertThatThrownBy(() -> fixture.receives.into(fixture.region(), 0, 1))
                .hasMessageContaining("start a receive first");
        assertThat(fixture.receives.receive(3).post()).isEqualTo(2);
        ReceiveWork first = fixture.receiveQueue.take(new ReceiveWork());
        assertThat(first.id).isEqualTo(1);
        assertThat(first.buffers.total()).isEqualTo(10);
        assertThat(fixture.receiveQueue.take(new ReceiveWork()).id).isEqualTo(3);
    }

    @Test
    void aTakenReceiveBelongsToItsTakerUntilItIsGivenBack() {
        var fixture = new WorkFixture(2);
        fixture.receives.receive(1).into(fixture.region(), 0, 10).post();
        ReceiveWork taken = fixture.receiveQueue.take(new ReceiveWork());
        for (int i = 2; i < 10; i++) {
            fixture.receives.receive(i).post();
            fixture.receiveQueue.take(new ReceiveWork());
        }
        assertThat(taken.id).isEqualTo(1);
        assertThat(taken.buffers.total()).isEqualTo(10);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5, 8, 9})
    void aReceiveThatIsPutBackIsTheFirstAgainAlsoWhenTheQueueIsFull(int depth) {
        var fixture = new WorkFixture(depth);
        ReceiveQueue queue = fixture.receiveQueue;
        for (int i = 0; i < depth; i++) {
            fixture.receives.receive(i).into(fixture.region(), 0, 10 + i).post();
        }
        List<ReceiveWork> taken = new ArrayList<>();
        for (int i = 0; i < depth; i++) {
            taken.add(queue.take(new ReceiveWork()));
            fixture.receives.receive(depth + i).post();
        }
        for (ReceiveWork work : taken.reversed()) {
            queue.putBack(work);
        }
        assertThat(queue.size()).isEqualTo(2 * depth);
        ReceiveWork spare = new ReceiveWork();
        for (int id = 0; id < 2 * depth; id++) {
            assertThat(fixture.receives.receive(100).post())
                    .as("there is room for others below the depth")
                    .isEqualTo(id > depth ? 1 : 0);
            spare = queue.take(spare);
            assertThat(spare.id).isEqualTo(id);
            assertThat(spare.buffers.total()).isEqualTo(id < depth ? 10 + id : 0);
        }
    }

    @Test
    void whoPutsAReceiveBackGetsTheSpareThatItLeft() {
        var fixture = new WorkFixture(4);
        fixture.receives.receive(1).post();
        ReceiveWork spare = new ReceiveWork();
        ReceiveWork taken = fixture.receiveQueue.take(spare);
        assertThat(fixture.receiveQueue.putBack(taken)).isSameAs(spare);
        assertThat(fixture.receiveQueue.take(spare)).isSameAs(taken);
    }

    @Test
    void reportsALimitOncePerArming() {
        var fixture = new WorkFixture(8);
        ReceiveQueue queue = fixture.receiveQueue;
        for (int i = 0; i < 5; i++) {
            fixture.receives.receive(i);
        }
        fixture.receives.post();
        queue.armLimit(3);
        List<Boolean> reached = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            queue.take(new ReceiveWork());
            reached.add(queue.limitReached());
        }
        assertThat(reached).containsExactly(false, false, true, false);
    }

    @Test
    void drainsInOrder() {
        var fixture = new WorkFixture(8);
        fixture.receives.receive(1).receive(2).receive(3).post();
        List<Long> drained = new ArrayList<>();
        fixture.receiveQueue.drain(work -> drained.add(work.id));
        assertThat(drained).containsExactly(1L, 2L, 3L);
        assertThat(fixture.receiveQueue.size()).isZero();
        fixture.receives.receive(4).post();
        assertThat(fixture.receiveQueue.take(new ReceiveWork()).id).isEqualTo(4);
    }

    @ParameterizedTest
    @CsvSource({"1, 8", "1, 1", "3, 8", "3, 1"})
    void nothingIsLostOrTakenTwiceWhileOthersPost(int agents, int depth) throws Exception {
        int posters = 2;
        int each = 20_000;
        var fixture = new WorkFixture(depth, agents > 1);
        AtomicIntegerArray times = new AtomicIntegerArray(posters * each);
        AtomicInteger posting = new AtomicInteger(posters);
        try (ExecutorService threads = Executors.newCachedThreadPool()) {
            List<Future<?>> takers = new ArrayList<>();
            for (int agent = 0; agent < agents; agent++) {
                takers.add(threads.submit(() -> take(fixture.receiveQueue, times, posting)));
            }
            for (int poster = 0; poster < posters; poster++) {
                int first = poster * each;
                var receives = fixture.newReceives();
                threads.submit(() -> {
                    for (int id = first;
                            id < first + each && !Thread.currentThread().isInterrupted(); ) {
                        id += receives.receive(id).post();
                    }
                    posting.decrementAndGet();
                });
            }
            try {
                for (Future<?> taker : takers) {
                    taker.get();
                }
            } finally {
                threads.shutdownNow(); // without takers the posters would wait for room
            }
        }
        for (int id = 0; id < posters * each; id++) {
            assertThat(times.get(id)).as("receive %d", id).isEqualTo(1);
        }
        assertThat(fixture.receiveQueue.size()).isZero();
    }

    private static void take(ReceiveQueue queue, AtomicIntegerArray times, AtomicInteger posting) {
        ReceiveWork spare = new ReceiveWork();
        for (int turn = 0; posting.get() > 0 || queue.size() > 0; turn++) {
            ReceiveWork work = queue.take(spare);
            if (work == null) {
                Thread.onSpinWait();
            } else if (turn % 7 == 0) { // its message came to nothing
                ReceiveWork back = queue.putBack(work);
                spare = back == null ? new ReceiveWork() : back;
            } else {
                times.incrementAndGet((int) work.id);
                spare = work;
            }
        }
    }

    @Test
    void misuseIsRefused() {
        var fixture = new WorkFixture(4);
        assertThatThrownBy(() -> fixture.receives.into(fixture.region(), 0, 1)).isInstanceOf(VerbsException.class);
        for (int i = 0; i < 4; i++) {
            fixture.receives.receive(i);
        }
        assertThatThrownBy(() -> fixture.receives.receive(4)).isInstanceOf(VerbsException.class);
        fixture.closed = true;
        assertThatThrownBy(fixture.receives::post).isInstanceOf(VerbsException.class);
        assertThat(fixture.receiveQueue.size()).isZero();
    }
}
