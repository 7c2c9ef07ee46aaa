package io.stag.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import io.stag.verbs.cm.Connection;
import io.stag.verbs.cm.ConnectionSnapshot;
import java.lang.reflect.RecordComponent;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RnicMetricsTest {
    private static final int STAG = 0x1234_5678;

    /** Counters with the values 1, 2, 3 …, times {@code factor}, in their order. */
    private static QueuePairCounters counters(long factor) {
        return new QueuePairCounters(
                factor,
                2 * factor,
                3 * factor,
                4 * factor,
                5 * factor,
                6 * factor,
                7 * factor,
                8 * factor,
                9 * factor,
                10 * factor,
                11 * factor,
                12 * factor,
                13 * factor,
                14 * factor,
                15 * factor,
                16 * factor,
                17 * factor,
                18 * factor,
                19 * factor,
                20 * factor);
    }

    /** Counters with the values 1, 2, 3 …, times {@code factor}, in their order. */
    private static DatagramCounters datagrams(int factor) {
        return new DatagramCounters(
                factor,
                2 * factor,
                3 * factor,
                4 * factor,
                5 * factor,
                6 * factor,
                7 * factor,
                8 * factor,
                9 * factor,
                10 * factor,
                11 * factor,
                12 * factor,
                13 * factor,
                14 * factor,
                15 * factor,
                16 * factor,
                17 * factor,
                18 * factor,
                19 * factor,
                20 * factor,
                factor == 0 ? Map.of() : Map.of(DatagramRefusal.NO_RECEIVE, 21L * factor));
    }

    /** Counters with the values 1, 2, 3 …, times {@code factor}, in their order; the round trip in seconds. */
    private static ReliableCounters reliable(int factor) {
        return new ReliableCounters(
                factor,
                2 * factor,
                3 * factor,
                4 * factor,
                5 * factor,
                6 * factor,
                7 * factor,
                8 * factor,
                9 * factor,
                10 * factor,
                11 * factor,
                12 * factor,
                13 * factor,
                14 * factor,
                15 * factor,
                16 * factor,
                17 * factor,
                18 * factor,
                19 * factor,
                20 * factor,
                21 * factor,
                22 * factor,
                23 * factor,
                24 * factor,
                25_000_000_000L * factor,
                26 * factor,
                factor == 0 ? Map.of() : Map.of(DatagramRefusal.FORMER_LIFE, 27L * factor));
    }

    private static RnicSnapshot rnic(String name) {
        InetSocketAddress local = new InetSocketAddress(InetAddress.ofLiteral("2001:db8::1"), 7174);
        InetSocketAddress remote = new InetSocketAddress(InetAddress.ofLiteral("2001:db8::2"), 40_000);
        return new RnicSnapshot(
                name,
                101,
                102,
                103,
                104,
                105,
                106,
                107,
                108,
                109,
                counters(1_000),
                datagrams(1_000),
                reliable(1_000),
                List.of(
                        new TerminateCount(0x1100, "The STag is not valid.", 3, 4),
                        new TerminateCount(ErrorDetail.NO_TERMINATE, "No RFC assigns it.", 0, 1)),
                List.of(new AgentSnapshot(name + "-agent-0", 1, 2, 3, 4, 5, 6, 7_500_000, 8, 9, 10, 11)),
                List.of(new ConnectionSnapshot(
                        5,
                        7,
                        true,
                        local,
                        remote,
                        Connection.State.ESTABLISHED,
                        Duration.ofMillis(90_500),
                        Duration.ofMillis(1),
                        Optional.empty())),
                List.of(
                        new QueuePairSnapshot(7, QueuePairState.RTS, 21, 22, counters(1)),
                        new QueuePairSnapshot(8, QueuePairState.ERROR, 23, 24, counters(100))),
                List.of(new DatagramSnapshot(9, local, 25, 26, Duration.ofMillis(1_500), datagrams(1))),
                List.of(new ReliableSnapshot(
                        10, local, ReliableQueuePair.State.READY, 27, 28, Duration.ofMillis(2_500), reliable(1))),
                List.of(new CompletionQueueSnapshot(1, 64, 12, false)),
                List.of(new RegionSnapshot(2, STAG, 4_096, true, 31, 32, 33)));
    }

    private static ExpositionText parsed(RnicSnapshot... rnics) {
        return ExpositionText.parse(RnicMetrics.prometheus(List.of(rnics)));
    }

    @Test
    void theTextFollowsTheFormat() {
        ExpositionText text = parsed(rnic("stag0"));
        assertThat(text.samples()).hasSizeGreaterThan(80);
        assertThat(text.types())
                .allSatisfy((name, type) ->
                        assertThat(name.endsWith("_total")).as(name).isEqualTo(type.equals("counter")));
    }

    @Test
    void everyValueIsUnderItsName() {
        assertThat(parsed(rnic("stag0")).samples())
                .contains(
                        entry("stag_connections_open{rnic=\"stag0\"}", 101.0),
                        entry("stag_connections_half_open{rnic=\"stag0\"}", 102.0),
                        entry("stag_connections_accepted_total{rnic=\"stag0\"}", 103.0),
                        entry("stag_connections_made_total{rnic=\"stag0\"}", 104.0),
                        entry("stag_connections_failed_total{rnic=\"stag0\"}", 105.0),
                        entry("stag_connections_rejected_total{rnic=\"stag0\"}", 106.0),
                        entry("stag_connections_turned_away_total{rnic=\"stag0\"}", 107.0),
                        entry("stag_connections_lost_total{rnic=\"stag0\"}", 108.0),
                        entry("stag_cq_overflows_total{rnic=\"stag0\"}", 109.0),
                        entry("stag_sent_bytes_total{rnic=\"stag0\"}", 13_000.0),
                        entry("stag_terminates_by_code_total{rnic=\"stag0\",code=\"0x1100\",direction=\"sent\"}", 3.0),
                        entry(
                                "stag_terminates_by_code_total{rnic=\"stag0\",code=\"unassigned\",direction=\"received\"}",
                                1.0),
                        entry("stag_agent_duty_cycles_total{rnic=\"stag0\",agent=\"stag0-agent-0\"}", 1.0),
                        entry("stag_agent_longest_cycle_seconds{rnic=\"stag0\",agent=\"stag0-agent-0\"}", 0.0075),
                        entry(
                                "stag_connection_age_seconds{rnic=\"stag0\",connection=\"5\",qp=\"7\","
                                        + "remote=\"[2001:db8:0:0:0:0:0:2]:40000\"}",
                                90.5),
                        entry("stag_qp_state{rnic=\"stag0\",qp=\"7\",state=\"RTS\"}", 1.0),
                        entry("stag_qp_send_queue_depth{rnic=\"stag0\",qp=\"8\"}", 23.0),
                        entry("stag_qp_received_bytes_total{rnic=\"stag0\",qp=\"8\"}", 1_400.0),
                        entry("stag_cq_depth{rnic=\"stag0\",cq=\"1\"}", 12.0),
                        entry("stag_cq_capacity{rnic=\"stag0\",cq=\"1\"}", 64.0),
                        entry("stag_region_bytes{rnic=\"stag0\",region=\"2\"}", 4_096.0),
                        entry("stag_region_refused_total{rnic=\"stag0\",region=\"2\"}", 33.0));
    }

    @Test
    void everyCounterOfAQueuePairIsThereTwice() {
        Map<String, Double> samples = parsed(rnic("stag0")).samples();
        RecordComponent[] components = QueuePairCounters.class.getRecordComponents();
        for (int i = 0; i < components.length; i++) {
            String metric = metric(components[i].getName());
            assertThat(samples)
                    .containsEntry("stag_qp_" + metric + "_total{rnic=\"stag0\",qp=\"7\"}", i + 1.0)
                    .containsEntry("stag_" + metric + "_total{rnic=\"stag0\"}", 1_000.0 * (i + 1));
        }
    }

    @Test
    void everyCounterOfADatagramQueuePairIsThereTwice() {
        Map<String, Double> samples = parsed(rnic("stag0")).samples();
        String labels = "{rnic=\"stag0\",qp=\"9\",local=\"[2001:db8:0:0:0:0:0:1]:7174\"";
        RecordComponent[] components = DatagramCounters.class.getRecordComponents();
        for (int i = 0; i < components.length - 1; i++) {
            boolean present =
                    List.of("openMessages", "sources", "reassemblyOctets").contains(components[i].getName());
            String metric = metric(components[i].getName()) + (present ? "" : "_total");
            assertThat(samples)
                    .containsEntry("stag_datagram_qp_" + metric + labels + "}", i + 1.0)
                    .containsEntry("stag_datagram_" + metric + "{rnic=\"stag0\"}", 1_000.0 * (i + 1));
        }
        assertThat(samples)
                .containsEntry("stag_datagram_qp_refused_total" + labels + ",reason=\"no_receive\"}", 21.0)
                .containsEntry("stag_datagram_refused_total{rnic=\"stag0\",reason=\"no_receive\"}", 21_000.0)
                .containsEntry("stag_datagram_qp_send_queue_depth" + labels + "}", 25.0)
                .containsEntry("stag_datagram_qp_receive_queue_depth" + labels + "}", 26.0)
                .containsEntry("stag_datagram_qp_idle_seconds" + labels + "}", 1.5);
    }

    @Test
    void everyCounterOfAReliableQueuePairIsThereTwice() {
        Map<String, Double> samples = parsed(rnic("stag0")).samples();
        String labels = "{rnic=\"stag0\",qp=\"10\",local=\"[2001:db8:0:0:0:0:0:1]:7174\"";
        RecordComponent[] components = ReliableCounters.class.getRecordComponents();
        for (int i = 0; i < components.length - 1; i++) {
            boolean present =
                    List.of("peers", "activePeers", "roundTripNanos", "window").contains(components[i].getName());
            String metric = metric(components[i].getName()) + (present ? "" : "_total");
            assertThat(samples)
                    .containsEntry("stag_reliable_qp_" + metric + labels + "}", i + 1.0)
                    .containsEntry("stag_reliable_" + metric + "{rnic=\"stag0\"}", 1_000.0 * (i + 1));
        }
        assertThat(samples)
                .containsEntry("stag_reliable_qp_refused_total" + labels + ",reason=\"former_life\"}", 27.0)
                .containsEntry("stag_reliable_qp_send_queue_depth" + labels + "}", 27.0)
                .containsEntry("stag_reliable_qp_idle_seconds" + labels + "}", 2.5);
    }

    /** {@code readsServed} is {@code reads_served}; octets are bytes, as everywhere in Prometheus. */
    private static String metric(String component) {
        return switch (component) {
            case "octetsSent" -> "sent_bytes";
            case "octetsReceived" -> "received_bytes";
            case "octetsPlaced" -> "placed_bytes";
            case "reassemblyOctets" -> "reassembly_bytes";
            case "roundTripNanos" -> "round_trip_seconds";
            default -> component.replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT);
        };
    }

    @Test
    void severalRnicsShareOneDescriptionPerMetric() {
        ExpositionText text = parsed(rnic("one"), rnic("two"));
        ToDoubleFunction<String> open = name -> text.samples().get("stag_connections_open{rnic=\"" + name + "\"}");
        assertThat(open.applyAsDouble("one")).isEqualTo(open.applyAsDouble("two"));
    }

    @Test
    void namesAreEscaped() {
        assertThat(parsed(rnic("a\"b\\c\nd")).samples()).containsKey("stag_connections_open{rnic=\"a\\\"b\\\\c\\nd\"}");
    }

    @Test
    void noStagIsShown() {
        assertThat(RnicMetrics.prometheus(rnic("stag0")))
                .doesNotContain(Integer.toString(STAG), Integer.toHexString(STAG));
    }

    @Test
    void anRnicThatDidNothingHasATextToo() {
        RnicSnapshot idle = new RnicSnapshot(
                "idle",
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                counters(0),
                datagrams(0),
                reliable(0),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of());
        assertThat(parsed(idle).samples())
                .isNotEmpty()
                .allSatisfy((_, value) -> assertThat(value).isZero());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "# HELP a text.\n# TYPE a gauge\na{b=\"c\"} 1",
                "# TYPE a gauge\na{b=\"c\"} 1\n",
                "# HELP a text.\na{b=\"c\"} 1\n",
                "# HELP a text.\n# TYPE a histogram\na{b=\"c\"} 1\n",
                "# HELP a text.\n# TYPE a gauge\nb{b=\"c\"} 1\n",
                "# HELP a text.\n# TYPE a gauge\na{b=\"c\"} 1\na{b=\"c\"} 2\n",
                "# HELP a text.\n# TYPE a gauge\na{b=\"c\"d\"} 1\n",
                "# HELP a text.\n# TYPE a gauge\na{b=\"c\",} 1\n",
                "# HELP a text.\n# TYPE a gauge\na{b=\"c\",b=\"d\"} 1\n",
                "# HELP a text.\n# TYPE a gauge\na{b=\"c\"}1\n",
                "# HELP a text.\n# TYPE a gauge\na{b=\"c\"} one\n",
                "# HELP a text.\n# TYPE a counter\na{b=\"c\"} -1\n",
                "# HELP a text.\n# TYPE a gauge\n\na{b=\"c\"} 1\n",
            })
    void theCheckOfTheFormatRefuses(String text) {
        assertThatThrownBy(() -> ExpositionText.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }
}
