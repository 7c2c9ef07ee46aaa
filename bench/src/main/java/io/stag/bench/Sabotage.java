package io.stag.bench;

import io.stag.verbs.MemoryRegion;
import io.stag.verbs.QueuePairState;
import io.stag.verbs.cm.Connection;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Things that a program may do at any moment, from any thread, while transfers go on. */
enum Sabotage {
    /** Frees memory that the peer reads and writes. */
    CLOSE_EXPOSED_ARENA {
        @Override
        void run(StressRound round, StressEnd victim, SplittableRandom random) {
            StressEnd.close(victim.exposedArena);
        }
    },
    /** Frees memory that requests under way name. */
    CLOSE_LOCAL_ARENA {
        @Override
        void run(StressRound round, StressEnd victim, SplittableRandom random) {
            StressEnd.close(victim.localArena);
        }
    },
    /** Deregisters memory that the peer uses; nothing may touch it afterwards. */
    CLOSE_EXPOSED_REGION {
        @Override
        void run(StressRound round, StressEnd victim, SplittableRandom random) {
            MemorySegment memory = victim.exposed.segment();
            victim.exposed.close();
            checkUntouched(victim, memory);
        }
    },
    /** Deregisters memory that requests under way name; nothing may touch it afterwards. */
    CLOSE_LOCAL_REGION {
        @Override
        void run(StressRound round, StressEnd victim, SplittableRandom random) {
            MemorySegment memory = victim.local.segment();
            victim.local.close();
            checkUntouched(victim, memory);
        }
    },
    /** Registers other memory under the same handle; nothing may touch the former memory afterwards. */
    REREGISTER {
        @Override
        void run(StressRound round, StressEnd victim, SplittableRandom random) {
            MemoryRegion region = victim.exposed;
            MemorySegment former = region.segment();
            MemorySegment other;
            try {
                other = victim.exposedArena.allocate(StressEnd.MEMORY, Long.BYTES);
            } catch (IllegalStateException _) {
                return; // somebody closed the arena
            }
            region.reregister(other, StressEnd.exposedRights());
            checkUntouched(victim, former);
        }
    },
    /** Destroys a queue pair. */
    CLOSE_QUEUE_PAIR {
        @Override
        void run(StressRound round, StressEnd victim, SplittableRandom random) {
            victim.destroy();
        }
    },
    /** Asks for a state that ends the traffic. */
    MODIFY_QUEUE_PAIR {
        @Override
        void run(StressRound round, StressEnd victim, SplittableRandom random) {
            QueuePairState[] states = {QueuePairState.ERROR, QueuePairState.TERMINATE, QueuePairState.CLOSING};
            victim.queuePair.modify(states[random.nextInt(states.length)]);
        }
    },
    /** Ends the connection in order. */
    DISCONNECT {
        @Override
        void run(StressRound round, StressEnd victim, SplittableRandom random) {
            Connection connection = victim.connection;
            if (connection != null) {
                connection.disconnect();
            }
        }
    },
    /** Ends the connection in order, then by force. */
    CLOSE_CONNECTION {
        @Override
        void run(StressRound round, StressEnd victim, SplittableRandom random) {
            Connection connection = victim.connection;
            if (connection != null) {
                connection.close();
            }
        }
    },
    /** Resets the connection. */
    ABORT {
        @Override
        void run(StressRound round, StressEnd victim, SplittableRandom random) {
            Connection connection = victim.connection;
            if (connection != null) {
                connection.abort();
            }
        }
    },
    /** Closes a completion queue that queue pairs use; refused. */
    CLOSE_COMPLETION_QUEUE {
        @Override
        void run(StressRound round, StressEnd victim, SplittableRandom random) {
            victim.completionQueue.close();
        }
    },
    /** Closes the RNIC, with everything that belongs to it. */
    CLOSE_RNIC {
        @Override
        void run(StressRound round, StressEnd victim, SplittableRandom random) {
            victim.node.close();
        }
    },
    /** Closes a protection domain that is in use; refused. */
    CLOSE_DOMAIN {
        @Override
        void run(StressRound round, StressEnd victim, SplittableRandom random) {
            victim.node.node.domain.close();
        }
    },
    /** Stops listening while peers connect. */
    CLOSE_LISTENER {
        @Override
        void run(StressRound round, StressEnd victim, SplittableRandom random) {
            round.closeListener();
        }
    },
    /** Looks at all counters. */
    SNAPSHOT {
        @Override
        void run(StressRound round, StressEnd victim, SplittableRandom random) {
            victim.node.node.rnic.snapshot();
        }
    },
    /** Interrupts a thread that posts and waits. */
    INTERRUPT {
        @Override
        void run(StressRound round, StressEnd victim, SplittableRandom random) {
            round.interruptSomebody(random);
        }
    };

    private static final byte CANARY = 0x77;

    /** Does it. May be refused with a {@link io.stag.verbs.VerbsException}. */
    abstract void run(StressRound round, StressEnd victim, SplittableRandom random);

    /** Memory given back by Stag stays as its owner leaves it. */
    private static void checkUntouched(StressEnd victim, MemorySegment memory) {
        if (!isOwnedByUs(victim, memory)) {
            return; // Stag allocated it, and has freed it
        }
        try {
            memory.fill(CANARY);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
            for (long i = 0; i < memory.byteSize(); i++) {
                if (memory.get(ValueLayout.JAVA_BYTE, i) != CANARY) {
                    victim.node.failures.add("octet " + i + " of memory was written after its region was closed");
                    return;
                }
            }
        } catch (IllegalStateException e) {
            if (memory.scope().isAlive()) {
                throw e;
            }
            Thread.interrupted(); // set by the JVM when an arena is closed during an access
        }
    }

    private static boolean isOwnedByUs(StressEnd victim, MemorySegment memory) {
        return memory.byteSize() == StressEnd.MEMORY
                && (sameScope(memory, victim.exposedArena) || sameScope(memory, victim.localArena));
    }

    private static boolean sameScope(MemorySegment memory, Arena arena) {
        return memory.scope().equals(arena.scope());
    }
}
