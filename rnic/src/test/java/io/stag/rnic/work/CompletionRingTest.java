package io.stag.rnic.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.simnet.Conforms;
import io.stag.verbs.CompletionStatus;
import io.stag.verbs.DatagramInfo;
import io.stag.verbs.ErrorDetail;
import io.stag.verbs.Operation;
import io.stag.verbs.WorkCompletions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CompletionRingTest {
    private static final class Owner implements CompletionOwner {
        private final int id;
        private final List<Operation> polled = new ArrayList<>();

        Owner(int id) {
            this.id = id;
        }

        @Override
        public int id() {
            return id;
        }

        @Override
        public void completionPolled(Operation operation) {
            polled.add(operation);
        }
    }

    private final Owner owner = new Owner(5);

    @Test
    @Conforms("DG-017")
    void mapsOfRecordsStayNoLongerThanTheirRecords() {
        var ring = new CompletionRing(1);
        var batch = WorkCompletions.ofCapacity(1);
        var info = new DatagramInfo();
        for (int round = 0; round < 4; round++) {
            long[] map = {1L << round};
            info.setMessage(1, 0, 1_000, 64);
            info.exchangeBits(map);
            ring.add(0, CompletionStatus.SUCCESS, Operation.WRITE_RECORD, owner, 64, 0, 0, 0, null, info);
            assertThat(info.exchangeBits(map)).as("what the ring kept").isEmpty();
            info.exchangeBits(new long[0]);
            batch.clear();
            ring.poll(batch);
            assertThat(batch.datagram(0).nextValid(0)).isEqualTo(64 * round);
        }
        info.setMessage(1, 0, 64, 64);
        ring.add(0, CompletionStatus.SUCCESS, Operation.WRITE_RECORD, owner, 64, 0, 0, 0, null, info);
        batch.clear();
        ring.poll(batch);
        assertThat(batch.datagram(0).isComplete()).isTrue();
        assertThat(batch.datagram(0).exchangeBits(new long[0]))
                .as("what the batch kept")
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5, 8, 9})
    void holdsAsManyAsItsCapacityAlsoAfterManyRounds(int capacity) {
        var ring = new CompletionRing(capacity);
        var batch = WorkCompletions.ofCapacity(capacity);
        long next = 0;
        for (int round = 0; round < 50; round++) {
            long first = next;
            while (add(ring, next)) {
                next++;
            }
            assertThat(next - first).isEqualTo(capacity);
            batch.clear();
            assertThat(ring.poll(batch)).isEqualTo(capacity);
            for (int i = 0; i < capacity; i++) {
                assertThat(batch.id(i)).isEqualTo(first + i);
            }
            assertThat(ring.isEmpty()).isTrue();
            assertThat(ring.poll(batch)).isZero();
        }
    }

    @Test
    void keepsEveryFieldAndTellsTheOwner() {
        var ring = new CompletionRing(4);
        ErrorDetail detail = ErrorDetail.of(ErrorDetail.Layer.DDP, "RFC 5041 §7.1", "because");
        ring.add(
                7,
                CompletionStatus.LOC_LEN_ERR,
                Operation.RECEIVE,
                owner,
                99,
                WorkCompletions.SOLICITED | WorkCompletions.WITH_IMMEDIATE | WorkCompletions.WITH_INVALIDATE,
                -3,
                0x1234,
                detail);
        var batch = WorkCompletions.ofCapacity(4);
        ring.poll(batch);
        assertThat(batch.id(0)).isEqualTo(7);
        assertThat(batch.status(0)).isEqualTo(CompletionStatus.LOC_LEN_ERR);
        assertThat(batch.operation(0)).isEqualTo(Operation.RECEIVE);
        assertThat(batch.queuePairId(0)).isEqualTo(5);
        assertThat(batch.length(0)).isEqualTo(99);
        assertThat(batch.isSolicited(0) && batch.hasImmediate(0) && batch.hasInvalidatedStag(0))
                .isTrue();
        assertThat(batch.immediate(0)).isEqualTo(-3);
        assertThat(batch.invalidatedStag(0)).isEqualTo(0x1234);
        assertThat(batch.detail(0)).isSameAs(detail);
        assertThat(owner.polled).containsExactly(Operation.RECEIVE);
    }

    @Test
    void fillsWhatIsLeftOfABatchAndKeepsTheRest() {
        var ring = new CompletionRing(8);
        for (int i = 0; i < 5; i++) {
            add(ring, i);
        }
        var batch = WorkCompletions.ofCapacity(3);
        assertThat(ring.poll(batch)).isEqualTo(3);
        assertThat(ring.poll(batch)).as("full").isZero();
        batch.clear();
        assertThat(ring.poll(batch)).isEqualTo(2);
        assertThat(batch.id(0)).isEqualTo(3);
    }

    @Test
    void manyAgentsAndPollersLoseAndRepeatNothing() throws InterruptedException {
        int agents = 2;
        int each = 50_000;
        var ring = new CompletionRing(64);
        var counts = new AtomicIntegerArray(agents * each);
        var left = new AtomicInteger(agents * each);
        CompletionOwner quiet = new CompletionOwner() {
            @Override
            public int id() {
                return 1;
            }

            @Override
            public void completionPolled(Operation operation) {}
        };
        List<Thread> threads = new ArrayList<>();
        for (int a = 0; a < agents; a++) {
            int base = a * each;
            threads.add(Thread.ofPlatform().name("stag-test-agent-" + a).start(() -> {
                for (int n = 0; n < each; ) {
                    if (ring.add(base + n, CompletionStatus.SUCCESS, Operation.SEND, quiet, 0, 0, 0, 0, null)) {
                        n++;
                    } else {
                        Thread.onSpinWait();
                    }
                }
            }));
        }
        for (int p = 0; p < 2; p++) {
            threads.add(Thread.ofPlatform().name("stag-test-poller-" + p).start(() -> {
                var batch = WorkCompletions.ofCapacity(7);
                while (left.get() > 0) {
                    batch.clear();
                    int taken = ring.poll(batch);
                    for (int i = 0; i < taken; i++) {
                        counts.incrementAndGet((int) batch.id(i));
                    }
                    left.addAndGet(-taken);
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        for (int i = 0; i < agents * each; i++) {
            assertThat(counts.get(i)).isEqualTo(1);
        }
        assertThat(ring.isEmpty()).isTrue();
    }

    private boolean add(CompletionRing ring, long id) {
        return ring.add(id, CompletionStatus.SUCCESS, Operation.SEND, owner, 0, 0, 0, 0, null);
    }
}
