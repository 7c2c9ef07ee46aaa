package io.stag.cli.misbehave;

import io.stag.verbs.cm.ConnectionConfig;
import io.stag.wire.mpa.EnhancedWord;
import io.stag.wire.mpa.MpaFrame;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * What our startup frame asks for. It is a right one; {@link #request} and {@link #reply} give its octets, and
 * {@link #patched} makes it wrong.
 *
 * @param revision Rev
 * @param crc C
 * @param markers M
 * @param word the enhanced word; sent with revision 2 only
 */
record Wishes(int revision, boolean crc, boolean markers, EnhancedWord word) {
    /** Offset of the flags in a frame. */
    static final int FLAGS = 16;

    /** Offset of Rev in a frame. */
    static final int REVISION = 17;

    /** Offset of PD_Length in a frame. */
    static final int PD_LENGTH = 18;

    private static final int KEY_DIFFERS = 9; // "MPA ID Req Frame", "MPA ID Rep Frame"

    /** Reads each side may have outstanding. */
    private static final int READS = 4;

    static Wishes of(ConnectionConfig config) {
        boolean peerToPeer = config.peerToPeer();
        return new Wishes(
                config.mpaRevision(),
                config.crc(),
                config.markers(),
                new EnhancedWord(peerToPeer, false, peerToPeer, peerToPeer, READS, READS));
    }

    /** The same in the format of RFC 6581. */
    Wishes enhanced() {
        return new Wishes(2, crc, markers, word);
    }

    /** The same in the format of RFC 5044. */
    Wishes plain() {
        return new Wishes(1, crc, markers, word);
    }

    Wishes withWord(EnhancedWord other) {
        return new Wishes(revision, crc, markers, other);
    }

    Wishes withMarkers() {
        return new Wishes(revision, crc, true, word);
    }

    Wishes withoutCrc() {
        return new Wishes(revision, false, markers, word);
    }

    byte[] request() {
        byte[] octets = frame();
        MpaFrame header = wrap(octets);
        header.putRequest(markers, crc, hasWord(), revision, octets.length - MpaFrame.HEADER_LENGTH);
        return octets;
    }

    /** The answer to a Request, in its format (RFC 6581, section 10) and with what it offers. */
    byte[] reply(PeerFrame request) {
        Wishes answer = new Wishes(
                request.revision(),
                crc,
                markers,
                request.word().map(this::answer).orElse(word));
        byte[] octets = request.word().isPresent() ? answer.frame() : new byte[MpaFrame.HEADER_LENGTH];
        boolean enhanced = request.word().isPresent();
        int privateData = octets.length - MpaFrame.HEADER_LENGTH;
        wrap(octets).putReply(markers, crc, false, enhanced, request.revision(), privateData);
        return octets;
    }

    private EnhancedWord answer(EnhancedWord offered) {
        boolean peerToPeer = offered.peerToPeer();
        return new EnhancedWord(
                peerToPeer,
                false,
                peerToPeer && offered.rtrWrite(),
                peerToPeer && !offered.rtrWrite(),
                offered.ord(),
                Math.min(offered.ird(), word.ord()));
    }

    private boolean hasWord() {
        return revision >= 2;
    }

    private byte[] frame() {
        byte[] octets = new byte[MpaFrame.HEADER_LENGTH + (hasWord() ? EnhancedWord.LENGTH : 0)];
        if (hasWord()) {
            word.put(MemorySegment.ofArray(octets), MpaFrame.HEADER_LENGTH);
        }
        return octets;
    }

    private static MpaFrame wrap(byte[] octets) {
        MpaFrame frame = new MpaFrame();
        frame.wrap(MemorySegment.ofArray(octets), 0, octets.length);
        return frame;
    }

    /** A copy of a Request with the key of a Reply. */
    static byte[] asReply(byte[] request) {
        return patched(request, KEY_DIFFERS, 'p');
    }

    /** A copy of a frame with other octets somewhere. */
    static byte[] patched(byte[] frame, int offset, int... values) {
        byte[] copy = frame.clone();
        for (int i = 0; i < values.length; i++) {
            copy[offset + i] = (byte) values[i];
        }
        return copy;
    }

    /** A copy of a frame that says it has private data of a length, and has it. */
    static byte[] withPrivateData(byte[] frame, int length) {
        byte[] copy = Arrays.copyOf(frame, MpaFrame.HEADER_LENGTH + length);
        return patched(copy, PD_LENGTH, length >>> 8, length);
    }
}
