package io.stag.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.simnet.Conforms;
import io.stag.simnet.Seeds;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class SerialNumberTest {
    @Test
    @Conforms("DDP-023")
    void zeroFollowsTheLargestNumber() {
        int largest =
                (int) Vectors.number(Vectors.positive("SEND-MSN-WRAP").ddp().path("msn"));
        assertThat(largest).isEqualTo(0xFFFF_FFFF);
        assertThat(SerialNumber.next(largest)).isZero();
        assertThat(SerialNumber.lessThan(largest, 0)).isTrue();
        assertThat(SerialNumber.lessThan(0, largest)).isFalse();
        assertThat(SerialNumber.distance(largest, 0)).isOne();
        assertThat(SerialNumber.distance(0, largest)).isEqualTo(-1);
    }

    @Test
    void noNumberIsLessThanItself() {
        assertThat(SerialNumber.lessThan(7, 7)).isFalse();
        assertThat(SerialNumber.distance(7, 7)).isZero();
    }

    @Test
    void theOrderReachesJustShortOfHalfTheCircle() {
        assertThat(SerialNumber.lessThan(5, 5 + 0x7FFF_FFFF)).isTrue();
        assertThat(SerialNumber.lessThan(5 + 0x7FFF_FFFF, 5)).isFalse();
        assertThat(SerialNumber.lessThan(5, 6 + 0x8000_0000)).isFalse();
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("io.stag.simnet.Seeds#all")
    void stepsForwardAreCountedFromAnyNumber(long seed) {
        var random = new SplittableRandom(seed);
        int from = random.nextInt();
        int steps = 1 + random.nextInt(Integer.MAX_VALUE - 1);
        int to = from + steps;
        assertThat(SerialNumber.distance(from, to)).as(Seeds.replay(seed)).isEqualTo(steps);
        assertThat(SerialNumber.lessThan(from, to)).as(Seeds.replay(seed)).isTrue();
        assertThat(SerialNumber.lessThan(to, from)).as(Seeds.replay(seed)).isFalse();
    }
}
