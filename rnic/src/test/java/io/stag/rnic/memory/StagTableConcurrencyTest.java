package io.stag.rnic.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.verbs.Access;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class StagTableConcurrencyTest {
    private static final int SLOTS = 8;
    private static final int CHANGES = 20_000;
    private static final Set<Access> READ = Set.of(Access.LOCAL_READ);

    private final MemorySegment memory = Arena.ofAuto().allocate(1000);
    private final StagTable table = new StagTable(new SplittableRandom(1), 100);
    private final AtomicIntegerArray stags = new AtomicIntegerArray(SLOTS);
    private final AtomicBoolean done = new AtomicBoolean();
    private final AtomicLong found = new AtomicLong();

    @Test
    @Timeout(60)
    void aReaderNeverSeesAMixOfTwoRegistrations() throws Exception {
        FutureTask<List<String>> reader = new FutureTask<>(this::readUntilDone);
        Thread.ofPlatform().name("stag-test-reader").start(reader);
        var random = new SplittableRandom(9);
        SoftMemoryRegion[] regions = new SoftMemoryRegion[SLOTS];
        for (int i = 0; i < CHANGES || (found.get() == 0 && !reader.isDone()); i++) {
            int slot = i % SLOTS;
            SoftMemoryRegion region = regions[slot];
            // domain and length are equal at registration, so a mix shows
            int size = 1 + random.nextInt(900);
            if (region != null && random.nextInt(3) == 0) {
                region.reregister(memory.asSlice(0, region.domain()), READ);
            } else {
                if (region != null) {
                    region.close();
                }
                region = table.register(size, memory.asSlice(0, size), Rights.LOCAL_READ, TestDomain.OWNER);
                regions[slot] = region;
            }
            stags.set(slot, region.stag());
            assertThat(table.lookup(region.stag())).isNotNull();
        }
        done.set(true);
        assertThat(reader.get()).as("mixed grants").isEmpty();
    }

    private List<String> readUntilDone() {
        List<String> torn = new ArrayList<>();
        int[] held = new int[SLOTS];
        for (int i = 0; !done.get(); i++) {
            for (int slot = 0; slot < SLOTS; slot++) {
                // every other time an STag that may be long gone, as a peer could hold it
                int stag = i % 2 == 0 ? held[slot] : stags.get(slot);
                held[slot] = stag;
                Grant grant = table.lookup(stag);
                if (grant == null) {
                    continue;
                }
                found.incrementAndGet();
                if (grant.stag() != stag
                        || grant.length() != grant.domain()
                        || grant.memory().byteSize() != grant.length()
                        || grant.rights() != Rights.LOCAL_READ
                        || grant.entry().index() != stag >>> 8) {
                    torn.add(grant.toString());
                }
            }
        }
        return torn;
    }
}
