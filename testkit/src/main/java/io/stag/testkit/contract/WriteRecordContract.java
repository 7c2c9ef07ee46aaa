package io.stag.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.simnet.Conforms;
import io.stag.testkit.contract.DatagramEnd.Arrived;
import io.stag.verbs.Access;
import io.stag.verbs.DatagramQueuePairConfig;
import io.stag.verbs.DatagramRefusal;
import io.stag.verbs.MemoryRegion;
import io.stag.verbs.Operation;
import io.stag.verbs.ValidityMap;
import io.stag.verbs.VerbsError;
import io.stag.verbs.WorkCompletions;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** RDMA Write-Record between datagram queue pairs. */
public abstract class WriteRecordContract extends ProviderContract {
    private static final Set<Access> REMOTE = EnumSet.of(Access.LOCAL_WRITE, Access.REMOTE_WRITE);

    /** For subclasses. */
    protected WriteRecordContract() {}

    private DatagramEnd end(Peer peer) {
        return end(peer, settings -> settings);
    }

    private DatagramEnd end(Peer peer, UnaryOperator<DatagramQueuePairConfig.Builder> settings) {
        return new DatagramEnd(world(), peer, settings);
    }

    private static void write(DatagramEnd left, DatagramEnd right, MemoryRegion from, int stag, long offset) {
        left.requests
                .writeRecord(1, left.to(right), stag, offset)
                .from(from, 0, from.length())
                .unsignaled()
                .post();
    }

    @Test
    @Conforms({"DG-025", "DG-036"})
    void isPlacedAndRecordedWithoutAReceive() {
        DatagramEnd left = end(client());
        DatagramEnd right = end(server());
        MemoryRegion from = client().filled(1_000, 1);
        MemoryRegion into = server().memory(4_000, REMOTE);
        left.requests
                .writeRecord(9, left.to(right), into.stag(), 500)
                .from(from, 0, 1_000)
                .solicited()
                .post();
        left.expect(Operation.RDMA_WRITE, 9);
        Arrived record = right.expect(Operation.WRITE_RECORD, 0);
        assertThat(record.source()).isEqualTo(left.queuePair.localAddress());
        assertThat(record.stag()).isEqualTo(into.stag());
        assertThat(record.taggedOffset()).isEqualTo(500);
        assertThat(record.messageLength()).isEqualTo(1_000);
        assertThat(record.length()).isEqualTo(1_000);
        assertThat(record.complete()).isTrue();
        assertThat(record.solicited()).isTrue();
        assertThat(Peer.bytes(into, 500, 1_000)).isEqualTo(Peer.bytes(from));
        assertThat(Peer.bytes(into, 0, 500)).containsOnly(0);
        assertThat(Peer.bytes(into, 1_500, 2_500)).containsOnly(0);
        assertThat(into.snapshot().remoteWrites()).isEqualTo(1);
    }

    @Test
    @Conforms({"DG-022", "DG-025"})
    void aLongOneIsOneRecord() {
        DatagramEnd left = end(client());
        DatagramEnd right = end(server());
        MemoryRegion from = client().filled(100_000, 2);
        MemoryRegion into = server().memory(100_000, REMOTE);
        write(left, right, from, into.stag(), 0);
        Arrived record = right.expect(Operation.WRITE_RECORD, 0);
        assertThat(record.complete()).isTrue();
        assertThat(record.messageLength()).isEqualTo(100_000);
        assertThat(Peer.bytes(into)).isEqualTo(Peer.bytes(from));
        assertThat(into.snapshot().remoteWrites()).isEqualTo(Math.ceilDiv(100_000, 1408));
        right.expectNothingMore();
    }

    @Test
    void oneOfNothingIsRecordedAndNeedsNoMemory() {
        DatagramEnd left = end(client());
        DatagramEnd right = end(server());
        left.requests
                .writeRecord(1, left.to(right), 0x1234_5678, 77)
                .unsignaled()
                .post();
        Arrived record = right.expect(Operation.WRITE_RECORD, 0);
        assertThat(record.messageLength()).isZero();
        assertThat(record.taggedOffset()).isEqualTo(77);
    }

