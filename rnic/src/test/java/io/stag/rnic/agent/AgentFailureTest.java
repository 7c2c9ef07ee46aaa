package io.stag.rnic.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What fails in one task, or in the program's handlers, is no concern of the others. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AgentFailureTest {
    private static final long HOUR = Duration.ofHours(1).toNanos();

    private final AtomicLong clock = new AtomicLong();
    private final ScriptedTransport transport = new ScriptedTransport(() -> {});
    private final RnicAgent agent = new RnicAgent("agent", transport, clock::get, 1_000, HOUR);
    private final List<Throwable> failures = new ArrayList<>();

    /** Fails whenever it is called, as {@code failure} says. */
    private final class FailingTask extends Task {
        private final Error failure;

        FailingTask(Error failure) {
            this.failure = failure;
        }

        @Override
        public int onDoorbell() {
            throw failure;
        }

        @Override
        public int onPoll() {
            throw failure;
        }

        @Override
        public void onReady() {
            throw failure;
        }

        @Override
        public void onDeadline(long nowNanos) {
            throw failure;
        }

        @Override
        public void onFailure(Throwable cause) {
            failures.add(cause);
            agent.remove(this);
        }
    }

    private void underLock(Consumer<RnicAgent> action) {
        agent.lock();
        try {
            action.accept(agent);
        } finally {
            agent.unlock();
        }
    }

    @Test
    void aTaskWithoutMemoryEndsAloneWhateverItWasAsked() {
        AtomicInteger others = new AtomicInteger();
        ScriptedTask other = new ScriptedTask(others::incrementAndGet);
        Error failure = new OutOfMemoryError("none");
        agent.ring(new FailingTask(failure));
        agent.ring(other);
        agent.tryWork();
        assertThat(others).hasValue(1);

        underLock(a -> a.setDeadline(new FailingTask(failure), 1));
        underLock(a -> a.setDeadline(other, 2));
        clock.set(2);
        agent.tryWork();
        assertThat(others).hasValue(2);

        underLock(a -> a.heat(new FailingTask(failure)));
        agent.ring(other);
        agent.tryWork();
        assertThat(others).hasValue(3);
        assertThat(failures).containsExactly(failure, failure, failure);
    }

    @Test
    void itIsToldWhatWasMissing() {
        assertThat(Task.text(new OutOfMemoryError("Java heap space")))
                .isEqualTo("the JVM has no memory left: Java heap space");
        assertThat(Task.text(new InternalError("a fault"))).contains("mapped file");
        assertThat(Task.text(new IllegalStateException("so")))
                .contains("bug in Stag")
                .contains("so");
    }

    @Test
    void aHandlerThatFailsKeepsNoOtherFromBeingCalled() {
        AtomicInteger called = new AtomicInteger();
        agent.deliver(() -> {
            throw new AssertionError("a mistake of the program");
        });
        agent.deliver(called::incrementAndGet);
        underLock(_ -> {});
        assertThat(called).hasValue(1);
    }

    /** Else no wait of the agent's thread would last. The transport takes an interrupt for an error. */
    @Test
    void aHandlerMayLeaveTheThreadInterrupted() throws InterruptedException {
        List<Throwable> uncaught = new ArrayList<>();
        CountDownLatch served = new CountDownLatch(1);
        Thread thread = Thread.ofPlatform()
                .daemon()
                .uncaughtExceptionHandler((_, e) -> uncaught.add(e))
                .start(agent::run);
        transport.becomeReady(new ScriptedTask(
                () -> agent.deliver(() -> Thread.currentThread().interrupt())));
        transport.becomeReady(new ScriptedTask(served::countDown));
        clock.addAndGet(HOUR);
        while (served.getCount() > 0 && thread.isAlive()) {
            clock.addAndGet(HOUR); // so that nobody spins
            Thread.onSpinWait();
        }
        agent.close();
        thread.join();
        assertThat(uncaught).isEmpty();
        assertThat(served.getCount()).isZero();
    }
}
