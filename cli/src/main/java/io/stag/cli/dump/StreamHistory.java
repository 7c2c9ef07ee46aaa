package io.stag.cli.dump;

import io.stag.wire.SerialNumber;
import io.stag.wire.datagram.DatagramPrefix;
import io.stag.wire.datagram.ReliableHeader;
import java.util.BitSet;
import java.util.HexFormat;

/**
 * The present stream of one sender of reliable datagrams, to see what is sent again, new streams and new lives. Memory is
 * bounded: of the last 8,192 PSNs it is known whether they came.
 */
final class StreamHistory {
    private static final int WINDOW = ReliableHeader.MAX_WORDS * ReliableHeader.WORD_BITS;

    private final BitSet seen = new BitSet(WINDOW);
    private int epoch;
    private int stream;
    private int highestPsn;

    /** Takes a datagram whose fields are right by themselves. */
    void datagram(ReliableInspector datagram, Frame.Builder frame) {
        ReliableHeader header = datagram.header;
        if (header.kind() == DatagramPrefix.REFUSAL) {
            frame.note("its sender is not the one who was meant; the stream ends", "RD-013");
        }
        if (epoch != header.epoch()) {
            if (epoch != 0) {
                frame.note(
                        "another life of its sender: the epoch was 0x"
                                + HexFormat.of().toHexDigits(epoch),
                        "RD-012");
            }
            epoch = header.epoch();
            stream = 0;
        }
        if (datagram.isData()) {
            data(header, frame);
        }
    }

    private void data(ReliableHeader header, Frame.Builder frame) {
        int order = Integer.compareUnsigned(header.stream(), stream);
        if (order < 0) {
            frame.note("of an earlier stream; the present one is " + Integer.toUnsignedString(stream), "RD-012");
            return;
        }
        if (order > 0) {
            stream = header.stream();
            highestPsn = header.psn();
            seen.clear();
        }
        if (SerialNumber.lessThan(highestPsn, header.psn())) {
            forgetBetween(highestPsn, header.psn());
            highestPsn = header.psn();
        } else if (highestPsn - header.psn() >= WINDOW) {
            return;
        }
        int slot = Math.floorMod(header.psn(), WINDOW);
        if (seen.get(slot)) {
            frame.note("sent again", "RD-021");
        }
        seen.set(slot);
    }

    private void forgetBetween(int from, int to) {
        if (to - from >= WINDOW) {
            seen.clear();
            return;
        }
        for (int psn = from + 1; psn != to + 1; psn++) {
            seen.clear(Math.floorMod(psn, WINDOW));
        }
    }
}
