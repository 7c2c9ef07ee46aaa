package io.stag.cli.dump;

import io.stag.verbs.DatagramRefusal;
import io.stag.wire.datagram.DatagramPrefix;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.Map;

/** The last messages of one sender, to see segments that contradict each other or come twice. Memory is bounded. */
final class MessageHistory {
    private static final int MAX_MESSAGES = 256;
    private static final long MAX_TRACKED = 16L << 20;

    /** What all segments of a message have in common. */
    private record Message(long length, boolean tagged, int opcode, int stag, long taggedOffset, BitSet blocks) {
        boolean agrees(Message other) {
            return length == other.length
                    && tagged == other.tagged
                    && opcode == other.opcode
                    && stag == other.stag
                    && taggedOffset == other.taggedOffset;
        }
    }

    private final Map<Long, Message> messages = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, Message> eldest) {
            return size() > MAX_MESSAGES;
        }
    };

    /** Takes a segment whose fields are right by themselves. */
    void segment(DatagramInspector segment, Frame.Builder frame) {
        long key = Integer.toUnsignedLong(segment.prefix.epoch()) << Integer.SIZE
                | Integer.toUnsignedLong(segment.prefix.messageId());
        Message seen = new Message(
                segment.messageLength(),
                segment.tagged,
                segment.opcode,
                segment.stag,
                segment.messageTaggedOffset,
                new BitSet());
        Message known = messages.putIfAbsent(key, seen);
        if (known == null) {
            mark(seen, segment, frame);
        } else if (known.agrees(seen)) {
            mark(known, segment, frame);
        } else {
            frame.anomaly("it contradicts an earlier segment of its message", DatagramRefusal.INCONSISTENT.rule());
        }
    }

    private static void mark(Message message, DatagramInspector segment, Frame.Builder frame) {
        if (message.length > MAX_TRACKED) {
            return;
        }
        int from = (int) (segment.prefixOffset() / DatagramPrefix.BLOCK);
        int to = Math.max(from + 1, Math.ceilDiv((int) segment.prefixOffset() + segment.payload, DatagramPrefix.BLOCK));
        if (!message.blocks.get(from, to).isEmpty()) {
            frame.note("its octets came before", DatagramRefusal.DUPLICATE.rule());
        }
        message.blocks.set(from, to);
    }
}