    @Test
    @Conforms("DG-028")
    void theValidityMapShowsWhatWasWrittenAndForgetsItWhenRead() {
        DatagramEnd left = end(client());
        DatagramEnd right = end(server());
        MemoryRegion into = server().memory(10_000, REMOTE);
        write(left, right, client().filled(3_000, 1), into.stag(), 640);
        right.expect(Operation.WRITE_RECORD, 0);
        ValidityMap map = ValidityMap.ofLength(10_000);
        assertThat(right.queuePair.pollValidity(into, 0, 10_000, map)).isEqualTo(47);
        assertThat(map.start()).isZero();
        assertThat(map.nextValid(0)).isEqualTo(640);
        assertThat(map.nextInvalid(640)).isEqualTo(640 + 47 * 64);
        assertThat(map.nextValid(640 + 47 * 64)).isEqualTo(map.end());
        assertThat(right.queuePair.pollValidity(into, 0, 10_000, map)).isZero();
        assertThat(map.validBlocks()).isZero();
    }

    @Test
    @Conforms("DG-028")
    void aPartOfTheMapCanBeReadAndTheRestStays() {
        DatagramEnd left = end(client());
        DatagramEnd right = end(server());
        MemoryRegion into = server().memory(12_800, REMOTE);
        write(left, right, client().filled(6_400, 1), into.stag(), 3_210); // not at a block's start
        right.expect(Operation.WRITE_RECORD, 0);
        ValidityMap map = ValidityMap.ofLength(1_000);
        long first = 3_210 / 64;
        assertThat(right.queuePair.pollValidity(into, 3_200, 640, map)).isEqualTo(10);
        assertThat(map.start()).isEqualTo(first * 64);
        ValidityMap all = ValidityMap.ofLength(12_800);
        assertThat(right.queuePair.pollValidity(into, 0, 12_800, all)).isEqualTo(101 - 10);
        assertThat(all.nextValid(0)).isEqualTo((first + 10) * 64);
        assertRefused(VerbsError.LIMIT_EXCEEDED, () -> right.queuePair.pollValidity(into, 0, 12_800, map));
        assertRefused(VerbsError.INVALID_ARGUMENT, () -> right.queuePair.pollValidity(into, 12_000, 801, all));
    }

    @Test
    @Conforms("DG-028")
    void waitsForValidityUntilADeadline() {
        DatagramEnd left = end(client());
        DatagramEnd right = end(server());
        MemoryRegion into = server().memory(640, REMOTE);
        ValidityMap map = ValidityMap.ofLength(640);
        assertThat(right.queuePair.awaitValidity(into, 0, 640, map, Duration.ofMillis(1)))
                .isZero();
        write(left, right, client().filled(640, 1), into.stag(), 0);
        assertThat(right.queuePair.awaitValidity(into, 0, 640, map, Duration.ofSeconds(30)))
                .isEqualTo(10);
    }

    @Test
    void threadsThatWaitForRecordsGetNothingOnlyWhenTheTimeRanOut() {
        assume(ContractFixture.Feature.WAITING_THREADS);
        DatagramEnd left = end(client());
        DatagramEnd right = end(server());
        MemoryRegion from = client().filled(64, 1);
        MemoryRegion into = server().memory(64, REMOTE);
        WaitingThreads threads = new WaitingThreads(() -> {
            ValidityMap map = ValidityMap.ofLength(64);
            return () -> right.queuePair.awaitValidity(into, 0, 64, map, WaitingThreads.LONG) > 0;
        });
        for (int i = 1; i <= 50; i++) {
            int expected = i;
            write(left, right, from, into.stag(), 0);
            runUntil("a thread has seen record " + i, () -> threads.taken() == expected);
        }
        right.queuePair.close();
        threads.expectNoneEmptyHanded();
    }

    @Test
    @Conforms({"DG-025", "DG-028"})
    void recordsBeyondTheDepthShowInTheMapOnly() {
        DatagramEnd left = end(client());
        DatagramEnd right = end(server(), settings -> settings.recordDepth(2));
        MemoryRegion from = client().filled(64, 1);
        MemoryRegion into = server().memory(640, REMOTE);
        for (int i = 0; i < 5; i++) {
            write(left, right, from, into.stag(), 64L * i);
        }
        runUntil("all to come", () -> right.queuePair.counters().recordsComplete() == 5);
        right.expect(Operation.WRITE_RECORD, 0);
        right.expect(Operation.WRITE_RECORD, 0);
        right.expectNothingMore();
        assertThat(right.queuePair.counters().recordsNotQueued()).isEqualTo(3);
        ValidityMap map = ValidityMap.ofLength(640);
        assertThat(right.queuePair.pollValidity(into, 0, 640, map)).isEqualTo(5);
        write(left, right, from, into.stag(), 0);
        assertThat(right.expect(Operation.WRITE_RECORD, 0).complete()).isTrue();
    }

