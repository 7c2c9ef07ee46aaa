package io.stag.verbs;

import io.stag.verbs.cm.ConnectionSnapshot;
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongBiFunction;
import java.util.function.ToLongFunction;

/**
 * Snapshots as text for Prometheus and what else reads its exposition format, version 0.0.4. How the text is served is up
 * to the program; {@code docs/observability.md} has an example.
 */
public final class RnicMetrics {
    /** The content type to serve the text with. */
    public static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

    private static final double NANOS = 1e9;

    /** What both an RNIC and each of its queue pairs count. */
    private static final List<Measure<QueuePairCounters>> QUEUE_PAIR_COUNTERS = List.of(
            count("messages_sent", "RDMAP messages handed to the transport", QueuePairCounters::messagesSent),
            count("messages_received", "RDMAP messages received", QueuePairCounters::messagesReceived),
            count("sends_sent", "Sends and Immediate Data sent", QueuePairCounters::sendsSent),
            count("sends_received", "Sends and Immediate Data received", QueuePairCounters::sendsReceived),
            count("writes_sent", "RDMA Writes sent", QueuePairCounters::writesSent),
            count("writes_received", "RDMA Writes placed", QueuePairCounters::writesReceived),
            count("reads_sent", "RDMA Read Requests sent", QueuePairCounters::readsSent),
            count("reads_served", "RDMA Reads answered", QueuePairCounters::readsServed),
            count("atomics_sent", "Atomic requests sent", QueuePairCounters::atomicsSent),
            count("atomics_served", "Atomic operations carried out for peers", QueuePairCounters::atomicsServed),
            count("segments_sent", "DDP segments sent", QueuePairCounters::segmentsSent),
            count("segments_received", "DDP segments accepted", QueuePairCounters::segmentsReceived),
            count("sent_bytes", "Stream octets taken by the transport", QueuePairCounters::octetsSent),
            count("received_bytes", "Stream octets received", QueuePairCounters::octetsReceived),
            count("send_stalls", "Times that the transport took less than offered", QueuePairCounters::sendStalls),
            count("completions", "Completions generated", QueuePairCounters::completions),
            count("completion_errors", "Completions without success", QueuePairCounters::completionErrors),
            count("completions_flushed", "Completions of flushed requests", QueuePairCounters::completionsFlushed),
            count("terminates_sent", "Terminate messages sent", QueuePairCounters::terminatesSent),
            count("terminates_received", "Terminate messages received", QueuePairCounters::terminatesReceived));

    /** What both an RNIC and each of its datagram queue pairs count. */
    private static final List<Measure<DatagramCounters>> DATAGRAM_COUNTERS = List.of(
            count("messages_sent", "Messages handed to the network", DatagramCounters::messagesSent),
            count("datagrams_sent", "Datagrams handed to the network", DatagramCounters::datagramsSent),
            count("sent_bytes", "Octets of datagrams sent", DatagramCounters::octetsSent),
            count("send_calls", "Calls that handed datagrams over", DatagramCounters::sendCalls),
            count("send_failures", "Messages that the network refused", DatagramCounters::sendFailures),
            count("datagrams_received", "Datagrams received", DatagramCounters::datagramsReceived),
            count("received_bytes", "Octets of datagrams received", DatagramCounters::octetsReceived),
            count("receive_calls", "Calls that brought datagrams", DatagramCounters::receiveCalls),
            count("messages_received", "Sends received completely", DatagramCounters::messagesReceived),
            count("records_complete", "Write-Records placed completely", DatagramCounters::recordsComplete),
            count("records_partial", "Write-Records placed in part", DatagramCounters::recordsPartial),
            count("placed_bytes", "Octets of payload placed", DatagramCounters::octetsPlaced),
            count("messages_timed_out", "Messages closed by time", DatagramCounters::messagesTimedOut),
            count("messages_displaced", "Messages closed to make room", DatagramCounters::messagesDisplaced),
            count("records_not_queued", "Records that validity maps show only", DatagramCounters::recordsNotQueued),
            count("completions_lost", "Completions that found no room", DatagramCounters::completionsLost),
            count("errors_dropped", "Errors that found no room", DatagramCounters::errorsDropped),
            gauge("open_messages", "Messages of which more is awaited", DatagramCounters::openMessages),
            gauge("sources", "Sources known", DatagramCounters::sources),
            gauge("reassembly_bytes", "Memory for open messages", DatagramCounters::reassemblyOctets));

