package io.stag.verbs;

import java.util.Locale;

/**
 * Why something failed: who broke what.
 *
 * @param layer where the rule belongs
 * @param clause the rule, for instance {@code RFC 5041 §7.1}
 * @param fact what broke it: STag, offset, length, right
 * @param terminateCode the 16-bit code (layer, type, code) that was sent or received in a Terminate message, or
 *     {@link #NO_TERMINATE}
 */
public record ErrorDetail(Layer layer, String clause, String fact, int terminateCode) {

    /** Value of {@link #terminateCode} when no Terminate message is involved. */
    public static final int NO_TERMINATE = -1;

    /** Layers of the stack, top down. */
    public enum Layer {
        /** Use of the verbs by the local program. */
        VERBS,
        /** RDMAP, RFC 5040 and 7306. */
        RDMAP,
        /** DDP, RFC 5041. */
        DDP,
        /** MPA, RFC 5044 and 6581. */
        MPA,
        /** The transport below: TCP or UDP. */
        TRANSPORT
    }

    /** A failure that involves no Terminate message. */
    public static ErrorDetail of(Layer layer, String clause, String fact) {
        return new ErrorDetail(layer, clause, fact, NO_TERMINATE);
    }

    /** One line: layer, fact, clause, code. */
    @Override
    public String toString() {
        String code =
                terminateCode == NO_TERMINATE ? "" : String.format(Locale.ROOT, ", Terminate 0x%04x", terminateCode);
        return layer + ": " + fact + " (" + clause + code + ")";
    }
}
