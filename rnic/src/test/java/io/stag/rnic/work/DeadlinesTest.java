package io.stag.rnic.work;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DeadlinesTest {

    /** An element that knows what it was told last. */
    private static final class Element extends Deadlines.Timed {
        long told = Deadlines.NEVER;
        int since;
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void theEarliestComesFirstAndTheOneSetFirstAmongEquals(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        Deadlines<Element> deadlines = new Deadlines<>();
        List<Element> elements = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            elements.add(new Element());
        }
        for (int step = 1; step < 5_000; step++) {
            Element element = elements.get(random.nextInt(elements.size()));
            long deadline = random.nextInt(4) == 0 ? Deadlines.NEVER : random.nextInt(40);
            if (deadline != element.told) {
                element.told = deadline;
                element.since = step;
            }
            deadlines.set(element, deadline);
            Element first = elements.stream()
                    .filter(one -> one.told != Deadlines.NEVER)
                    .min(Comparator.comparingLong((Element one) -> one.told).thenComparingInt(one -> one.since))
                    .orElse(null);
            assertThat(deadlines.first()).isSameAs(first);
            assertThat(deadlines.next()).isEqualTo(first == null ? Deadlines.NEVER : first.told);
            assertThat(deadlines.size()).isEqualTo((int)
                    elements.stream().filter(one -> one.told != Deadlines.NEVER).count());
        }
    }
}
