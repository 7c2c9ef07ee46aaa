package io.stag.rnic.datagram;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.rnic.datagram.EngineFixture.Written;
import io.stag.rnic.memory.SoftMemoryRegion;
import io.stag.simnet.Conforms;
import io.stag.simnet.Seeds;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Any place, any length, any cuts, any order, any loss: the maps say exactly what is in memory. */
class WriteRecordPropertyTest {
    private static final int REGION = 8_192;

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("io.stag.simnet.Seeds#all")
    @Conforms({"DG-012", "DG-025", "DG-028"})
    void mapsSayExactlyWhatIsInMemory(long seed) {
        Random random = new Random(seed);
        EngineFixture engine = new EngineFixture();
        SoftMemoryRegion target = engine.region(REGION);
        int length = 1 + random.nextInt(4_000);
        int at = random.nextInt(REGION - length + 1);
        List<RawDatagram> segments = new ArrayList<>();
        for (int offset = 0; offset < length; ) {
            int payload = Math.min(64 * (1 + random.nextInt(4)), length - offset);
            segments.add(RawDatagram.write(1, target.stag(), at, length, offset, payload));
            offset += payload;
        }
        Collections.shuffle(segments, random);
        boolean[] placed = new boolean[length];
        boolean closed = false;
        for (RawDatagram segment : segments) {
            if (random.nextInt(4) == 0) {
                continue; // lost
            }
            int copies = 1 + random.nextInt(2);
            for (int copy = 0; copy < copies; copy++) {
                engine.arrive(segment);
            }
            if (!closed) {
                Arrays.fill(placed, segment.offset, segment.offset + segment.payload.length, true);
            }
            closed = !engine.written.isEmpty();
        }
        engine.pass(EngineFixture.MAX_TIMEOUT);
        String hint = Seeds.replay(seed);
        boolean any = false;
        for (int i = 0; i < length; i++) {
            any |= placed[i];
            assertThat(target.segment().get(ValueLayout.JAVA_BYTE, at + i))
                    .as("octet %d, %s", i, hint)
                    .isEqualTo(placed[i] ? RawDatagram.pattern(1, i) : 0);
        }
        assertThat(engine.written).as(hint).hasSize(any ? 1 : 0);
        if (any) {
            checkRecord(engine.written.getFirst(), placed, hint);
        }
        checkRegionMap(EngineFixture.takeValidity(target), at, placed, hint);
        for (int i = 0; i < REGION; i++) {
            if (i < at || i >= at + length) {
                assertThat(target.segment().get(ValueLayout.JAVA_BYTE, i)).isZero();
            }
        }
    }

    private static void checkRecord(Written record, boolean[] placed, String hint) {
        long valid = 0;
        for (int i = 0; i < placed.length; i++) {
            valid += placed[i] ? 1 : 0;
            assertThat(record.map().charAt(i / 64) == '1')
                    .as("octet %d, %s", i, hint)
                    .isEqualTo(placed[i]);
        }
        assertThat(record.valid()).as(hint).isEqualTo(valid);
        assertThat(record.complete()).as(hint).isEqualTo(valid == placed.length);
    }

    private static void checkRegionMap(String map, int at, boolean[] placed, String hint) {
        for (int block = 0; block < map.length(); block++) {
            int from = Math.max(64 * block, at);
            int to = Math.min(64 * block + 64, at + placed.length);
            boolean all = from < to;
            for (int i = from; i < to; i++) {
                all &= placed[i - at];
            }
            assertThat(map.charAt(block) == '1').as("block %d, %s", block, hint).isEqualTo(all);
        }
    }
}
