package io.stag.cli.dump;

/**
 * How FPDUs sit in TCP segments. RFC 5044 (section 5) wants each inside one segment, and receivers that place data out of
 * order depend on it.
 *
 * @param fpdus all FPDUs
 * @param whole of these, FPDUs that lie inside one TCP segment
 */
record Alignment(long fpdus, long whole) {
    static final Alignment NONE = new Alignment(0, 0);

    Alignment plus(Alignment other) {
        return new Alignment(fpdus + other.fpdus, whole + other.whole);
    }

    @Override
    public String toString() {
        return whole + " of " + fpdus;
    }
}
