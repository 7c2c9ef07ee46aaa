package io.stag.rnic.rdmap;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.rnic.memory.SoftMemoryRegion;
import io.stag.rnic.rdmap.RecordingOwner.Completion;
import io.stag.verbs.CompletionStatus;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The owner of memory may change it while a peer reads it. */
class TornMemoryTest {
    private static final int LENGTH = 64 * 1024;
    private static final int CHANGES = 50;

    @ParameterizedTest(name = "markers {0}")
    @ValueSource(booleans = {false, true})
    void memoryThatChangesWhileItIsReadGivesTornDataButNeverAWrongCrc(boolean markers) throws InterruptedException {
        var pair = new StreamPair(
                Settings.initiator().markersReceived(markers),
                Settings.responder().markersSent(markers).emss(65_483),
                new SplittableRandom(1));
        var memory = new GuardedMemory(LENGTH);
        SoftMemoryRegion region = pair.right.register(memory);
        var sink = new GuardedMemory(LENGTH);
        SoftMemoryRegion sinkRegion = pair.left.register(sink);
        var stop = new AtomicBoolean();
        Thread writer = Thread.ofPlatform().name("stag-test-writer").start(() -> keepWriting(memory.segment(), stop));
        int reads = 0;
        int changes = 0;
        byte last = 0;
        while (changes < CHANGES) {
            pair.left
                    .requests
                    .read(reads++, region.stag(), 0)
                    .into(sinkRegion, 0, LENGTH)
                    .post();
            pair.run();
            byte seen = sink.octets(LENGTH - 1, 1)[0];
            changes += seen == last ? 0 : 1;
            last = seen;
            if (!pair.left.owner.failures.isEmpty()) {
                break;
            }
        }
        stop.set(true);
        writer.join();
        assertThat(pair.left.owner.failures).isEmpty();
        assertThat(pair.left.owner.terminates).isEmpty();
        assertThat(pair.right.owner.failures).isEmpty();
        assertThat(pair.left.owner.completions)
                .hasSize(reads)
                .extracting(Completion::status)
                .containsOnly(CompletionStatus.SUCCESS);
    }

    private static void keepWriting(MemorySegment memory, AtomicBoolean stop) {
        for (byte value = 1; !stop.get(); value++) {
            memory.fill(value);
        }
    }
}
