package io.stag.rnic.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CyclicBarrier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Agents that wait, in the middle of a duty cycle, until others have left the memory they use. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AgentQuiescenceTest {
    private static final long HOUR = 3_600_000_000_000L;

    private final List<RnicAgent> agents = List.of(agent(), agent(), agent());
    private final ConcurrentLinkedQueue<String> log = new ConcurrentLinkedQueue<>();

    private static RnicAgent agent() {
        return new RnicAgent("agent", new ScriptedTransport(() -> {}), System::nanoTime, 0, HOUR);
    }

    @Test
    void waitsForTheCycleThatAnotherAgentIsIn() throws InterruptedException {
        RnicAgent busy = agents.get(2);
        Thread invalidating;
        busy.lock();
        try {
            invalidating = inCycleOf(agents.get(0), () -> log.add("complete"));
            while (invalidating.getState() != Thread.State.TIMED_WAITING && log.isEmpty()) {
                Thread.onSpinWait();
            }
            log.add("placed");
        } finally {
            busy.unlock();
        }
        invalidating.join();
        assertThat(log).containsExactly("placed", "complete");
    }

    @Test
    void agentsThatWaitDoNotWaitForEachOther() throws InterruptedException {
        CyclicBarrier allInTheirCycles = new CyclicBarrier(agents.size());
        CyclicBarrier allDone = new CyclicBarrier(agents.size());
        List<Thread> threads = new ArrayList<>();
        for (RnicAgent agent : agents) {
            threads.add(Thread.ofPlatform().daemon().start(() -> {
                for (int i = 0; i < 100; i++) {
                    agent.lock();
                    try {
                        pass(allInTheirCycles);
                        agent.quiesceOthers(agents);
                    } finally {
                        agent.unlock();
                    }
                    pass(allDone); // who is in a cycle again must not wait for who still waits for it
                }
                log.add("done");
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(log).hasSize(agents.size());
    }

    private static void pass(CyclicBarrier barrier) {
        try {
            barrier.await();
        } catch (InterruptedException | BrokenBarrierException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void anInterruptIsKeptForLater() throws InterruptedException {
        RnicAgent busy = agents.get(1);
        Thread invalidating;
        busy.lock();
        try {
            invalidating = inCycleOf(agents.get(0), () -> log.add("interrupted " + Thread.interrupted()));
            invalidating.interrupt();
        } finally {
            busy.unlock();
        }
        invalidating.join();
        assertThat(log).containsExactly("interrupted true");
    }

    private Thread inCycleOf(RnicAgent agent, Runnable afterwards) {
        return Thread.ofPlatform().daemon().start(() -> {
            agent.lock();
            try {
                agent.quiesceOthers(agents);
                afterwards.run();
            } finally {
                agent.unlock();
            }
        });
    }
}
