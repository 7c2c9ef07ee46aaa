package io.stag.rnic.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How long an agent's thread sleeps when there are deadlines. The transport here comes back only when it is told to. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AgentDeadlineTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final AtomicLong clock = new AtomicLong(1);
    private final LinkedBlockingQueue<Long> sleeps = new LinkedBlockingQueue<>();
    private final ScriptedTransport transport = new ScriptedTransport(sleeps::add);
    private final RnicAgent agent = new RnicAgent("agent", transport, clock::get, 0, SECOND);
    private final Thread thread = Thread.ofPlatform().daemon().name("agent").unstarted(agent::run);

    @AfterEach
    void close() throws InterruptedException {
        agent.close();
        thread.join();
    }

    private void setDeadline(Task task, long nanos) {
        agent.lock();
        try {
            agent.setDeadline(task, nanos);
        } finally {
            agent.unlock();
        }
    }

    @Test
    void aDeadlineThatInputBringsWakesNobody() throws InterruptedException {
        ScriptedTask[] task = new ScriptedTask[1];
        task[0] = new ScriptedTask(() -> agent.setDeadline(task[0], 1 + SECOND));
        thread.start();
        sleeps.take();
        transport.becomeReady(task[0]);
        assertThat(sleeps.take()).isEqualTo(SECOND);
        assertThat(transport.wakeups()).as("the thread that sets it is awake").isZero();
        setDeadline(task[0], 1 + SECOND / 2);
        assertThat(sleeps.take()).as("another thread's is not slept through").isEqualTo(SECOND / 2);
    }

    @Test
    void aDeadlineThatIsNotNeededAnyMoreIsNotSleptFor() throws InterruptedException {
        AtomicInteger ran = new AtomicInteger();
        ScriptedTask first = new ScriptedTask(ran::incrementAndGet);
        ScriptedTask second = new ScriptedTask(ran::incrementAndGet);
        setDeadline(first, 1 + SECOND);
        setDeadline(second, 1 + 2 * SECOND);
        first.settledNanos = 1 + 5 * SECOND;
        second.settledNanos = 1 + 3 * SECOND;
        thread.start();
        assertThat(sleeps.take()).isEqualTo(3 * SECOND);
        clock.addAndGet(4 * SECOND);
        transport.wakeup();
        assertThat(sleeps.take()).as("until the first one").isEqualTo(SECOND);
        assertThat(ran).hasValue(1);
    }
}
