package io.stag.fuzz;

import java.util.Arrays;

/**
 * The fuzzer's octets, read from front to back. At the end every number is 0, so that a short input is a short run. Plain
 * enough that seeds can be written by hand, see {@link SeedCorpusTest}.
 */
final class Input {
    private final byte[] octets;
    private int at;

    Input(byte[] octets) {
        this.octets = octets;
    }

    boolean isEmpty() {
        return at >= octets.length;
    }

    int left() {
        return octets.length - at;
    }

    boolean flag() {
        return (u8() & 1) != 0;
    }

    int u8() {
        return isEmpty() ? 0 : octets[at++] & 0xFF;
    }

    int u16() {
        return u8() << 8 | u8();
    }

    int u32() {
        return u16() << 16 | u16();
    }

    long u64() {
        return (long) u32() << 32 | Integer.toUnsignedLong(u32());
    }

    /** A number from 0 to {@code bound - 1}. */
    int below(int bound) {
        return (bound <= 256 ? u8() : u16()) % bound;
    }

    <T> T oneOf(T[] choices) {
        return choices[below(choices.length)];
    }

    /** As many octets as are left, at most {@code length}. */
    byte[] octets(int length) {
        int end = Math.min(octets.length, at + length);
        byte[] taken = Arrays.copyOfRange(octets, at, end);
        at = end;
        return taken;
    }

    byte[] rest() {
        return octets(left());
    }
}