    private static final List<Measure<DatagramSnapshot>> DATAGRAM_QUEUE_PAIR = List.of(
            gauge("send_queue_depth", "Requests in the send queue", DatagramSnapshot::sendQueueDepth),
            gauge("receive_queue_depth", "Requests in the receive queue", DatagramSnapshot::receiveQueueDepth),
            real(
                    "idle_seconds",
                    "Time since it sent or took something",
                    pair -> pair.idle().toNanos() / NANOS));

    /** What both an RNIC and each of its reliable datagram queue pairs count. */
    private static final List<Measure<ReliableCounters>> RELIABLE_COUNTERS = List.of(
            count("messages_sent", "Messages that a peer acknowledged", ReliableCounters::messagesSent),
            count("messages_received", "Messages that took effect", ReliableCounters::messagesReceived),
            count("datagrams_sent", "Datagrams handed to the network", ReliableCounters::datagramsSent),
            count("sent_bytes", "Octets of datagrams sent", ReliableCounters::octetsSent),
            count("send_calls", "Calls that handed datagrams over", ReliableCounters::sendCalls),
            count("datagrams_received", "Datagrams received", ReliableCounters::datagramsReceived),
            count("received_bytes", "Octets of datagrams received", ReliableCounters::octetsReceived),
            count("receive_calls", "Calls that brought datagrams", ReliableCounters::receiveCalls),
            count("retransmissions", "Datagrams sent again", ReliableCounters::retransmissions),
            count(
                    "spurious_retransmissions",
                    "Datagrams sent again that had come",
                    ReliableCounters::spuriousRetransmissions),
            count("timeouts", "Times that a peer acknowledged nothing for too long", ReliableCounters::timeouts),
            count("duplicates", "Datagrams that came twice", ReliableCounters::duplicates),
            count("out_of_order", "Datagrams that came early", ReliableCounters::outOfOrder),
            count("not_kept", "Early datagrams that found no room", ReliableCounters::notKept),
            count(
                    "acknowledgements_sent",
                    "Datagrams with nothing but an acknowledgement",
                    ReliableCounters::acknowledgementsSent),
            count("peer_not_ready", "Times that a peer had no receive", ReliableCounters::peerNotReady),
            count("not_ready", "Times that a message found no receive", ReliableCounters::notReady),
            count("bad_acknowledgements", "Acknowledgements that were nonsense", ReliableCounters::badAcknowledgements),
            count("streams_failed", "Peers to which requests failed", ReliableCounters::streamsFailed),
            count("peers_refused", "Peers told that they broke a rule", ReliableCounters::peersRefused),
            count("completions_lost", "Completions that found no room", ReliableCounters::completionsLost),
            count("errors_dropped", "Errors that found no room", ReliableCounters::errorsDropped),
            gauge("peers", "Peers remembered", ReliableCounters::peers),
            gauge("active_peers", "Peers with something on its way", ReliableCounters::activePeers),
            real(
                    "round_trip_seconds",
                    "Smoothed round trip to the peer last heard",
                    counters -> counters.roundTripNanos() / NANOS),
            gauge("window", "Datagrams that may be on their way to the peer last heard", ReliableCounters::window));

    private static final List<Measure<ReliableSnapshot>> RELIABLE_QUEUE_PAIR = List.of(
            gauge("send_queue_depth", "Requests in the send queue", ReliableSnapshot::sendQueueDepth),
            gauge("receive_queue_depth", "Requests in the receive queue", ReliableSnapshot::receiveQueueDepth),
            real(
                    "idle_seconds",
                    "Time since a message was sent or taken",
                    pair -> pair.idle().toNanos() / NANOS));

