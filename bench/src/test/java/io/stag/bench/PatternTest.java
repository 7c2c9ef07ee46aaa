package io.stag.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;

class PatternTest {
    private static final int LENGTH = 10_003;

    private final MemorySegment memory = Arena.ofAuto().allocate(LENGTH + 1);

    @Test
    void whatWasFilledIsRight() {
        Pattern.fill(memory, 1, LENGTH, 7, 64);
        assertThat(Pattern.firstWrong(memory, 1, LENGTH, 7, 64)).isEqualTo(-1);
        for (int i = 0; i < LENGTH; i++) {
            assertThat(memory.get(ValueLayout.JAVA_BYTE, 1 + i)).isEqualTo(Pattern.octet(7, 64 + i));
        }
    }

    @Test
    void aChangedOctetIsFoundWhereverItIs() {
        for (int at : new int[] {0, 1, 4095, 4096, 9_999, LENGTH - 1}) {
            Pattern.fill(memory, 0, LENGTH, 7, 0);
            memory.set(ValueLayout.JAVA_BYTE, at, (byte) ~memory.get(ValueLayout.JAVA_BYTE, at));
            assertThat(Pattern.firstWrong(memory, 0, LENGTH, 7, 0)).isEqualTo(at);
        }
    }

    @Test
    void anotherRoundOrAnotherPlaceIsWrong() {
        Pattern.fill(memory, 0, LENGTH, 7, 0);
        assertThat(Pattern.firstWrong(memory, 0, LENGTH, 5, 0)).isNotNegative();
        assertThat(Pattern.firstWrong(memory, 0, LENGTH, 7, 8)).isNotNegative();
    }
}
