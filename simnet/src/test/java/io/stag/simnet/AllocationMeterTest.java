package io.stag.simnet;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class AllocationMeterTest {
    private static volatile Object sink = "";

    @Test
    void countsWhatTheWorkAllocates() {
        var meter = new AllocationMeter();
        Runnable work = () -> sink = new byte[1000];
        for (int i = 0; i < 10; i++) {
            work.run();
        }
        assertThat(meter.octetsAllocatedBy(work)).isBetween(1_008L, 1_024L);
    }

    @Test
    void countsNothingForWorkThatAllocatesNothing() {
        var meter = new AllocationMeter();
        int[] counter = new int[1];
        Runnable work = () -> counter[0]++;
        work.run();
        for (int i = 0; i < 100; i++) {
            assertThat(meter.octetsAllocatedBy(work)).isZero();
        }
    }

    @Test
    void waitsUntilTheWorkIsWarmButHidesNoAllocation() {
        var meter = new AllocationMeter();
        int[] runs = new int[1];
        Runnable warmingUp = () -> {
            if (++runs[0] <= 500) {
                sink = new byte[1000];
            }
        };
        assertThat(meter.octetsAllocatedOnceWarm(warmingUp)).isZero();
        assertThat(runs[0]).isGreaterThan(500);
        assertThat(meter.octetsAllocatedOnceWarm(() -> sink = new byte[1000])).isGreaterThanOrEqualTo(1_000);
    }

    @Test
    void leavesOutWhatOtherThreadsAllocate() throws InterruptedException {
        var meter = new AllocationMeter();
        var thread = new Thread(() -> sink = new byte[1_000_000], "allocating");
        thread.start();
        Runnable work = () -> {
            try {
                thread.join();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        };
        assertThat(meter.octetsAllocatedBy(work)).isLessThan(100_000);
    }
}