    private static final List<Measure<RnicSnapshot>> RNIC = List.of(
            gauge("connections_open", "Connections established and not yet closed", RnicSnapshot::connectionsOpen),
            gauge("connections_half_open", "Connections in set-up", RnicSnapshot::connectionsHalfOpen),
            count("connections_accepted", "Connections made by peers", RnicSnapshot::connectionsAccepted),
            count("connections_made", "Connections made to peers", RnicSnapshot::connectionsMade),
            count("connections_failed", "Connection set-ups that failed", RnicSnapshot::connectionsFailed),
            count("connections_rejected", "Connection requests rejected", RnicSnapshot::connectionsRejected),
            count("connections_turned_away", "Peers turned away at a limit", RnicSnapshot::connectionsTurnedAway),
            count("connections_lost", "Connections that broke or were reset", RnicSnapshot::connectionsLost),
            count("cq_overflows", "Completions lost to full queues", RnicSnapshot::completionQueueOverflows));

    private static final List<Measure<QueuePairSnapshot>> QUEUE_PAIR = List.of(
            gauge("send_queue_depth", "Requests in the send queue", QueuePairSnapshot::sendQueueDepth),
            gauge("receive_queue_depth", "Requests in the receive queue", QueuePairSnapshot::receiveQueueDepth));

    private static final List<Measure<CompletionQueueSnapshot>> COMPLETION_QUEUE = List.of(
            gauge("depth", "Completions that wait to be polled", CompletionQueueSnapshot::depth),
            gauge("capacity", "Completions that the queue can hold", CompletionQueueSnapshot::capacity));

    private static final List<Measure<RegionSnapshot>> REGION = List.of(
            gauge("bytes", "Length of the memory region", RegionSnapshot::length),
            gauge("valid", "1 when the memory region can be used", region -> region.valid() ? 1 : 0),
            count("remote_writes", "Segments placed by peers", RegionSnapshot::remoteWrites),
            count("remote_reads", "Segments served to peers", RegionSnapshot::remoteReads),
            count("refused", "Accesses refused", RegionSnapshot::refused));

    private static final List<Measure<AgentSnapshot>> AGENT = List.of(
            count("duty_cycles", "Rounds of the agent's loop", AgentSnapshot::dutyCycles),
            count("busy_cycles", "Rounds that found something to do", AgentSnapshot::busyCycles),
            count("doorbells", "Times that posted requests were seen to", AgentSnapshot::doorbells),
            count("selects", "Times that the transport was asked for ready streams", AgentSnapshot::selects),
            count("waits", "Times that a thread was ready to sleep", AgentSnapshot::waits),
            count("stalls", "Rounds that took longer than the stall threshold", AgentSnapshot::stalls),
            real("longest_cycle_seconds", "The longest round", agent -> agent.longestCycleNanos() / NANOS),
            gauge("staging_buffers", "Staging buffers in use", AgentSnapshot::stagingBuffers),
            gauge("staging_bytes", "Memory of all staging buffers", AgentSnapshot::stagingOctets),
            gauge("timers", "Streams with a deadline", AgentSnapshot::timers),
            gauge("hot_streams", "Streams polled in every round", AgentSnapshot::hotStreams));

    private static final List<Measure<ConnectionSnapshot>> CONNECTION = List.of(
            real(
                    "age_seconds",
                    "Time since the connection began",
                    connection -> connection.age().toNanos() / NANOS),
            real(
                    "idle_seconds",
                    "Time since octets moved",
                    connection -> connection.idle().toNanos() / NANOS));

    private RnicMetrics() {}

    /** One RNIC as text. */
    public static String prometheus(RnicSnapshot rnic) {
        return prometheus(List.of(rnic));
    }

