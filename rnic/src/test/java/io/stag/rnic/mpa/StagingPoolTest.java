package io.stag.rnic.mpa;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class StagingPoolTest {
    private static final int MANY = 20;

    private final StagingPool pool = new StagingPool();

    @Test
    void countsBuffersInUseAndTheMemoryOfAll() {
        assertThat(pool.leased()).isZero();
        assertThat(pool.octets()).isZero();
        StagingBuffer buffer = pool.lease();
        assertThat(pool.leased()).isEqualTo(1);
        assertThat(pool.octets()).isEqualTo(StagingPool.WORKING_CAPACITY);
        pool.release(buffer);
        assertThat(pool.leased()).isZero();
        assertThat(pool.octets()).as("one is kept").isEqualTo(StagingPool.WORKING_CAPACITY);
    }

    /** Otherwise it would be chance how fast the kernel copies. */
    @Test
    void buffersBeginAtAPage() {
        for (int octets : new int[] {1, StagingPool.FPDU_CAPACITY + 1, StagingPool.LARGE_CAPACITY}) {
            StagingBuffer buffer = pool.leaseFor(octets);
            assertThat(buffer.address() % 4096).as("%d octets", octets).isZero();
            assertThat(buffer.segment().byteSize()).isEqualTo(buffer.capacity());
        }
    }

    @Test
    void manyStreamsThatStopWithFullBuffersGetSmallOnes() {
        List<StagingBuffer> kept = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            StagingBuffer buffer = pool.lease();
            buffer.append(buffer.room());
            kept.add(pool.settle(buffer));
        }
        assertThat(pool.octets()).isLessThan(1_000L * StagingPool.FPDU_CAPACITY + 32L * StagingPool.WORKING_CAPACITY);
        kept.forEach(pool::release);
        assertThat(pool.leased()).isZero();
        assertThat(pool.lease().capacity()).isEqualTo(StagingPool.WORKING_CAPACITY);
    }

    @Test
    void streamsWithMuchToSendGetLargeBuffersAsLongAsFewHoldThem() {
        List<StagingBuffer> kept = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            StagingBuffer buffer = pool.lease(StagingPool.WORKING_CAPACITY + 1);
            assertThat(buffer.capacity())
                    .isEqualTo(
                            i < 8
                                    ? StagingPool.LARGE_CAPACITY
                                    : i < 40 ? StagingPool.WORKING_CAPACITY : StagingPool.FPDU_CAPACITY);
            buffer.append(buffer.room());
            kept.add(pool.settle(buffer));
        }
        assertThat(pool.octets())
                .isEqualTo(kept.stream().mapToLong(StagingBuffer::capacity).sum());
        kept.forEach(pool::release);
        assertThat(pool.leased()).isZero();
        assertThat(pool.octets())
                .as("few large ones are kept")
                .isLessThan(3L * StagingPool.LARGE_CAPACITY
                        + 8L * (StagingPool.WORKING_CAPACITY + StagingPool.FPDU_CAPACITY));
        assertThat(pool.lease(StagingPool.WORKING_CAPACITY).capacity()).isEqualTo(StagingPool.WORKING_CAPACITY);
    }

    @Test
    void theRestThatAStreamCouldNotSendGetsABufferThatJustHoldsIt() {
        assertThat(pool.leaseFor(StagingPool.FPDU_CAPACITY).capacity()).isEqualTo(StagingPool.FPDU_CAPACITY);
        assertThat(pool.leaseFor(StagingPool.FPDU_CAPACITY + 1).capacity()).isEqualTo(StagingPool.WORKING_CAPACITY);
        assertThat(pool.leaseFor(StagingPool.WORKING_CAPACITY + 1).capacity()).isEqualTo(StagingPool.LARGE_CAPACITY);
        assertThat(pool.leaseFor(StagingPool.LARGE_CAPACITY).capacity()).isEqualTo(StagingPool.LARGE_CAPACITY);
    }

    @Test
    void manyStreamsThatStopHoldSmallBuffers() {
        List<StagingBuffer> kept = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            StagingBuffer buffer = pool.lease();
            buffer.append(10);
            kept.add(pool.settle(buffer));
        }
        assertThat(pool.leased()).isEqualTo(MANY);
        long held = kept.stream().mapToLong(StagingBuffer::capacity).sum();
        assertThat(pool.octets()).isEqualTo(held + StagingPool.WORKING_CAPACITY); // the last one is free again
        assertThat(held).isLessThan((long) MANY * StagingPool.WORKING_CAPACITY);
        kept.forEach(pool::release);
        assertThat(pool.leased()).isZero();
    }
}
