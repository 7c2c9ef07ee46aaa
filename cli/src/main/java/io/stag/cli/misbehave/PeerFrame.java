package io.stag.cli.misbehave;

import io.stag.wire.mpa.EnhancedWord;
import io.stag.wire.mpa.MpaFrame;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * The startup frame of the peer (RFC 5044, section 7.1.1).
 *
 * @param request whether it has the key of a Request
 * @param reply whether it has the key of a Reply
 * @param revision Rev
 * @param markers M
 * @param crc C
 * @param reject R
 * @param privateDataLength PD_Length
 * @param word the enhanced word; empty in a plain frame
 */
record PeerFrame(
        boolean request,
        boolean reply,
        int revision,
        boolean markers,
        boolean crc,
        boolean reject,
        int privateDataLength,
        Optional<EnhancedWord> word) {

    /** Reads a frame of which at least the header is there; empty when private data is missing. */
    static Optional<PeerFrame> read(byte[] octets, int available) {
        MpaFrame frame = new MpaFrame();
        MemorySegment memory = MemorySegment.ofArray(octets);
        if (!frame.wrap(memory, 0, available) || !frame.isComplete()) {
            return Optional.empty();
        }
        boolean enhanced =
                frame.revision() >= 2 && frame.enhanced() && frame.privateDataLength() >= EnhancedWord.LENGTH;
        return Optional.of(new PeerFrame(
                frame.isRequestKey(),
                frame.isReplyKey(),
                frame.revision(),
                frame.markers(),
                frame.crc(),
                frame.reject(),
                frame.privateDataLength(),
                enhanced ? Optional.of(EnhancedWord.read(memory, frame.privateDataOffset())) : Optional.empty()));
    }

    int length() {
        return MpaFrame.HEADER_LENGTH + privateDataLength;
    }

    boolean peerToPeer() {
        return word.isPresent() && word.get().peerToPeer();
    }

    /** In the style of {@code stag dump}. */
    String text() {
        StringBuilder text = new StringBuilder(request ? "Request" : reply ? "Reply" : "frame with unknown key");
        text.append(" Rev ").append(revision);
        text.append(markers ? " M" : "").append(crc ? " C" : "").append(reject ? " R" : "");
        word.ifPresent(found -> found.appendTo(text.append(", ")));
        return text.toString();
    }
}
