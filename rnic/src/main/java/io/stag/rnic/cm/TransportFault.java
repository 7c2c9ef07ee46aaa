package io.stag.rnic.cm;

import io.stag.verbs.ErrorDetail;
import io.stag.verbs.ErrorDetail.Layer;

/** How the end of a stream of octets is told when no peer broke a rule. */
final class TransportFault {
    private TransportFault() {}

    static ErrorDetail of(String fact) {
        return ErrorDetail.of(Layer.TRANSPORT, "RFC 5044 §8", fact);
    }

    static ErrorDetail of(String fact, Exception e) {
        return of(fact + ": " + text(e));
    }

    /** Some exceptions of the platform have no message. */
    static String text(Exception e) {
        return e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    }
}
