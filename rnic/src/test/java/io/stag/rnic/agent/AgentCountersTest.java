package io.stag.rnic.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.verbs.AgentSnapshot;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AgentCountersTest {
    private static final long STALL = Duration.ofMillis(10).toNanos();

    private final AtomicLong clock = new AtomicLong(-1);
    private final AtomicInteger clockReadings = new AtomicInteger();
    private final ScriptedTransport transport = new ScriptedTransport(() -> pass(Duration.ofHours(1)));
    private final RnicAgent agent = new RnicAgent(
            "agent",
            transport,
            () -> {
                clockReadings.incrementAndGet();
                return clock.get();
            },
            0,
            STALL);

    private void pass(Duration time) {
        clock.addAndGet(time.toNanos());
    }

    /** Runs the agent's loop until {@code finished}; @return the counters after its end */
    private AgentSnapshot runUntil(CountDownLatch finished, Runnable event) throws InterruptedException {
        Thread thread = Thread.ofPlatform().name("agent").start(agent::run);
        event.run();
        finished.await();
        agent.close();
        thread.join();
        return agent.snapshot();
    }

    @Test
    void aCycleOfAnAgentThreadIncludesTheHandlersItCalls() throws InterruptedException {
        CountDownLatch handled = new CountDownLatch(1);
        ScriptedTask task = new ScriptedTask(() -> {
            pass(Duration.ofMillis(20));
            agent.deliver(() -> {
                pass(Duration.ofMillis(30));
                handled.countDown();
            });
        });
        AgentSnapshot counters = runUntil(handled, () -> agent.ring(task));
        assertThat(counters.longestCycleNanos()).isEqualTo(Duration.ofMillis(50).toNanos());
        assertThat(counters.stalls()).isEqualTo(1);
        assertThat(counters.doorbells()).isEqualTo(1);
        assertThat(counters.busyCycles()).isEqualTo(1);
    }

    @Test
    void whatIsDoneRightAfterWaitingBelongsToTheCycleAndTheWaitingDoesNot() throws InterruptedException {
        CountDownLatch served = new CountDownLatch(1);
        ScriptedTask next = new ScriptedTask(served::countDown);
        ScriptedTask task = new ScriptedTask(() -> {
            pass(Duration.ofMillis(11));
            agent.ring(next); // so that the agent is closed in a later cycle, or at the end of this one
        });
        AgentSnapshot counters = runUntil(served, () -> transport.becomeReady(task));
        assertThat(counters.waits()).isPositive();
        assertThat(counters.selects()).isGreaterThan(counters.waits());
        assertThat(counters.longestCycleNanos()).isEqualTo(Duration.ofMillis(11).toNanos());
        assertThat(counters.stalls()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {9, 10})
    void aCycleUpToTheThresholdIsNoStall(int millis) throws InterruptedException {
        CountDownLatch served = new CountDownLatch(1);
        ScriptedTask task = new ScriptedTask(() -> {
            pass(Duration.ofMillis(millis));
            served.countDown();
        });
        AgentSnapshot counters = runUntil(served, () -> agent.ring(task));
        assertThat(counters.stalls()).isZero();
        assertThat(counters.longestCycleNanos())
                .isEqualTo(Duration.ofMillis(millis).toNanos());
    }

    @Test
    void anAgentThatOthersDriveReadsTheClockInEverySixteenthCycleOnly() {
        for (int i = 0; i < 160; i++) {
            agent.tryWork();
        }
        assertThat(agent.snapshot().dutyCycles()).isEqualTo(160);
        assertThat(clockReadings).hasValue(2 * 10);
    }

    @Test
    void anActivityHasTheTimeOfTheNextLookAtTheClock() {
        ScriptedTask task = new ScriptedTask(() -> {});
        agent.lock();
        task.begunAt(agent.nanoTime());
        task.work = 1;
        agent.markActive(task);
        agent.unlock();
        pass(Duration.ofSeconds(5));
        agent.tryWork(); // asks the selector, as no task is hot
        pass(Duration.ofSeconds(3));
        agent.tryWork();
        assertThat(task.lastActiveNanos()).isEqualTo(-1 + Duration.ofSeconds(5).toNanos());
    }

    @Test
    void octetsThatDidNoWorkAreNoActivity() {
        ScriptedTask task = new ScriptedTask(() -> {});
        agent.lock();
        task.begunAt(agent.nanoTime());
        agent.markActive(task);
        agent.unlock();
        pass(Duration.ofSeconds(5));
        agent.tryStampActivity();
        assertThat(task.lastActiveNanos()).isEqualTo(-1);
    }

    @Test
    void aTaskThatLeavesTakesItsActivityWithIt() {
        ScriptedTask task = new ScriptedTask(() -> {});
        agent.lock();
        task.work = 1;
        agent.markActive(task);
        pass(Duration.ofSeconds(1));
        agent.remove(task);
        agent.unlock();
        pass(Duration.ofSeconds(1));
        task.work = 2;
        agent.tryStampActivity();
        assertThat(task.lastActiveNanos()).isEqualTo(-1 + Duration.ofSeconds(1).toNanos());
    }
}
