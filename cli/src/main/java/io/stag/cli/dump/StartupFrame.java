package io.stag.cli.dump;

import io.stag.wire.mpa.EnhancedWord;
import io.stag.wire.mpa.MpaFrame;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HexFormat;
import java.util.Optional;

/**
 * What a startup frame settles (RFC 5044, section 7.1; RFC 6581, section 9).
 *
 * @param isRequest Request, not Reply
 * @param markers its sender wants Markers
 * @param crc its sender wants CRC
 * @param reject the connection is rejected
 * @param enhanced the private data begins with an enhanced word
 * @param word that word, if it is there
 */
record StartupFrame(
        boolean isRequest,
        boolean markers,
        boolean crc,
        boolean reject,
        boolean enhanced,
        Optional<EnhancedWord> word) {
    private static final String PLAIN = "RFC 5044 §7.1.1";
    private static final String ENHANCED = "RFC 6581 §9";
    private static final int NEWEST_REVISION = 2;

    /** Reads a complete frame and describes it. */
    static StartupFrame read(MpaFrame frame, MemorySegment octets, Frame.Builder builder) {
        boolean enhanced = frame.enhanced() && frame.revision() >= NEWEST_REVISION;
        Optional<EnhancedWord> word = enhanced && frame.privateDataLength() >= EnhancedWord.LENGTH
                ? Optional.of(EnhancedWord.read(octets, frame.privateDataOffset()))
                : Optional.empty();
        builder.name(frame.isRequestKey() ? "MPA Request" : "MPA Reply");
        builder.summary.append("Rev ").append(frame.revision());
        builder.summary.append(" M=").append(frame.markers() ? 1 : 0);
        builder.summary.append(" C=").append(frame.crc() ? 1 : 0);
        builder.summary.append(" R=").append(frame.reject() ? 1 : 0);
        builder.summary.append(" S=").append(frame.enhanced() ? 1 : 0);
        builder.summary.append(" PD_Length ").append(frame.privateDataLength());
        word.ifPresent(value -> value.appendTo(builder.summary.append(' ')));
        check(frame, enhanced, builder);
        if (builder.wantsDetails()) {
            describePrivateData(frame, octets, word.isPresent() ? EnhancedWord.LENGTH : 0, builder);
        }
        return new StartupFrame(frame.isRequestKey(), frame.markers(), frame.crc(), frame.reject(), enhanced, word);
    }

    /** Checks a Reply against the Request it answers. */
    void checkAnswers(StartupFrame request, Frame.Builder builder) {
        if (enhanced != request.enhanced) {
            builder.anomaly(
                    request.enhanced ? "a plain Reply to an enhanced Request" : "an enhanced Reply to a plain Request",
                    "RFC 6581 §10");
        }
        if (word.isEmpty() || request.word.isEmpty() || reject) {
            return;
        }
        EnhancedWord asked = request.word.get();
        EnhancedWord answer = word.get();
        if (asked.peerToPeer() != answer.peerToPeer()) {
            builder.anomaly("flag A differs from that of the Request", "RFC 6581 §9.2");
        } else if (answer.peerToPeer() && !answer.rtrSend() && !answer.rtrWrite() && !answer.rtrRead()) {
            builder.anomaly("peer-to-peer without a kind of ready-to-receive message", "RFC 6581 §9.2");
        }
        boolean negotiated = asked.ird() != EnhancedWord.NOT_NEGOTIATED && answer.ord() != EnhancedWord.NOT_NEGOTIATED;
        if (negotiated && answer.ord() > asked.ird()) {
            builder.anomaly("ORD is above the IRD of the Request, " + asked.ird(), "RFC 6581 §9.1");
        }
    }

    private static void check(MpaFrame frame, boolean enhanced, Frame.Builder builder) {
        if (frame.revision() > NEWEST_REVISION) {
            builder.anomaly("revision " + frame.revision() + " is not known", PLAIN);
        } else if (frame.revision() == 0) {
            builder.note("revision 0 is that of the RDMA Consortium, before the RFCs", "RFC 5044 App. C");
        }
        if (enhanced && frame.privateDataLength() < EnhancedWord.LENGTH) {
            builder.anomaly("S=1, but no room for the enhanced word", ENHANCED);
        }
        if (frame.reject() && frame.isReplyKey()) {
            builder.note("rejected", PLAIN);
        }
    }

    private static void describePrivateData(MpaFrame frame, MemorySegment octets, int skip, Frame.Builder builder) {
        int length = frame.privateDataLength() - skip;
        if (length > 0) {
            byte[] data =
                    octets.asSlice(frame.privateDataOffset() + skip, length).toArray(ValueLayout.JAVA_BYTE);
            builder.detail("private data " + HexFormat.ofDelimiter(" ").formatHex(data));
        }
    }
}
