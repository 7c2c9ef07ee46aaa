package io.stag.simnet;

import java.security.SecureRandom;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/**
 * The seeds of randomised tests. Without settings every run uses the same seeds.
 *
 * <ul>
 *   <li>{@code -Dstag.seed=S}: this seed alone, to replay a failure;
 *   <li>{@code -Dstag.seeds=N}: how many (default {@value #DEFAULT_COUNT});
 *   <li>{@code -Dstag.seeds.fresh=true}: other seeds than ever before; their base is logged;
 *   <li>{@code -Dstag.seeds.base=B}: the seeds of an earlier fresh run.
 * </ul>
 */
public final class Seeds {
    /** How many seeds a test runs with unless told otherwise. */
    public static final int DEFAULT_COUNT = 200;

    private static final long DEFAULT_BASE = 0x5354_4147L;

    private Seeds() {}

    /**
     * The seeds of this run.
     *
     * @return the same stream on every call within one JVM
     */
    public static Stream<Long> all() {
        Long single = Long.getLong("stag.seed");
        if (single != null) {
            return Stream.of(single);
        }
        int count = Integer.getInteger("stag.seeds", DEFAULT_COUNT);
        return new SplittableRandom(Base.VALUE).longs(count).boxed();
    }

    /**
     * How to repeat a run; belongs into the message of every assertion that depends on a seed.
     *
     * @param seed the seed of the run
     * @return a hint
     */
    public static String replay(long seed) {
        return "replay with -Dstag.seed=" + seed;
    }

    /** Drawn once per JVM, so that all tests of a fresh run share the base that was logged. */
    private static final class Base {
        static final long VALUE = draw();

        private Base() {}

        private static long draw() {
            Long given = Long.getLong("stag.seeds.base");
            if (given != null) {
                return given;
            }
            if (!Boolean.getBoolean("stag.seeds.fresh")) {
                return DEFAULT_BASE;
            }
            long fresh = new SecureRandom().nextLong();
            System.getLogger(Seeds.class.getName())
                    .log(System.Logger.Level.INFO, "fresh seeds, repeat them all with -Dstag.seeds.base=" + fresh);
            return fresh;
        }
    }
}
