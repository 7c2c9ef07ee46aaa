package io.stag.rnic.rdmap;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.rnic.memory.SoftMemoryRegion;
import io.stag.rnic.mpa.Splices;
import io.stag.rnic.mpa.StagingBuffer;
import io.stag.rnic.mpa.StagingPool;
import io.stag.rnic.work.ReceiveWork;
import io.stag.simnet.AllocationMeter;
import io.stag.verbs.CompletionStatus;
import io.stag.verbs.ErrorDetail;
import io.stag.verbs.Operation;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A warm data path allocates nothing: less than 0.01 octet per operation. Long messages are fewer in the ordinary run;
 * {@code -Dstag.allocation.operations=1000000} gives all sizes a million.
 */
class StreamAllocationTest {
    private static final int WARM_UP = 30_000;
    private static final int LONGEST = 65_536;

    @ParameterizedTest(name = "{0} octets, markers {1}, CRC {2}, gathering {3}, {4} operations")
    @CsvSource({
        "64, false, true, false, 1000000",
        "64, true, true, false, 1000000",
        "65536, false, true, false, 20000",
        "65536, true, true, false, 20000",
        "65536, false, true, true, 20000",
        "65536, false, false, true, 20000"
    })
    void aWarmDataPathAllocatesNothing(int length, boolean markers, boolean crc, boolean gathering, int fewest) {
        int operations = Integer.getInteger("stag.allocation.operations", fewest);
        var left = new Side(Settings.initiator().crc(crc).markersSent(markers).markersReceived(markers), gathering);
        var right = new Side(Settings.responder().crc(crc).markersSent(markers).markersReceived(markers), gathering);
        var meter = new AllocationMeter();
        run(left, right, length, Math.min(operations, WARM_UP));
        // the compiler may need another round, and its leftovers must not count
        long least = Long.MAX_VALUE;
        for (int round = 0; round < 3 && least > operations / 100; round++) {
            least = Math.min(least, meter.octetsAllocatedBy(() -> run(left, right, length, operations)));
        }
        assertThat(left.failures + right.failures).isZero();
        assertThat(left.completions).isEqualTo(right.completions).isGreaterThanOrEqualTo(operations / 2);
        assertThat(least).as("octets in %d operations", operations).isLessThan(operations / 100);
    }

    /** As many operations of all kinds, half of them from either side. */
    private static void run(Side left, Side right, int length, int operations) {
        for (int i = 0; i < operations; i++) {
            Side from = (i & 1) == 0 ? left : right;
            Side to = (i & 1) == 0 ? right : left;
            from.post(i >>> 1, to, length);
            while (left.stream.hasOutput() || right.stream.hasOutput()) {
                left.transmitTo(right);
                right.transmitTo(left);
            }
        }
    }

    private static final class Side implements StreamOwner {
        private final StreamFixture fixture;
        private final RdmaStream stream;
        private final SoftMemoryRegion memory;
        private final StagingBuffer out = new StagingBuffer(StagingPool.WORKING_CAPACITY);
        private final StagingBuffer joined = new StagingBuffer(StagingPool.WORKING_CAPACITY);
        private final StagingBuffer in = new StagingBuffer(StagingPool.WORKING_CAPACITY);
        private final @Nullable Splices splices;
        private long completions;
        private long failures;

        Side(Settings settings, boolean gathering) {
            splices = gathering ? new Splices() : null;
            fixture = new StreamFixture(settings);
            memory = fixture.register(new GuardedMemory(LONGEST));
            stream = new RdmaStream(
                    settings.emss(9_000).build(),
                    fixture.sendQueue,
                    fixture.receiveQueue,
                    fixture.stags,
                    StreamFixture.DOMAIN,
                    StreamFixture.QUEUE_PAIR,
                    this,
                    new StreamCounters());
            if (gathering) {
                stream.useGathering(1_000);
            }
        }

        void post(int number, Side peer, int length) {
            switch (number % 5) {
                case 0 -> fixture.requests.write(number, peer.memory.stag(), 0).from(memory, 0, length);
                case 1 -> {
                    peer.fixture
                            .receives
                            .receive(number)
                            .into(peer.memory, 0, length)
                            .post();
                    fixture.requests.send(number).from(memory, 0, length / 2).from(memory, 0, length - length / 2);
                }
                case 2 -> fixture.requests.read(number, peer.memory.stag(), 0).into(memory, 0, length);
                case 3 ->
                    fixture.requests.fetchAdd(number, peer.memory.stag(), 0, 1).into(memory, 8, 8);
                default -> {
                    peer.fixture.receives.receive(number).post();
                    fixture.requests.immediate(number, number);
                }
            }
            fixture.requests.post();
        }

        void transmitTo(Side peer) {
            stream.pollTransmit(out, splices, Integer.MAX_VALUE);
            StagingBuffer all = out;
            if (splices != null) {
                all = joined;
                splices.copyRest(out, 0, joined);
                splices.clear();
                out.clear();
            }
            stream.transmitted(all.size());
            MemorySegment.copy(all.segment(), all.start(), peer.in.segment(), peer.in.end(), all.size());
            peer.in.append(all.size());
            all.clear();
            peer.stream.received(peer.in, Integer.MAX_VALUE);
        }

        @Override
        public void sendCompleted(long id, Operation operation, long length) {
            completions++;
        }

        @Override
        public void receiveCompleted(
                ReceiveWork work, Operation operation, long length, int flags, long immediate, int invalidatedStag) {}

        @Override
        public void receiveFailed(ReceiveWork work, CompletionStatus status, ErrorDetail detail) {
            failures++;
        }

        @Override
        public void receiveTaken() {}

        @Override
        public void firstSegmentReceived() {}

        @Override
        public void failed(StreamFailure failure) {
            failures++;
        }

        @Override
        public void terminateReceived(ErrorDetail detail) {
            failures++;
        }
    }
}
