package io.stag.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.simnet.Conforms;
import io.stag.simnet.DatagramFaults;
import io.stag.simnet.StreamFaults;
import io.stag.verbs.Access;
import io.stag.verbs.CompletionQueue;
import io.stag.verbs.DatagramCounters;
import io.stag.verbs.DatagramQueuePair;
import io.stag.verbs.DatagramQueuePairConfig;
import io.stag.verbs.MemoryRegion;
import io.stag.verbs.ProtectionDomain;
import io.stag.verbs.WorkCompletions;
import java.time.Duration;
import java.util.EnumSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What loss and delay cost a Write-Record of several hundred datagrams. */
class DatagramLossTest {
    private static final int LENGTH = 1 << 20;
    private static final int MESSAGES = 20;

    private final SimulatedRnics simulation = SimulatedRnics.open(5, StreamFaults.none(), 2);
    private final CompletionQueue records = simulation.rnic(1).createCompletionQueue(64);
    private final ProtectionDomain sending = simulation.rnic(0).allocateProtectionDomain();
    private final ProtectionDomain receiving = simulation.rnic(1).allocateProtectionDomain();
    private final DatagramQueuePair left = open(sending, simulation.rnic(0).createCompletionQueue(64), 0);
    private final DatagramQueuePair right = open(receiving, records, 1);
    private final MemoryRegion from = sending.allocate(LENGTH, EnumSet.of(Access.LOCAL_READ));
    private final MemoryRegion into = receiving.allocate(LENGTH, EnumSet.of(Access.LOCAL_WRITE, Access.REMOTE_WRITE));
    private final WorkCompletions completions = WorkCompletions.ofCapacity(1);

    private DatagramQueuePair open(ProtectionDomain domain, CompletionQueue queue, int host) {
        return domain.createDatagramQueuePair(DatagramQueuePairConfig.builder(queue)
                .address(simulation.address(host, 0))
                .build());
    }

    @AfterEach
    void close() {
        simulation.close();
    }

    private void write(int length) {
        left.newSendRequests()
                .writeRecord(1, left.address(right.localAddress()), into.stag(), 0)
                .from(from, 0, length)
                .unsignaled()
                .post();
    }

    @ParameterizedTest(name = "loss {0}")
    @CsvSource({"0.001, 0.9985", "0.01, 0.985", "0.05, 0.945"})
    @Conforms({"DG-025", "DG-027"})
    void aLossCostsOneSegmentAndNoTimeOut(double loss, double least) {
        simulation.network().datagramFaults(DatagramFaults.builder().loss(loss).build());
        long placed = 0;
        for (int i = 0; i < MESSAGES; i++) {
            write(LENGTH);
        }
        for (int i = 0; i < MESSAGES; i++) {
            simulation.runUntil("a record", () -> records.poll(completions) > 0);
            placed += completions.datagram(0).validOctets();
        }
        assertThat((double) placed / ((long) MESSAGES * LENGTH)).isGreaterThanOrEqualTo(least);
        DatagramCounters counters = right.counters();
        assertThat(counters.recordsComplete() + counters.recordsPartial()).isEqualTo(MESSAGES);
        assertThat(counters.messagesTimedOut())
                .as("only the tail of the last message can need a time-out")
                .isLessThanOrEqualTo(1);
    }

    @Test
    @Conforms("DG-026")
    void aReceiverThatWasBusyDoesNotTakeThatForSilence() {
        simulation
                .network()
                .datagramFaults(DatagramFaults.builder().delay(1_000, 5_000_000).build());
        write(100_000);
        simulation.run(Duration.ofMillis(3));
        assertThat(right.counters().openMessages()).isEqualTo(1);
        simulation
                .network()
                .advanceTo(simulation.nanoTime() + Duration.ofSeconds(10).toNanos()); // nobody looks
        simulation.runUntil("the record", () -> records.poll(completions) > 0);
        assertThat(completions.datagram(0).isComplete()).isTrue();
        assertThat(right.counters().messagesTimedOut()).isZero();
    }
}
