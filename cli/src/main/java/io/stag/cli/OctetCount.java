package io.stag.cli;

import java.util.Locale;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a number of octets: digits, and {@code k}, {@code m} or {@code g} for powers of 1,024. */
public final class OctetCount implements ITypeConverter<Integer> {
    private static final int K = 1 << 10;
    private static final int M = 1 << 20;
    private static final int G = 1 << 30;

    /** For picocli. */
    public OctetCount() {}

    @Override
    public Integer convert(String value) {
        return parse(value);
    }

    /**
     * Reads one number.
     *
     * @param value digits with an optional unit
     */
    public static int parse(String value) {
        String text = value.toLowerCase(Locale.ROOT);
        int unit = switch (text.isEmpty() ? ' ' : text.charAt(text.length() - 1)) {
            case 'k' -> K;
            case 'm' -> M;
            case 'g' -> G;
            default -> 1;
        };
        try {
            long octets = Math.multiplyExact(
                    Long.parseLong(unit == 1 ? text : text.substring(0, text.length() - 1)), (long) unit);
            if (octets >= 0 && octets <= Integer.MAX_VALUE) {
                return (int) octets;
            }
        } catch (NumberFormatException | ArithmeticException _) {
            // the same complaint as for a number out of range
        }
        throw new TypeConversionException("'" + value + "' is not a number of octets like 64, 4k or 1m");
    }

    /**
     * The shortest form that {@link #parse} reads back.
     *
     * @param octets a number of octets
     */
    public static String text(int octets) {
        if (octets != 0 && octets % G == 0) {
            return octets / G + "g";
        } else if (octets != 0 && octets % M == 0) {
            return octets / M + "m";
        } else if (octets != 0 && octets % K == 0) {
            return octets / K + "k";
        }
        return Integer.toString(octets);
    }
}
