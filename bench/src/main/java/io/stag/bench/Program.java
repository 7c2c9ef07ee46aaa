package io.stag.bench;

import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** What the programs of this package have in common. Exit codes: 0 done and verified, 1 failed, 2 wrong usage. */
final class Program {
    static final int DONE = 0;
    static final int FAILED = 1;

    private Program() {}

    static CommandLine commandLine(Callable<Integer> command) {
        return new CommandLine(command).setCaseInsensitiveEnumValuesAllowed(true);
    }

    /** Runs the command and ends the JVM with its exit code. */
    static void main(Callable<Integer> command, String... args) {
        System.exit(commandLine(command).execute(args));
    }

    /** What was promised did not happen. */
    static final class Failure extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Failure(String message) {
            super(message);
        }

        Failure(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /** Reads a number of things of which there must be one. */
    static final class Positive implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String value) {
            try {
                int number = Integer.parseInt(value);
                if (number > 0) {
                    return number;
                }
            } catch (NumberFormatException _) {
                // the same complaint as for zero
            }
            throw new TypeConversionException("'" + value + "' is not a number of 1 or more");
        }
    }

    /** Reads large numbers: {@code 500000000}, {@code 500M}, {@code 200G}; the units are powers of 1,000. */
    static final class Count implements ITypeConverter<Long> {
        private static final String UNITS = "kMGT";
        private static final int STEP = 1_000;

        @Override
        public Long convert(String value) {
            String digits = value;
            long unit = 1;
            int found = value.isEmpty() ? -1 : UNITS.indexOf(value.charAt(value.length() - 1));
            if (found >= 0) {
                digits = value.substring(0, value.length() - 1);
                for (int i = 0; i <= found; i++) {
                    unit *= STEP;
                }
            }
            try {
                long number = Math.multiplyExact(Long.parseLong(digits), unit);
                if (number >= 0) {
                    return number;
                }
            } catch (NumberFormatException | ArithmeticException _) {
                // the same complaint as for a negative number
            }
            throw new TypeConversionException("'" + value + "' is not a number like 1000, 500M or 200G");
        }
    }
}
