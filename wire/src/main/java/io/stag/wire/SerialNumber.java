package io.stag.wire;

/**
 * Arithmetic of 32-bit message sequence numbers, which wrap from 0xFFFFFFFF to 0 (RFC 5041, section 4.3), compared as
 * in RFC 1982, section 3. Numbers exactly 2^31 apart have no order; here each is then less than the other.
 */
public final class SerialNumber {
    private SerialNumber() {}

    /**
     * Whether one number comes before another.
     *
     * @param left a number
     * @param right a number less than 2^31 steps away
     * @return true when {@code left} comes before {@code right}
     */
    public static boolean lessThan(int left, int right) {
        return left - right < 0;
    }

    /**
     * Steps from one number to another, negative when going back.
     *
     * @param from where to start
     * @param to where to arrive
     * @return the steps, from -2^31 to 2^31 - 1
     */
    public static int distance(int from, int to) {
        return to - from;
    }

    /**
     * The number after the given one.
     *
     * @param number any number
     * @return its successor; 0 after 0xFFFFFFFF
     */
    public static int next(int number) {
        return number + 1;
    }
}
