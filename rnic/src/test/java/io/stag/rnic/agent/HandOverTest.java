package io.stag.rnic.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.rnic.qp.SoftCompletionQueue;
import io.stag.rnic.work.CompletionOwner;
import io.stag.simnet.Seeds;
import io.stag.verbs.CompletionStatus;
import io.stag.verbs.Operation;
import io.stag.verbs.Rnic;
import io.stag.verbs.WorkCompletions;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Threads of a program and the agent's own hand the agent over to each other all the time, and nobody may sleep while what
 * he waits for has come. The transport wakes nobody by itself, so a lost wake-up hangs.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HandOverTest {
    private static final int REQUESTS = 4_000;
    private static final Duration FOR_EVER = Duration.ofDays(1);
    private static final long SPIN_NANOS = 2_000;
    private static final Rnic NO_RNIC = (Rnic)
            Proxy.newProxyInstance(HandOverTest.class.getClassLoader(), new Class<?>[] {Rnic.class}, (_, method, _) -> {
                throw new UnsupportedOperationException(method.getName());
            });

    private final ScriptedTransport transport = new ScriptedTransport(() -> {});
    private final RnicAgent agent = new RnicAgent(
            "agent",
            transport,
            System::nanoTime,
            SPIN_NANOS,
            Duration.ofHours(1).toNanos());
    private final ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void everyRequestIsAnsweredWhoeverDrives(int threads) throws InterruptedException {
        long seed = Seeds.all().findFirst().orElseThrow();
        Thread agentThread = Thread.ofPlatform().daemon().name("agent").start(agent::run);
        SplittableRandom random = new SplittableRandom(seed);
        List<Thread> programs = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            SplittableRandom own = random.split();
            programs.add(Thread.ofPlatform().daemon().name("program-" + i).start(() -> runProgram(own)));
        }
        for (Thread program : programs) {
            program.join();
        }
        agent.close();
        agentThread.join();
        assertThat(failures).as(Seeds.replay(seed)).isEmpty();
    }

    private void runProgram(SplittableRandom random) {
        try {
            SoftCompletionQueue queue = new SoftCompletionQueue(NO_RNIC, 4, null, null, SPIN_NANOS, () -> {});
            queue.attach(agent);
            ScriptedTask task = new ScriptedTask(
                    () -> queue.add(agent, 1, CompletionStatus.SUCCESS, Operation.SEND, new Owner(), 0, 0, 0, 0, null));
            WorkCompletions completions = WorkCompletions.ofCapacity(4);
            for (int i = 0; i < REQUESTS; i++) {
                if (random.nextBoolean()) {
                    if (random.nextBoolean()) {
                        agent.posted(task, false);
                    } else {
                        agent.ring(task);
                    }
                } else {
                    transport.becomeReady(task); // seen by nobody but who sits in the selector
                }
                compute(random);
                if (queue.await(completions, FOR_EVER) != 1) {
                    failures.add(new AssertionError("request " + i + " was not answered"));
                }
                compute(random);
            }
        } catch (RuntimeException e) {
            failures.add(e);
        }
    }

    /** Mostly a moment, so that the seat changes hands quickly; sometimes so long that the agent's thread takes over. */
    private static void compute(SplittableRandom random) {
        long nanos = random.nextInt(64) == 0 ? 400_000 : random.nextInt(3_000);
        long start = System.nanoTime();
        while (System.nanoTime() - start < nanos) {
            Thread.onSpinWait();
        }
    }

    private static final class Owner implements CompletionOwner {
        @Override
        public int id() {
            return 1;
        }

        @Override
        public void completionPolled(Operation operation) {}
    }
}
