package io.stag.rnic.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.simnet.Conforms;
import io.stag.simnet.Seeds;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.math.BigInteger;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class GrantTest {
    private static final int DOMAIN = 7;
    private static final int QUEUE_PAIR = 3;
    private static final int STAG = 0x1234_5678;
    private static final long BASE = 0x1_0000_2000L;
    private static final int LENGTH = 4096;
    private static final int RIGHTS = Rights.LOCAL_READ | Rights.LOCAL_WRITE | Rights.REMOTE_WRITE;
    private static final BigInteger TWO_TO_64 = BigInteger.ONE.shiftLeft(64);

    private final Arena arena = Arena.ofShared();
    private final StagTable table = new StagTable(new SplittableRandom(1), 100);

    @AfterEach
    void free() {
        arena.close();
    }

    @Test
    void tellsWhatWasRegistered() {
        MemorySegment memory = arena.allocate(LENGTH);
        SoftMemoryRegion region = table.registerAs(STAG, BASE, DOMAIN, memory, RIGHTS, TestDomain.OWNER);
        Grant grant = table.lookup(STAG);
        assertThat(grant.stag()).isEqualTo(STAG);
        assertThat(grant.domain()).isEqualTo(DOMAIN);
        assertThat(grant.queuePair()).isZero();
        assertThat(grant.rights()).isEqualTo(RIGHTS);
        assertThat(grant.base()).isEqualTo(BASE);
        assertThat(grant.length()).isEqualTo(LENGTH);
        assertThat(grant.memory()).isEqualTo(memory);
        assertThat(grant.entry()).isSameAs(region);
        assertThat(grant.offsetOf(BASE + 17)).isEqualTo(17);
        assertThat(grant)
                .hasToString("STag 0x12345678, 4096 octets from 0x100002000, [LOCAL_READ, LOCAL_WRITE, REMOTE_WRITE]");
    }

    @ParameterizedTest
    @Conforms({"DDP-053", "DDP-054", "SEC-003"})
    @CsvSource({
        "0, 1, OK",
        "0, 4096, OK",
        "4095, 1, OK",
        "1, 4095, OK",
        "0, 4097, BOUNDS",
        "1, 4096, BOUNDS",
        "4095, 2, BOUNDS",
        "4096, 1, BOUNDS",
        "4097, 1, BOUNDS",
        "-1, 1, BOUNDS",
        "-1, 2, BOUNDS",
        "-4096, 8192, BOUNDS",
        "4096, 0, OK",
        "9999999, 0, OK",
    })
    void boundsAreExactToTheOctet(long offset, long length, AccessCheck expected) {
        assertThat(fixed().check(DOMAIN, QUEUE_PAIR, Rights.REMOTE_WRITE, BASE + offset, length))
                .isEqualTo(expected);
    }

    @ParameterizedTest
    @Conforms("DDP-055")
    @CsvSource({
        "-1, 1, WRAP",
        "-1, 2, WRAP",
        "-2, 1, BOUNDS",
        "-4096, 4095, BOUNDS",
        "-4096, 4096, WRAP",
        "-4096, 4294967295, WRAP",
        "4294975488, -1, WRAP",
        "0, -1, BOUNDS",
        "1, -1, WRAP",
        "9223372036854775807, 9223372036854775807, BOUNDS",
        "-9223372036854775808, 9223372036854775807, BOUNDS",
        "-9223372036854775808, -9223372036854775808, WRAP",
    })
    void offsetPlusLengthMayNotExceed64Bits(long taggedOffset, long length, AccessCheck expected) {
        assertThat(fixed().check(DOMAIN, QUEUE_PAIR, Rights.REMOTE_WRITE, taggedOffset, length))
                .isEqualTo(expected);
    }

    @Test
    @Conforms("DDP-052")
    void everyNeededRightMustBeGranted() {
        Grant grant = fixed();
        for (int needed = 1; needed < 1 << 7; needed++) {
            AccessCheck expected = (needed & ~RIGHTS) == 0 ? AccessCheck.OK : AccessCheck.RIGHTS;
            assertThat(grant.check(DOMAIN, QUEUE_PAIR, needed, BASE, 1))
                    .as("%s", Rights.toSet(needed))
                    .isEqualTo(expected);
        }
    }

    @Test
    @Conforms("VRB-014")
    void anAccessOfLengthZeroIsNotChecked() {
        assertThat(fixed().check(DOMAIN + 1, QUEUE_PAIR, Rights.REMOTE_READ, -1, 0))
                .isEqualTo(AccessCheck.OK);
    }

    @Test
    void checksDomainThenRightThenWrapThenBounds() {
        Grant grant = fixed();
        assertThat(grant.check(DOMAIN + 1, QUEUE_PAIR, Rights.REMOTE_READ, -1, 9))
                .isEqualTo(AccessCheck.WRONG_DOMAIN);
        assertThat(grant.check(DOMAIN, QUEUE_PAIR, Rights.REMOTE_READ, -1, 9)).isEqualTo(AccessCheck.RIGHTS);
        assertThat(grant.check(DOMAIN, QUEUE_PAIR, Rights.REMOTE_WRITE, -1, 9)).isEqualTo(AccessCheck.WRAP);
        assertThat(grant.check(DOMAIN, QUEUE_PAIR, Rights.REMOTE_WRITE, 0, 9)).isEqualTo(AccessCheck.BOUNDS);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("io.stag.simnet.Seeds#all")
    @Conforms({"DDP-053", "DDP-054", "DDP-055", "SEC-003"})
    void agreesWithArithmeticOfAnySize(long seed) {
        var random = new SplittableRandom(seed);
        MemorySegment memory = arena.allocate(1 + random.nextInt(10_000));
        long highestBase = -1 - memory.byteSize();
        for (int i = 0; i < 500; i++) {
            long base = switch (random.nextInt(4)) {
                case 0 -> 0;
                case 1 -> highestBase;
                case 2 -> Long.MAX_VALUE - random.nextInt(20_000);
                default -> random.nextLong();
            };
            if (Long.compareUnsigned(base, highestBase) > 0) {
                base = highestBase;
            }
            SoftMemoryRegion region = table.registerAs(STAG, base, DOMAIN, memory, RIGHTS, TestDomain.OWNER);
            long taggedOffset = near(random, base, memory.byteSize());
            long length = random.nextInt(8) == 0 ? random.nextLong() : near(random, 1, memory.byteSize());
            assertThat(table.lookup(STAG).check(DOMAIN, 1, Rights.REMOTE_WRITE, taggedOffset, length))
                    .as(
                            "base %x, %d octets, access %x + %x, %s",
                            base, memory.byteSize(), taggedOffset, length, Seeds.replay(seed))
                    .isEqualTo(expected(base, memory.byteSize(), taggedOffset, length));
            region.close();
        }
    }

    private static long near(SplittableRandom random, long from, long size) {
        return switch (random.nextInt(6)) {
            case 0 -> from - 2 + random.nextInt(5);
            case 1 -> from + size - 2 + random.nextInt(5);
            case 2 -> from + random.nextLong(size);
            case 3 -> -random.nextInt(3);
            case 4 -> Long.MAX_VALUE - 1 + random.nextInt(3);
            default -> random.nextLong();
        };
    }

    private static AccessCheck expected(long base, long size, long taggedOffset, long length) {
        BigInteger first = unsigned(taggedOffset);
        BigInteger end = first.add(unsigned(length));
        if (length == 0) {
            return AccessCheck.OK;
        }
        if (end.compareTo(TWO_TO_64) >= 0) {
            return AccessCheck.WRAP;
        }
        boolean inside = first.compareTo(unsigned(base)) >= 0
                && end.compareTo(unsigned(base).add(BigInteger.valueOf(size))) <= 0;
        return inside ? AccessCheck.OK : AccessCheck.BOUNDS;
    }

    private static BigInteger unsigned(long value) {
        return new BigInteger(Long.toUnsignedString(value));
    }

    private Grant fixed() {
        return table.registerAs(STAG, BASE, DOMAIN, arena.allocate(LENGTH), RIGHTS, TestDomain.OWNER)
                .grant();
    }
}
