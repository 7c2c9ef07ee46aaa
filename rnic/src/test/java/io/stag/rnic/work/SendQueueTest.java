package io.stag.rnic.work;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SendQueueTest {

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5, 8, 9})
    void holdsAsManyAsItsDepthAlsoAfterManyRounds(int depth) {
        var fixture = new WorkFixture(depth);
        long next = 0;
        for (int round = 0; round < 50; round++) {
            long first = next;
            while (fixture.sends.send(next).post() == 1) {
                next++;
            }
            assertThat(next - first).isEqualTo(depth);
            for (long id = first; id < next; id++) {
                assertThat(fixture.sendQueue.peekNext().id).isEqualTo(id);
                fixture.sendQueue.started();
            }
            assertThat(fixture.sendQueue.peekNext()).isNull();
            for (long id = first; id < next; id++) {
                assertThat(fixture.sendQueue.oldestStarted().id).isEqualTo(id);
                fixture.sendQueue.retire();
            }
            assertThat(fixture.sendQueue.size()).isZero();
        }
    }

    @Test
    void tellsWhatIsUnderWay() {
        var fixture = new WorkFixture(4);
        SendQueue queue = fixture.sendQueue;
        fixture.sends.send(1).send(2).post();
        assertThat(queue.nothingUnderWay()).isTrue();
        assertThat(queue.oldestStarted()).isNull();
        queue.started();
        assertThat(queue.nothingUnderWay()).isFalse();
        assertThat(queue.oldestStarted().id).isEqualTo(1);
        assertThat(queue.peekNext().id).isEqualTo(2);
        queue.retire();
        assertThat(queue.nothingUnderWay()).isTrue();
    }

    @Test
    void requestsCanBeFlushedBeforeTheyStart() {
        var fixture = new WorkFixture(4);
        SendQueue queue = fixture.sendQueue;
        fixture.sends.send(1).send(2).send(3).post();
        queue.started();
        List<Long> flushed = new ArrayList<>();
        for (SendWork work = queue.oldest(); work != null; work = queue.oldest()) {
            flushed.add(work.id);
            queue.retire();
        }
        assertThat(flushed).containsExactly(1L, 2L, 3L);
        fixture.sends.send(4).post();
        assertThat(queue.peekNext().id).isEqualTo(4);
    }

    @Test
    void manyThreadsPostWithoutLossAndEachInItsOrder() throws InterruptedException {
        int posters = 3;
        int each = 20_000;
        var fixture = new WorkFixture(16);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < posters; i++) {
            long poster = (long) i << 32;
            threads.add(Thread.ofPlatform().name("stag-test-poster-" + i).start(() -> {
                var list = new SendList(fixture.sendQueue, fixture);
                for (int n = 0; n < each; ) {
                    int taken = list.send(poster + n).send(poster + n + 1).post();
                    n += taken;
                    if (taken == 0) {
                        Thread.onSpinWait();
                    }
                }
            }));
        }
        int[] next = new int[posters];
        for (int taken = 0; taken < posters * each; ) {
            SendWork work = fixture.sendQueue.peekNext();
            if (work == null) {
                Thread.onSpinWait();
                continue;
            }
            int poster = (int) (work.id >>> 32);
            int number = (int) work.id;
            assertThat(number).isEqualTo(next[poster]++);
            fixture.sendQueue.started();
            fixture.sendQueue.retire();
            taken += number < each ? 1 : 0;
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }
}
