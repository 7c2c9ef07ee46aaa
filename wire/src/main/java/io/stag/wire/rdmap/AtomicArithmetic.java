package io.stag.wire.rdmap;

/** What the two atomic operations compute (RFC 7306, section 5.1), on values in the byte order of the target memory. */
public final class AtomicArithmetic {
    private AtomicArithmetic() {}

    /**
     * FetchAdd (RFC 7306, section 5.1.1): adds field by field. Each set bit of the mask is the top bit of a field, out
     * of which nothing is carried; mask 0 is a plain 64-bit addition.
     *
     * @param original the value in memory
     * @param addData what to add
     * @param addMask top bits of the fields
     * @return the new value
     */
    public static long fetchAdd(long original, long addData, long addMask) {
        // Without the top bits no field can carry into its neighbour; a top bit is then the sum modulo 2 of the two
        // top bits and the carry that arrived in its place.
        long withoutTops = (original & ~addMask) + (addData & ~addMask);
        return withoutTops ^ ((original ^ addData) & addMask);
    }

    /**
     * Whether a CmpSwap (RFC 7306, section 5.1.2) changes the memory.
     *
     * @param original the value in memory
     * @param compareData what to compare with
     * @param compareMask which bits to compare
     * @return true when all compared bits are equal
     */
    public static boolean compareSwapMatches(long original, long compareData, long compareMask) {
        return ((original ^ compareData) & compareMask) == 0;
    }

    /**
     * CmpSwap (RFC 7306, section 5.1.2).
     *
     * @param original the value in memory
     * @param compareData what to compare with
     * @param compareMask which bits to compare
     * @param swapData the new bits
     * @param swapMask which bits to replace
     * @return the new value; the original one when the comparison fails
     */
    public static long compareSwap(long original, long compareData, long compareMask, long swapData, long swapMask) {
        if (!compareSwapMatches(original, compareData, compareMask)) {
            return original;
        }
        return (original & ~swapMask) | (swapData & swapMask);
    }
}