    /** Several RNICs as one text. Their names should differ: nothing else tells their values apart. */
    public static String prometheus(Collection<RnicSnapshot> rnics) {
        StringBuilder out = new StringBuilder(16 * 1024);
        List<Row<RnicSnapshot>> all = new ArrayList<>();
        for (RnicSnapshot rnic : rnics) {
            all.add(new Row<>(rnic, label("rnic", rnic.name())));
        }
        RNIC.forEach(measure -> family(out, "stag_", measure, all));
        List<Row<QueuePairCounters>> totals =
                all.stream().map(row -> new Row<>(row.of.totals(), row.labels)).toList();
        QUEUE_PAIR_COUNTERS.forEach(measure -> family(out, "stag_", measure, totals));
        terminates(out, all);
        List<Row<AgentSnapshot>> agents = rows(all, RnicSnapshot::agents, agent -> label("agent", agent.name()));
        AGENT.forEach(measure -> family(out, "stag_agent_", measure, agents));
        List<Row<ConnectionSnapshot>> connections = rows(all, RnicSnapshot::connections, RnicMetrics::labels);
        CONNECTION.forEach(measure -> family(out, "stag_connection_", measure, connections));
        queuePairs(out, all);
        datagrams(out, all);
        reliable(out, all);
        List<Row<CompletionQueueSnapshot>> queues =
                rows(all, RnicSnapshot::completionQueues, queue -> label("cq", queue.id()));
        COMPLETION_QUEUE.forEach(measure -> family(out, "stag_cq_", measure, queues));
        List<Row<RegionSnapshot>> regions = rows(all, RnicSnapshot::regions, region -> label("region", region.id()));
        REGION.forEach(measure -> family(out, "stag_region_", measure, regions));
        return out.toString();
    }

    private static void queuePairs(StringBuilder out, List<Row<RnicSnapshot>> all) {
        List<Row<QueuePairSnapshot>> states = rows(
                all,
                RnicSnapshot::queuePairs,
                pair -> label("qp", pair.id()) + ","
                        + label("state", pair.state().name()));
        family(out, "stag_qp_", gauge("state", "1 for the present state of the queue pair", _ -> 1), states);
        List<Row<QueuePairSnapshot>> pairs = rows(all, RnicSnapshot::queuePairs, pair -> label("qp", pair.id()));
        QUEUE_PAIR.forEach(measure -> family(out, "stag_qp_", measure, pairs));
        List<Row<QueuePairCounters>> counters = pairs.stream()
                .map(row -> new Row<>(row.of.counters(), row.labels))
                .toList();
        QUEUE_PAIR_COUNTERS.forEach(measure -> family(out, "stag_qp_", measure, counters));
    }

    private static void datagrams(StringBuilder out, List<Row<RnicSnapshot>> all) {
        List<Row<DatagramCounters>> totals = all.stream()
                .map(row -> new Row<>(row.of.datagramTotals(), row.labels))
                .toList();
        DATAGRAM_COUNTERS.forEach(measure -> family(out, "stag_datagram_", measure, totals));
        refusals(out, "stag_datagram_", totals, DatagramCounters::refused);
        List<Row<DatagramSnapshot>> pairs = rows(
                all,
                RnicSnapshot::datagramQueuePairs,
                pair -> label("qp", pair.id()) + "," + label("local", text(pair.localAddress())));
        DATAGRAM_QUEUE_PAIR.forEach(measure -> family(out, "stag_datagram_qp_", measure, pairs));
        List<Row<DatagramCounters>> counters = pairs.stream()
                .map(row -> new Row<>(row.of.counters(), row.labels))
                .toList();
        DATAGRAM_COUNTERS.forEach(measure -> family(out, "stag_datagram_qp_", measure, counters));
        refusals(out, "stag_datagram_qp_", counters, DatagramCounters::refused);
    }

    private static void reliable(StringBuilder out, List<Row<RnicSnapshot>> all) {
        List<Row<ReliableCounters>> totals = all.stream()
                .map(row -> new Row<>(row.of.reliableTotals(), row.labels))
                .toList();
        RELIABLE_COUNTERS.forEach(measure -> family(out, "stag_reliable_", measure, totals));
        refusals(out, "stag_reliable_", totals, ReliableCounters::refused);
        List<Row<ReliableSnapshot>> pairs = rows(
                all,
                RnicSnapshot::reliableQueuePairs,
                pair -> label("qp", pair.id()) + "," + label("local", text(pair.localAddress())));
        RELIABLE_QUEUE_PAIR.forEach(measure -> family(out, "stag_reliable_qp_", measure, pairs));
        List<Row<ReliableCounters>> counters = pairs.stream()
                .map(row -> new Row<>(row.of.counters(), row.labels))
                .toList();
        RELIABLE_COUNTERS.forEach(measure -> family(out, "stag_reliable_qp_", measure, counters));
        refusals(out, "stag_reliable_qp_", counters, ReliableCounters::refused);
    }

