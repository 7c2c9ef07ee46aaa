package io.stag.cli.perf;

import org.jspecify.annotations.Nullable;

/**
 * What a receiver of datagrams has got.
 *
 * @param whole messages that came completely
 * @param partial messages of which a part was placed
 * @param octets payload of both
 */
public record Arrivals(long whole, long partial, long octets) {
    /** What came between two looks; null when the test does not tell. */
    static @Nullable Arrivals between(@Nullable Arrivals before, @Nullable Arrivals after) {
        return before == null || after == null
                ? null
                : new Arrivals(
                        after.whole - before.whole, after.partial - before.partial, after.octets - before.octets);
    }
}