    @Test
    @Conforms({"DG-016", "DG-029"})
    void writesNothingWithoutRight() {
        DatagramEnd left = end(client());
        DatagramEnd right = end(server());
        MemoryRegion from = client().filled(3_000, 1);
        MemoryRegion readable = server().memory(3_000, Access.LOCAL_READ, Access.LOCAL_WRITE, Access.REMOTE_READ);
        MemoryRegion small = server().memory(2_999, REMOTE);
        MemoryRegion elsewhere = server().rnic.allocateProtectionDomain().allocate(3_000, REMOTE);
        MemoryRegion closed = server().memory(3_000, REMOTE);
        closed.close();
        write(left, right, from, readable.stag(), 0);
        write(left, right, from, small.stag(), 0);
        write(left, right, from, small.stag(), -1);
        write(left, right, from, elsewhere.stag(), 0);
        write(left, right, from, closed.stag(), 0);
        write(left, right, from, small.stag() ^ 1, 0);
        MemoryRegion good = server().memory(3_000, REMOTE);
        write(left, right, from, good.stag(), 0);
        right.expect(Operation.WRITE_RECORD, 0);
        right.expectNothingMore();
        assertThat(Peer.bytes(good)).isEqualTo(Peer.bytes(from));
        assertThat(Peer.bytes(readable)).containsOnly(0);
        assertThat(Peer.bytes(small)).containsOnly(0);
        assertThat(Peer.bytes(elsewhere)).containsOnly(0);
        assertThat(right.queuePair.counters().refused(DatagramRefusal.ACCESS)).isEqualTo(6 * 3);
        assertThat(right.nextError().detail().toString()).contains("DG-016").contains("3000 octets");
        assertThat(small.snapshot().refused()).isEqualTo(6);
    }

    @Test
    @Conforms("DG-019")
    void aQueuePairCanRefuseThemAltogether() {
        DatagramEnd left = end(client());
        DatagramEnd right = end(server(), settings -> settings.allowWriteRecord(false));
        MemoryRegion into = server().memory(64, REMOTE);
        write(left, right, client().filled(64, 1), into.stag(), 0);
        assertThat(right.nextError().detail().clause()).isEqualTo("DG-019");
        assertThat(Peer.bytes(into)).containsOnly(0);
    }

    @Test
    @Conforms("DG-035")
    void aSenderWithAWindowWaitsForReports() {
        DatagramEnd left = end(client(), settings -> settings.flowWindow(16).flowTimeout(Duration.ofSeconds(20)));
        DatagramEnd right = end(server(), settings -> settings.flowReports(true));
        MemoryRegion from = client().filled(200_000, 2);
        MemoryRegion into = server().memory(200_000, REMOTE);
        write(left, right, from, into.stag(), 0);
        write(left, right, from, into.stag(), 0);
        assertThat(right.expect(Operation.WRITE_RECORD, 0).complete()).isTrue();
        assertThat(right.expect(Operation.WRITE_RECORD, 0).complete()).isTrue();
        assertThat(left.queuePair.counters().datagramsReceived()).as("reports").isGreaterThan(10);
    }

    @Test
    void repliesWithARecord() {
        DatagramEnd left = end(client());
        DatagramEnd right = end(server());
        MemoryRegion into = server().memory(64, REMOTE);
        MemoryRegion back = client().memory(64, REMOTE);
        write(left, right, client().filled(64, 1), into.stag(), 0);
        WorkCompletions batch = WorkCompletions.ofCapacity(1);
        runUntil("the record", () -> right.peer.queue.poll(batch) > 0);
        MemoryRegion from = server().filled(64, 2);
        right.requests
                .replyRecord(2, batch.datagram(0), back.stag(), 0)
                .from(from, 0, 64)
                .unsignaled()
                .post();
        left.expect(Operation.WRITE_RECORD, 0);
        assertThat(Peer.bytes(back)).isEqualTo(Peer.bytes(from));
    }
}
