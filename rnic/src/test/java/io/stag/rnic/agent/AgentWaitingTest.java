package io.stag.rnic.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What ends waiting, and who waits where. The transport here never comes back by itself. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AgentWaitingTest {
    private static final long HOUR = 3_600_000_000_000L;

    private final CountDownLatch waits = new CountDownLatch(1);
    private final AtomicInteger waitsBegun = new AtomicInteger();
    private final LinkedBlockingQueue<Thread> sitters = new LinkedBlockingQueue<>();
    private final ScriptedTransport transport = new ScriptedTransport(() -> {
        waitsBegun.incrementAndGet();
        waits.countDown();
        sitters.add(Thread.currentThread());
    });
    private final RnicAgent agent = new RnicAgent("agent", transport, () -> 0, 0, HOUR);

    private Thread waitingThread() throws InterruptedException {
        Thread thread = Thread.ofPlatform().daemon().name("agent").start(agent::run);
        waits.await();
        return thread;
    }

    private void setDeadline(Task task, long deadlineNanos) {
        agent.lock();
        try {
            agent.setDeadline(task, deadlineNanos);
        } finally {
            agent.unlock();
        }
    }

    @Test
    void aDeadlineSetByAnotherThreadIsNotSleptThrough() throws InterruptedException {
        Thread thread = waitingThread();
        CountDownLatch due = new CountDownLatch(1);
        setDeadline(new ScriptedTask(due::countDown), 0);
        due.await();
        agent.close();
        thread.join();
    }

    @Test
    void aDeadlineBehindTheNextOneWakesNobody() throws InterruptedException {
        setDeadline(new ScriptedTask(() -> {}), HOUR);
        Thread thread = waitingThread();
        setDeadline(new ScriptedTask(() -> {}), 2 * HOUR);
        agent.close();
        thread.join();
        assertThat(waitsBegun).hasValue(1);
    }

    @Test
    void whatAnotherThreadDoesWakesTheOneInTheSelector() throws InterruptedException {
        AtomicBoolean come = new AtomicBoolean();
        Thread sitter = programThread(() -> agent.await(come::get, HOUR, true));
        awaitSitter(sitter);
        come.set(true);
        agent.wakeWaiters();
        sitter.join();
    }

    @Test
    void whatNobodyWaitsForWakesNobody() throws InterruptedException {
        AtomicBoolean come = new AtomicBoolean();
        Thread sitter = programThread(() -> agent.await(come::get, HOUR, true));
        awaitSitter(sitter);
        agent.wakeWaiters();
        come.set(true);
        agent.wakeWaiters();
        sitter.join();
        assertThat(waitsBegun).hasValue(1);
    }

    @Test
    void oneOfThoseWhoWaitTakesThePlaceOfWhoLeaves() throws InterruptedException {
        AtomicBoolean first = new AtomicBoolean();
        AtomicBoolean second = new AtomicBoolean();
        Thread sitter = programThread(() -> agent.await(first::get, HOUR, true));
        awaitSitter(sitter);
        Thread follower = programThread(() -> agent.await(second::get, HOUR, true));
        first.set(true);
        agent.wakeWaiters();
        awaitSitter(follower);
        second.set(true);
        agent.wakeWaiters();
        sitter.join();
        follower.join();
    }

    @Test
    void aThreadOfTheProgramTakesTheSelectorForItsWait() throws InterruptedException {
        Thread agentThread = waitingThread();
        awaitSitter(agentThread);
        AtomicBoolean come = new AtomicBoolean();
        Thread driver = programThread(
                () -> assertThat(agent.tryDriveUntil(come::get, HOUR)).isTrue());
        awaitSitter(driver);
        come.set(true);
        agent.wakeWaiters();
        driver.join();
        awaitSitter(agentThread);
        agent.close();
        agentThread.join();
    }

    @Test
    void onlyOneThreadOfTheProgramDrives() throws InterruptedException {
        Thread agentThread = waitingThread();
        AtomicBoolean come = new AtomicBoolean();
        Thread driver = programThread(() -> agent.tryDriveUntil(come::get, HOUR));
        awaitSitter(driver);
        assertThat(agent.tryDriveUntil(() -> false, HOUR)).isFalse();
        come.set(true);
        agent.wakeWaiters();
        driver.join();
        agent.close();
        agentThread.join();
    }

    @Test
    void aHandlerThatWaitsInTheDrivingThreadDrives() throws InterruptedException {
        Thread agentThread = waitingThread();
        AtomicBoolean inner = new AtomicBoolean();
        AtomicBoolean outer = new AtomicBoolean();
        Thread driver = programThread(() -> agent.tryDriveUntil(outer::get, HOUR));
        awaitSitter(driver);
        agent.deliver(() -> {
            waitInside(inner);
            outer.set(true);
        });
        agent.ring(new ScriptedTask(() -> {}));
        awaitSitter(driver);
        inner.set(true);
        agent.wakeWaiters();
        driver.join();
        agent.close();
        agentThread.join();
    }

    private void waitInside(AtomicBoolean condition) {
        try {
            assertThat(agent.tryDriveUntil(condition::get, HOUR)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private interface Waiting {
        void run() throws InterruptedException;
    }

    private static Thread programThread(Waiting waiting) {
        return Thread.ofPlatform().daemon().name("program").start(() -> {
            try {
                waiting.run();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
    }

    private void awaitSitter(Thread expected) throws InterruptedException {
        while (!sitters.take().equals(expected)) {
            // another one who sat there before
        }
    }

    @Test
    void everyoneTouchedIsWokenOnceWhenTheLockIsFree() {
        List<String> woken = new ArrayList<>();
        RnicAgent.Waiter first = () -> woken.add("first");
        RnicAgent.Waiter second = () -> woken.add("second");
        RnicAgent.Waiter third = () -> woken.add("third");
        agent.lock();
        agent.lock();
        for (RnicAgent.Waiter waiter : List.of(first, second, first, third, second, third)) {
            agent.touch(waiter);
        }
        agent.unlock();
        assertThat(woken).as("while the lock is still held").isEmpty();
        agent.unlock();
        assertThat(woken).containsExactlyInAnyOrder("first", "second", "third");
        agent.lock();
        agent.unlock();
        assertThat(woken).as("and not again").hasSize(3);
    }
}
