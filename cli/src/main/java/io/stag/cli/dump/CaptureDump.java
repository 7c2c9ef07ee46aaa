package io.stag.cli.dump;

import io.stag.cli.dump.Conversation.ConversationNumbers;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads a capture and shares its packets out to connections. Memory is bounded, however long the capture is. */
final class CaptureDump {
    private static final int MAX_CONVERSATIONS = 1 << 16;
    private static final long MAX_HELD_OCTETS = 128L << 20;

    /** The two ends, the smaller one first, so that both directions find the same connection. */
    private record Pair(Endpoint lower, Endpoint upper) {
        static Pair of(TcpSegment segment) {
            return segment.source.compareTo(segment.destination) < 0
                    ? new Pair(segment.source, segment.destination)
                    : new Pair(segment.destination, segment.source);
        }
    }

    private final DumpSettings settings;
    private final DumpOutput output;
    private final MemoryBudget budget = new MemoryBudget(MAX_HELD_OCTETS);
    private final ConversationNumbers numbers = new ConversationNumbers();
    private final IpPacket ip = new IpPacket();
    private final TcpSegment segment = new TcpSegment();
    private final UdpDatagram datagram = new UdpDatagram();
    private final DatagramDump datagrams;
    private final LinkedHashMap<Pair, Conversation> conversations = new LinkedHashMap<>(64, 0.75f, true);
    private long packets;
    private long other;
    private long fragments;
    private long unknownLink;
    private long retransmissions;
    private long outOfOrder;
    private Alignment fromInitiators = Alignment.NONE;
    private Alignment fromResponders = Alignment.NONE;
    private long lastTimestampNanos;

    CaptureDump(DumpSettings settings, DumpOutput output) {
        this.settings = settings;
        this.output = output;
        datagrams = new DatagramDump(settings, numbers, output);
    }

    /** Reads to the end of the file. What was read before an exception has been shown. */
    void read(CaptureReader reader) throws IOException {
        try {
            for (CapturedPacket packet = reader.next(); packet != null; packet = reader.next()) {
                take(packet);
            }
        } finally {
            conversations.values().forEach(this::finish);
            conversations.clear();
        }
    }

    /** Counts for the last line. */
    String statistics() {
        String text = packets + " packets";
        text += other == 0 ? "" : ", " + other + " without a whole TCP segment or UDP datagram";
        text += fragments == 0 ? "" : ", " + fragments + " later fragments of UDP datagrams";
        text += unknownLink == 0 ? "" : ", " + unknownLink + " of an unknown link type";
        text += retransmissions == 0 ? "" : ", " + retransmissions + " retransmitted";
        return text + (outOfOrder == 0 ? "" : ", " + outOfOrder + " out of order");
    }

    /** How FPDUs sit in TCP segments; empty when there are none. */
    String alignment() {
        return fromInitiators.plus(fromResponders).fpdus() == 0
                ? ""
                : "FPDUs inside one TCP segment: " + fromInitiators + " from initiators, " + fromResponders
                        + " from responders";
    }

    private void take(CapturedPacket packet) {
        packets++;
        lastTimestampNanos = packet.timestampNanos;
        if (!IpPacket.isSupportedLink(packet.linkType)) {
            unknownLink++;
        } else if (!ip.parse(packet)) {
            other++;
        } else if (segment.parse(ip)) {
            if (settings.takes(segment.source, segment.destination)) {
                conversationOf(segment).segment(segment, packet.timestampNanos);
            }
        } else if (ip.protocol == IpPacket.UDP && ip.fragmentOffset != 0) {
            fragments++;
        } else if (!datagram.parse(ip)) {
            other++;
        } else if (settings.takes(datagram.source, datagram.destination)) {
            datagrams.take(datagram, packet.timestampNanos);
        }
    }

    private Conversation conversationOf(TcpSegment segment) {
        Pair pair = Pair.of(segment);
        Conversation known = conversations.get(pair);
        if (known != null && known.isOver(segment)) {
            finish(known);
            known = null;
        }
        return known != null ? known : open(pair, segment);
    }

    private Conversation open(Pair pair, TcpSegment segment) {
        Conversation opened = new Conversation(segment.source, segment.destination, settings, numbers, budget, output);
        conversations.put(pair, opened);
        if (conversations.size() > MAX_CONVERSATIONS) {
            finish(removeEldest());
        }
        return opened;
    }

    private Conversation removeEldest() {
        Map.@Nullable Entry<Pair, Conversation> eldest = conversations.pollFirstEntry();
        if (eldest == null) {
            throw new IllegalStateException("no connection to remove");
        }
        return eldest.getValue();
    }

    private void finish(Conversation conversation) {
        conversation.finish(lastTimestampNanos);
        retransmissions += conversation.retransmissions();
        outOfOrder += conversation.outOfOrder();
        fromInitiators = fromInitiators.plus(conversation.alignmentFromInitiator());
        fromResponders = fromResponders.plus(conversation.alignmentFromResponder());
    }
}
