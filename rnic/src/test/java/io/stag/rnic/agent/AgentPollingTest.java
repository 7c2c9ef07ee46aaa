package io.stag.rnic.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.rnic.agent.WatchingTransport.InputTask;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tasks that are polled so often that the transport does not watch them: their input must find somebody all the same. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AgentPollingTest {
    private static final long HOUR = 3_600_000_000_000L;
    private static final long SPIN = 1_000;
    private static final int MANY = 1_000;
    private static final int MOST_HOT = 8;
    private static final int LOOKS_PER_CYCLE = 4;

    private final AtomicLong clock = new AtomicLong();
    private final WatchingTransport transport = new WatchingTransport();
    private final RnicAgent agent = new RnicAgent("agent", transport, clock::get, SPIN, HOUR);

    private InputTask task() {
        return transport.new InputTask(agent, false);
    }

    private List<InputTask> endlessTasks(int count) {
        List<InputTask> tasks = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            tasks.add(transport.new InputTask(agent, true));
        }
        return tasks;
    }

    private void work(int cycles) {
        for (int i = 0; i < cycles; i++) {
            agent.tryWork();
        }
    }

    private void pollUntilUnwatched(InputTask task) {
        for (int i = 0; i < MANY; i++) {
            task.arrive();
            work(1);
        }
        assertThat(task.taken()).isEqualTo(MANY);
        assertThat(task.isWatched()).isFalse();
    }

    private static Thread start(String name, Waiting action) {
        return Thread.ofPlatform().daemon().name(name).start(() -> {
            try {
                action.run();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
    }

    private interface Waiting {
        void run() throws InterruptedException;
    }

    @Test
    void aTaskWithLittleInputIsWatched() {
        InputTask task = task();
        for (int i = 0; i < 100; i++) {
            task.arrive();
            work(1);
        }
        assertThat(task.isWatched()).isTrue();
    }

    @Test
    void whoeverWaitsAfterPollingIsWokenByInput() throws InterruptedException {
        InputTask task = task();
        pollUntilUnwatched(task);
        Thread waiter = start("program", () -> {
            while (task.taken() == MANY) {
                agent.await(() -> task.taken() > MANY, HOUR, true);
            }
        });
        while (!transport.waits.tryAcquire()) {
            clock.addAndGet(SPIN); // it spins until the time has come
            Thread.onSpinWait();
        }
        assertThat(task.isWatched()).isTrue();
        task.arrive();
        waiter.join();
    }

    @Test
    void inputWhileAThreadIsOnItsWayToSleepIsFound() throws InterruptedException {
        InputTask task = task();
        pollUntilUnwatched(task);
        task.arrive(); // nobody looks before the thread waits
        Thread waiter = start("program", () -> agent.await(() -> task.taken() > MANY, HOUR, true));
        waiter.join();
    }

    @Test
    void theAgentsThreadSleepsAndIsWokenByInput() throws InterruptedException {
        InputTask task = task();
        Thread thread = start("agent", agent::run);
        for (int i = 1; i <= MANY || task.isWatched(); i++) {
            int before = task.taken();
            task.arrive();
            awaitTaken(task, before);
        }
        transport.waits.drainPermits();
        int before = task.taken();
        while (!transport.waits.tryAcquire()) {
            clock.addAndGet(SPIN);
            Thread.onSpinWait();
        }
        assertThat(task.isWatched()).isTrue();
        task.arrive();
        awaitTaken(task, before);
        agent.close();
        thread.join();
    }

    @Test
    void aThreadOfTheProgramThatDrivesSleepsAndIsWokenByInput() throws InterruptedException {
        InputTask task = task();
        Thread thread = start("agent", agent::run);
        for (int i = 0; i < MANY || task.isWatched(); i++) {
            int before = task.taken();
            task.arrive();
            awaitTaken(task, before);
        }
        int before = task.taken();
        Thread driver = start("program", () -> {
            while (task.taken() == before) {
                agent.tryDriveUntil(() -> task.taken() > before, HOUR);
            }
        });
        transport.waits.drainPermits();
        while (!transport.waits.tryAcquire()) {
            clock.addAndGet(SPIN);
            Thread.onSpinWait();
        }
        task.arrive();
        driver.join();
        agent.close();
        thread.join();
    }

    private static void awaitTaken(InputTask task, int before) {
        while (task.taken() == before) {
            Thread.onSpinWait();
        }
    }

    @Test
    void aTaskThatFallsSilentIsWatchedAgain() {
        InputTask task = task();
        pollUntilUnwatched(task);
        work(10_000);
        assertThat(task.isWatched()).isTrue();
    }

    @Test
    void aTaskThatLeavesIsWatchedAgain() {
        InputTask task = task();
        pollUntilUnwatched(task);
        agent.lock();
        agent.remove(task);
        agent.unlock();
        assertThat(task.isWatched()).isTrue();
    }

    @Test
    void oneThatCannotBeWatchedAnyMoreEndsAndTheOthersGoOn() throws InterruptedException {
        InputTask task = task();
        InputTask other = task();
        pollUntilUnwatched(task);
        while (other.isWatched()) {
            other.arrive();
            work(1);
        }
        task.makeUnwatchable();
        Thread waiter = start("program", () -> agent.await(() -> task.end() != null, HOUR, true));
        while (waiter.isAlive()) {
            clock.addAndGet(SPIN); // it spins until the time has come
            Thread.onSpinWait();
        }
        assertThat(task.end()).hasMessage("epoll_ctl: no memory");
        int before = other.taken();
        other.arrive();
        work(1);
        assertThat(other.taken()).isEqualTo(before + 1);
    }

    @Test
    void oneThatIsNotWatchedIsServedWhenTooManyOthersAreActive() {
        InputTask task = task();
        pollUntilUnwatched(task);
        List<InputTask> others = endlessTasks(MOST_HOT + 1);
        work(MANY);
        assertThat(task.isWatched()).isTrue();
        task.arrive();
        work(2);
        assertThat(task.taken()).isEqualTo(MANY + 1);
        assertThat(others).allSatisfy(other -> assertThat(other.taken()).isGreaterThan(MANY / 2));
    }

    @Test
    void thoseThatAreNotWatchedCountAmongTheActive() {
        List<InputTask> first = endlessTasks(MOST_HOT);
        work(MANY);
        assertThat(first).noneMatch(InputTask::isWatched);
        InputTask latecomer = endlessTasks(1).getFirst();
        work(MANY);
        assertThat(latecomer.taken()).as("as often as the others").isGreaterThan(MANY / 2);
    }

    private int looksOfACycle(InputTask task) {
        int before = task.looks();
        work(1);
        return task.looks() - before;
    }

    @Test
    void whoWaitsForOneTaskAloneLooksForItSeveralTimesInACycle() {
        InputTask task = task();
        task.arrive();
        work(1);
        assertThat(List.of(looksOfACycle(task), looksOfACycle(task)))
                .as("at first")
                .containsExactly(1, 1);
        assertThat(looksOfACycle(task)).as("then").isEqualTo(LOOKS_PER_CYCLE);
        task.arrive();
        assertThat(looksOfACycle(task)).as("until something comes").isEqualTo(1);
        assertThat(looksOfACycle(task)).as("after that").isEqualTo(1);
    }

    @Test
    void ofSeveralTasksEachHasItsTurn() {
        List<InputTask> tasks = List.of(task(), task());
        tasks.forEach(InputTask::arrive);
        work(1);
        for (int i = 0; i < LOOKS_PER_CYCLE; i++) {
            assertThat(looksOfACycle(tasks.getFirst())).isEqualTo(1);
        }
    }

    @Test
    void whoeverRingsWaitsForOneLookAtMost() {
        InputTask task = task();
        InputTask other = task();
        task.arrive();
        work(LOOKS_PER_CYCLE);
        task.onLook(() -> agent.ring(other));
        assertThat(looksOfACycle(task)).isEqualTo(1);
    }

    @Test
    void othersAreAskedForAsOftenAsIfThereWereOneLookInACycle() {
        InputTask task = task();
        task.arrive();
        work(LOOKS_PER_CYCLE);
        InputTask other = task();
        other.arrive();
        int before = task.looks();
        while (other.taken() == 0) {
            work(1);
        }
        assertThat(task.looks() - before).isLessThanOrEqualTo(64 + LOOKS_PER_CYCLE);
    }

    @Test
    void othersAreAskedForBehindInputRatherThanWhileMoreIsAwaited() {
        InputTask task = task();
        task.arrive();
        work(1 + 10); // more than half of the time until others are due is over
        InputTask other = task();
        other.arrive();
        task.arrive();
        work(1);
        assertThat(List.of(task.taken(), other.taken())).containsExactly(2, 0);
        work(1);
        assertThat(other.taken()).isEqualTo(1);
    }
}
