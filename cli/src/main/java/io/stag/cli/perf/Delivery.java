package io.stag.cli.perf;

import com.google.gson.annotations.SerializedName;

/**
 * How much of what was sent arrived. A round trip counts as one message that is whole or lost.
 *
 * @param sent messages that left
 * @param received messages that came completely
 * @param partial messages of which a part was placed: Write-Records only
 * @param lost messages of which nothing was delivered
 * @param octetsPercent payload that arrived, in percent of what left
 */
public record Delivery(
        long sent,
        long received,
        long partial,
        long lost,
        @SerializedName("octets_percent") double octetsPercent) {
    private static final double PERCENT = 100;

    /** One way. */
    static Delivery of(long sent, int size, Arrivals arrivals) {
        long lost = sent - arrivals.whole() - arrivals.partial();
        return new Delivery(sent, arrivals.whole(), arrivals.partial(), lost, percent(arrivals.octets(), sent * size));
    }

    /** There and back. */
    static Delivery ofRoundTrips(long answered, long lost) {
        return new Delivery(answered + lost, answered, 0, lost, percent(answered, answered + lost));
    }

    private static double percent(long part, long whole) {
        return whole == 0 ? PERCENT : Math.round((double) part / whole * PERCENT * 1e4) / 1e4;
    }
}
