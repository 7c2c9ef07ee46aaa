package io.stag.fuzz;

/**
 * What an STag reaches while it is valid. In these tests an STag never gets another meaning, so one of these is enough.
 *
 * @param offset first octet in the {@link World}
 * @param base tagged offset of that octet
 * @param ours whether our protection domain and queue pair may use it
 */
record Reach(int offset, int length, long base, int rights, boolean ours) {

    /** Whether an access that is not empty is allowed. */
    boolean allows(int right, long taggedOffset, long size) {
        // both are far below 2^63 when they are in bounds, and bounds never cross 2^64
        long from = taggedOffset - base;
        return ours && (rights & right) != 0 && from >= 0 && size <= length && from <= length - size;
    }

    int at(long taggedOffset) {
        return offset + (int) (taggedOffset - base);
    }
}
