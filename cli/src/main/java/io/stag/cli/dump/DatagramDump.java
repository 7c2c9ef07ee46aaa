package io.stag.cli.dump;

import io.stag.cli.dump.Conversation.ConversationNumbers;
import io.stag.verbs.DatagramRefusal;
import java.lang.foreign.MemorySegment;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Shows datagram-iWARP, unreliable and reliable. Nothing announces it: a pair of ends is taken for it when its port was asked for, or from the first
 * datagram on that has the right version, kind, headers and CRC. Memory is bounded.
 */
final class DatagramDump {
    private static final int MAX_PAIRS = 1 << 14;

    /** Two ends; the one that was heard first comes first. */
    private record Pair(Endpoint one, Endpoint other) {}

    /** What is known of a pair. */
    private static final class Flow {
        final int number;
        final MessageHistory forward = new MessageHistory();
        final MessageHistory backward = new MessageHistory();
        final StreamHistory forwardStream = new StreamHistory();
        final StreamHistory backwardStream = new StreamHistory();

        Flow(int number) {
            this.number = number;
        }
    }

    private final DumpSettings settings;
    private final ConversationNumbers numbers;
    private final DumpOutput output;
    private final DatagramSplitter splitter = new DatagramSplitter();
    private final DatagramInspector inspector = new DatagramInspector();
    private final Map<Pair, Flow> flows = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Pair, Flow> eldest) {
            return size() > MAX_PAIRS;
        }
    };

    DatagramDump(DumpSettings settings, ConversationNumbers numbers, DumpOutput output) {
        this.settings = settings;
        this.numbers = numbers;
        this.output = output;
    }

    /** Takes a UDP datagram, which may be anybody's. */
    void take(UdpDatagram datagram, long timestampNanos) {
        MemorySegment packet = MemorySegment.ofArray(datagram.octets);
        int start = datagram.payloadOffset;
        int cut = datagram.isWhole()
                ? splitter.cut(packet, start, datagram.payloadLength)
                : Math.max(1, datagram.fullLength);
        Pair forward = new Pair(datagram.source, datagram.destination);
        boolean isForward = !flows.containsKey(new Pair(datagram.destination, datagram.source));
        Pair pair = isForward ? forward : new Pair(datagram.destination, datagram.source);
        Flow flow = flows.get(pair);
        if (flow == null) {
            if (settings.port() == 0 && !isRecognised(packet, start, Math.min(cut, datagram.fullLength), datagram)) {
                return;
            }
            flow = new Flow(numbers.next());
            flows.put(pair, flow);
            output.datagrams(flow.number, datagram.source + " > " + datagram.destination);
        }
        int at = 0;
        do {
            int full = Math.min(cut, datagram.fullLength - at);
            show(packet, datagram, at, full, flow, isForward, timestampNanos);
            at += Math.max(1, full);
        } while (at < datagram.fullLength);
    }

    private boolean isRecognised(MemorySegment packet, int start, int length, UdpDatagram datagram) {
        Frame.Builder nobodySees = new Frame.Builder(false);
        return datagram.isWhole()
                && inspector.inspect(packet, start, length, length, nobodySees)
                && splitter.isCrcRight(packet, start, length);
    }

    private void show(
            MemorySegment packet,
            UdpDatagram datagram,
            int at,
            int full,
            Flow flow,
            boolean isForward,
            long timestampNanos) {
        Frame.Builder frame = new Frame.Builder(settings.verbose());
        int available = Math.min(full, datagram.payloadLength - at);
        long offset = (long) datagram.payloadOffset + at;
        boolean usable = inspector.inspect(packet, offset, available, full, frame);
        if (datagram.isFragment) {
            frame.note("cut by IP; its other fragments and its CRC are not looked at", "DG-022");
        } else if (available < full) {
            frame.note("cut off by the capture; its CRC cannot be checked", "");
        } else if (splitter.isCrcRight(packet, offset, full)) {
            frame.summary.append(" CRC ok");
        } else {
            frame.summary.append(" CRC wrong");
            frame.anomaly("its CRC is wrong", DatagramRefusal.CRC.rule());
            usable = false; // a receiver believes none of it
        }
        if (full < datagram.fullLength && at == 0) {
            frame.note("the capture shows several datagrams as one, as the system handed them over", "");
        }
        if (usable && inspector.isReliable) {
            (isForward ? flow.forwardStream : flow.backwardStream).datagram(inspector.reliable, frame);
        } else if (usable) {
            (isForward ? flow.forward : flow.backward).segment(inspector, frame);
        }
        output.frame(frame.build(
                timestampNanos, flow.number, isForward ? '>' : '<', usable ? inspector.messageOffset() : 0));
    }
}
