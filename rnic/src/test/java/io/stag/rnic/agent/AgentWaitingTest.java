package io.stag.rnic.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What ends the wait of an agent's thread. The transport here never comes back by itself. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AgentWaitingTest {
    private static final long HOUR = 3_600_000_000_000L;

    private final CountDownLatch waits = new CountDownLatch(1);
    private final AtomicInteger waitsBegun = new AtomicInteger();
    private final ScriptedTransport transport = new ScriptedTransport(() -> {
        waitsBegun.incrementAndGet();
        waits.countDown();
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
}
