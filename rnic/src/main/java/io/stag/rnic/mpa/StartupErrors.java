package io.stag.rnic.mpa;

import io.stag.rnic.mpa.StartupFrameReader.Due;
import io.stag.verbs.ErrorDetail;
import io.stag.verbs.ErrorDetail.Layer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/** Words for what goes wrong in a startup. */
final class StartupErrors {
    static final String FRAME = "RFC 5044 §7.1.1";
    static final String EXCHANGE = "RFC 5044 §7.1.2";
    static final String ENHANCED_FRAME = "RFC 6581 §6";
    static final String DEPTHS = "RFC 6581 §9.1";
    static final String MODEL = "RFC 6581 §9.2";
    static final String INTEROPERABILITY = "RFC 6581 §10";
    static final String CONNECTION_LOST = "RFC 5044 §8";

    private static final HexFormat SPACED = HexFormat.ofDelimiter(" ").withUpperCase();

    private StartupErrors() {}

    static ErrorDetail mpa(String clause, String fact) {
        return ErrorDetail.of(Layer.MPA, clause, fact);
    }

    static ErrorDetail transport(String fact) {
        return ErrorDetail.of(Layer.TRANSPORT, CONNECTION_LOST, fact);
    }

    static ErrorDetail foreignProtocol(byte[] octets, int length, Due due) {
        return mpa(
                FRAME,
                "the peer sent " + excerpt(octets, length) + " where " + due.text() + " was due"
                        + guess(octets, length));
    }

    static ErrorDetail replyInsteadOfRequest() {
        return mpa(
                EXCHANGE + "(5)",
                "the peer sent an MPA Reply where an MPA Request was due: it answers what nobody asked");
    }

    static ErrorDetail bothInitiators() {
        return mpa(
                EXCHANGE + "(8)",
                "the peer sent an MPA Request where an MPA Reply was due: both sides are initiators, one must listen");
    }

    /** Octets in hexadecimal, and as text when they are text. */
    static String excerpt(byte[] octets, int length) {
        String hex = SPACED.formatHex(octets, 0, length);
        for (int i = 0; i < length; i++) {
            if (octets[i] < ' ' || octets[i] > '~') {
                return hex;
            }
        }
        return hex + " (\"" + text(octets, length) + "\")";
    }

    private static String guess(byte[] octets, int length) {
        if (length >= 2 && (octets[0] == 0x16 || octets[0] == 0x15) && octets[1] == 0x03) {
            return ": it seems to speak TLS";
        }
        return switch (text(octets, Math.min(length, 4))) {
            case "GET ", "PUT ", "POST", "HEAD", "OPTI", "DELE", "CONN", "PRI ", "HTTP" -> ": it seems to speak HTTP";
            case "SSH-" -> ": it seems to speak SSH";
            default -> "";
        };
    }

    private static String text(byte[] octets, int length) {
        return new String(octets, 0, length, StandardCharsets.ISO_8859_1);
    }
}
