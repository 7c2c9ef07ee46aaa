package io.stag.rnic.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.simnet.Conforms;
import java.util.BitSet;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class IndexSequenceTest {
    private static final int ALL = 1 << IndexSequence.BITS;

    @Test
    @Conforms("SEC-007")
    void givesEveryIndexOnceBeforeAnyReturns() {
        var sequence = new IndexSequence(new SplittableRandom(5));
        var seen = new BitSet(ALL);
        int first = -1;
        for (int i = 0; i < ALL; i++) {
            int index = sequence.next();
            first = i == 0 ? index : first;
            seen.set(index);
        }
        assertThat(seen.cardinality()).isEqualTo(ALL);
        assertThat(seen.length()).isEqualTo(ALL);
        assertThat(sequence.next()).as("then it starts over").isEqualTo(first);
    }

    @Test
    @Conforms("SEC-006")
    void anotherSecretGivesAnotherOrder() {
        var one = new IndexSequence(new SplittableRandom(1));
        var other = new IndexSequence(new SplittableRandom(2));
        int same = 0;
        for (int i = 0; i < 10_000; i++) {
            same += one.next() == other.next() ? 1 : 0;
        }
        assertThat(same).isLessThan(5);
    }
}