    private static <T> void refusals(
            StringBuilder out, String prefix, List<Row<T>> all, ToLongBiFunction<T, DatagramRefusal> refused) {
        List<Row<Long>> rows = new ArrayList<>();
        for (Row<T> row : all) {
            for (DatagramRefusal reason : DatagramRefusal.values()) {
                long count = refused.applyAsLong(row.of, reason);
                if (count > 0) {
                    rows.add(new Row<>(
                            count,
                            row.labels + "," + label("reason", reason.name().toLowerCase(Locale.ROOT))));
                }
            }
        }
        family(out, prefix, count("refused", "Datagrams refused, by reason", Long::longValue), rows);
    }

    private static void terminates(StringBuilder out, List<Row<RnicSnapshot>> all) {
        List<Row<Long>> rows = new ArrayList<>();
        for (Row<RnicSnapshot> rnic : all) {
            for (TerminateCount count : rnic.of.terminates()) {
                String code = count.code() == ErrorDetail.NO_TERMINATE
                        ? "unassigned"
                        : String.format(Locale.ROOT, "0x%04x", count.code());
                String labels = rnic.labels + "," + label("code", code) + ",";
                rows.add(new Row<>(count.sent(), labels + label("direction", "sent")));
                rows.add(new Row<>(count.received(), labels + label("direction", "received")));
            }
        }
        family(out, "stag_", count("terminates_by_code", "Terminate messages by their code", Long::longValue), rows);
    }

    private static String labels(ConnectionSnapshot connection) {
        return label("connection", connection.id())
                + "," + label("qp", connection.queuePair())
                + "," + label("remote", text(connection.remoteAddress()));
    }

    private static String text(InetSocketAddress address) {
        String host = address.isUnresolved()
                ? address.getHostString()
                : address.getAddress().getHostAddress(); // never asks a name server
        return (address.getAddress() instanceof Inet6Address ? "[" + host + "]" : host) + ":" + address.getPort();
    }

    /** The things of a kind that all RNICs have, with their labels behind the RNIC's. */
    private static <T> List<Row<T>> rows(
            List<Row<RnicSnapshot>> all, Function<RnicSnapshot, List<T>> things, Function<T, String> labels) {
        List<Row<T>> rows = new ArrayList<>();
        for (Row<RnicSnapshot> rnic : all) {
            for (T thing : things.apply(rnic.of)) {
                rows.add(new Row<>(thing, rnic.labels + "," + labels.apply(thing)));
            }
        }
        return rows;
    }

    /** All samples of one metric stand together, behind one HELP and one TYPE line; without samples there is nothing. */
    private static <T> void family(StringBuilder out, String prefix, Measure<T> measure, List<Row<T>> rows) {
        if (rows.isEmpty()) {
            return;
        }
        String name = prefix + measure.name;
        out.append("# HELP ").append(name).append(' ').append(measure.help).append(".\n");
        out.append("# TYPE ").append(name).append(measure.counter ? " counter\n" : " gauge\n");
        for (Row<T> row : rows) {
            out.append(name).append('{').append(row.labels).append("} ");
            out.append(measure.value.apply(row.of)).append('\n');
        }
    }

    private static String label(String name, long value) {
        return name + "=\"" + value + '"';
    }

    private static String label(String name, String value) {
        return name + "=\"" + value.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n") + '"';
    }

    private static <T> Measure<T> count(String name, String help, ToLongFunction<T> value) {
        return new Measure<>(name + "_total", help, true, of -> Long.toString(value.applyAsLong(of)));
    }

    private static <T> Measure<T> gauge(String name, String help, ToLongFunction<T> value) {
        return new Measure<>(name, help, false, of -> Long.toString(value.applyAsLong(of)));
    }

    private static <T> Measure<T> real(String name, String help, ToDoubleFunction<T> value) {
        return new Measure<>(name, help, false, of -> Double.toString(value.applyAsDouble(of)));
    }

    private record Measure<T>(String name, String help, boolean counter, Function<T, String> value) {}

    private record Row<T>(T of, String labels) {}
}
