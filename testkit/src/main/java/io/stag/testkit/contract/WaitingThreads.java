package io.stag.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.verbs.VerbsException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Threads that wait for the same thing again and again, until it is closed. */
final class WaitingThreads {
    /** Does not run out. */
    static final Duration LONG = Duration.ofHours(1);

    private static final int COUNT = 3;

    private final AtomicInteger taken = new AtomicInteger();
    private final AtomicInteger emptyHanded = new AtomicInteger();
    private final List<Thread> threads = new ArrayList<>();

    /** Each thread calls a wait of its own, which says whether it got something. */
    WaitingThreads(Supplier<BooleanSupplier> wait) {
        for (int i = 0; i < COUNT; i++) {
            BooleanSupplier own = wait.get();
            threads.add(Thread.ofPlatform().daemon().name("waiting-" + i).start(() -> repeat(own)));
        }
    }

    private void repeat(BooleanSupplier wait) {
        try {
            while (true) {
                (wait.getAsBoolean() ? taken : emptyHanded).incrementAndGet();
            }
        } catch (VerbsException closed) { // what the test ends with
        }
    }

    /** How often a thread got what it waited for. */
    int taken() {
        return taken.get();
    }

    /** What they wait for was closed: they end, and none of them ever came back with nothing before. */
    void expectNoneEmptyHanded() {
        for (Thread thread : threads) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
        assertThat(emptyHanded)
                .as("waits that ended with nothing before their time")
                .hasValue(0);
    }
}
