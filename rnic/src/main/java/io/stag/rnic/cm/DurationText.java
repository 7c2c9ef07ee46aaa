package io.stag.rnic.cm;

import java.math.BigDecimal;
import java.time.Duration;

/** Durations as people write them in messages: {@code 2 s}, {@code 1.5 s}, {@code 15 ms}. */
final class DurationText {
    private static final Duration MILLISECOND = Duration.ofMillis(1);
    private static final Duration MICROSECOND = Duration.ofNanos(1_000);

    private DurationText() {}

    static String of(Duration duration) {
        BigDecimal nanos =
                BigDecimal.valueOf(duration.getSeconds()).movePointRight(9).add(BigDecimal.valueOf(duration.getNano()));
        if (duration.isZero() || duration.compareTo(Duration.ofSeconds(1)) >= 0) {
            return in("s", nanos, 9);
        }
        if (duration.compareTo(MILLISECOND) >= 0) {
            return in("ms", nanos, 6);
        }
        return duration.compareTo(MICROSECOND) >= 0 ? in("µs", nanos, 3) : in("ns", nanos, 0);
    }

    private static String in(String unit, BigDecimal nanos, int digits) {
        return nanos.movePointLeft(digits).stripTrailingZeros().toPlainString() + " " + unit;
    }
}
