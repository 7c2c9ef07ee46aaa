package io.stag.rnic.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stag.simnet.Conforms;
import io.stag.verbs.Access;
import io.stag.verbs.VerbsError;
import io.stag.verbs.VerbsException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WindowsAndInvalidationTest {
    private static final int DOMAIN = 7;
    private static final int QUEUE_PAIR = 3;
    private static final int OTHER = 99;
    private static final int LOCAL = Rights.LOCAL_READ | Rights.LOCAL_WRITE;
    private static final int BINDABLE = LOCAL | Rights.WINDOW_BIND;

    private final MemorySegment memory = Arena.ofAuto().allocate(256);
    private final StagTable table = new StagTable(new SplittableRandom(1), 20);
    private final SoftMemoryWindow window = table.allocateWindow(DOMAIN, TestDomain.OWNER);

    @Test
    @Conforms({"VRB-016", "DDP-051"})
    void aBoundWindowGrantsItsRangeToItsQueuePairOnly() {
        SoftMemoryRegion region = register(BINDABLE);
        assertThat(table.lookup(window.stag())).isNull();
        assertThat(bind(region, 16, 32, Rights.REMOTE_WRITE)).isEqualTo(BindResult.OK);
        assertThat(window.isBound()).isTrue();
        assertThat(window.stag()).isEqualTo(window.index() << 8 | 0xab);
        Grant grant = table.lookup(window.stag());
        assertThat(grant.entry()).isSameAs(window);
        assertThat(grant.queuePair()).isEqualTo(QUEUE_PAIR);
        assertThat(grant.memory()).isEqualTo(memory.asSlice(16, 32));
        assertThat(grant.base()).isZero();
        assertThat(grant.check(DOMAIN, QUEUE_PAIR, Rights.REMOTE_WRITE, 0, 32)).isEqualTo(AccessCheck.OK);
        assertThat(grant.check(DOMAIN, QUEUE_PAIR, Rights.REMOTE_WRITE, 0, 33)).isEqualTo(AccessCheck.BOUNDS);
        assertThat(grant.check(DOMAIN, QUEUE_PAIR, Rights.REMOTE_READ, 0, 32)).isEqualTo(AccessCheck.RIGHTS);
        assertThat(grant.check(DOMAIN, OTHER, Rights.REMOTE_WRITE, 0, 32)).isEqualTo(AccessCheck.WRONG_DOMAIN);
        assertThat(grant.check(OTHER, QUEUE_PAIR, Rights.REMOTE_WRITE, 0, 32)).isEqualTo(AccessCheck.WRONG_DOMAIN);
    }

    @Test
    void theAddressingOfAWindowIsItsOwn() {
        SoftMemoryRegion byOffset = register(BINDABLE);
        bind(byOffset, 16, 32, Rights.REMOTE_WRITE | Rights.VIRTUAL_ADDRESS);
        assertThat(window.grant().base()).isEqualTo(memory.address() + 16);
        window.close();
        SoftMemoryWindow other = table.allocateWindow(DOMAIN, TestDomain.OWNER);
        SoftMemoryRegion byAddress = register(BINDABLE | Rights.VIRTUAL_ADDRESS);
        table.bind(other, 0, byAddress, 16, 32, Rights.REMOTE_WRITE, DOMAIN, QUEUE_PAIR);
        assertThat(other.grant().base()).isZero();
    }

    @ParameterizedTest
    @Conforms("VRB-016")
    @CsvSource({
        "0, 256, OK",
        "255, 1, OK",
        "256, 0, OK",
        "0, 0, OK",
        "0, 257, BOUNDS",
        "1, 256, BOUNDS",
        "256, 1, BOUNDS",
        "257, 0, BOUNDS",
        "-1, 1, BOUNDS",
        "1, -1, BOUNDS",
        "9223372036854775807, 9223372036854775807, BOUNDS",
    })
    void theRangeMustBeInsideTheRegion(long offset, long length, BindResult expected) {
        assertThat(bind(register(BINDABLE), offset, length, Rights.REMOTE_READ)).isEqualTo(expected);
        assertThat(window.isBound()).isEqualTo(expected == BindResult.OK);
    }

    @Test
    @Conforms("VRB-016")
    void everyConditionOfABindIsChecked() {
        SoftMemoryRegion region = register(BINDABLE);
        int right = Rights.REMOTE_READ;
        assertThat(table.bind(window, 256, region, 0, 1, right, DOMAIN, 1)).isEqualTo(BindResult.KEY);
        assertThat(table.bind(window, -1, region, 0, 1, right, DOMAIN, 1)).isEqualTo(BindResult.KEY);
        assertThat(table.bind(window, 0, region, 0, 1, right, OTHER, 1)).isEqualTo(BindResult.WRONG_DOMAIN);
        SoftMemoryRegion foreign = table.register(OTHER, memory, BINDABLE, TestDomain.OWNER);
        assertThat(bind(foreign, 0, 1, right)).isEqualTo(BindResult.WRONG_DOMAIN);
        SoftMemoryWindow foreignWindow = table.allocateWindow(OTHER, TestDomain.OWNER);
        assertThat(table.bind(foreignWindow, 0, region, 0, 1, right, DOMAIN, 1)).isEqualTo(BindResult.WRONG_DOMAIN);
        assertThat(bind(register(LOCAL), 0, 1, right)).isEqualTo(BindResult.NOT_BINDABLE);
        assertThat(bind(table.allocateStag(DOMAIN, true, TestDomain.OWNER), 0, 1, right))
                .isEqualTo(BindResult.REGION_INVALID);
        assertThat(bind(region, 0, 1, 0)).isEqualTo(BindResult.RIGHTS);
        assertThat(bind(register(Rights.LOCAL_READ | Rights.WINDOW_BIND), 0, 1, Rights.REMOTE_WRITE))
                .isEqualTo(BindResult.RIGHTS);
        SoftMemoryRegion closed = register(BINDABLE);
        closed.close();
        assertThat(bind(closed, 0, 1, right)).isEqualTo(BindResult.CLOSED);
        assertThatThrownBy(() -> table.bind(window, 0, region, 0, 1, right, DOMAIN, 0))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(window.isBound()).isFalse();
        assertThat(table.bind(window, 0, region, 0, 1, right, DOMAIN, 1)).isEqualTo(BindResult.OK);
        assertThat(bind(region, 0, 1, right)).isEqualTo(BindResult.WINDOW_BOUND);
        window.close();
        assertThat(bind(region, 0, 1, right)).isEqualTo(BindResult.CLOSED);
    }

    @Test
    @Conforms("VRB-016")
    void invalidationReturnsAWindowToItsDomain() {
        SoftMemoryRegion region = register(BINDABLE);
        bind(region, 0, 8, Rights.REMOTE_READ);
        assertThat(invalidate(window.stag(), OTHER, true)).isEqualTo(InvalidateResult.WRONG_QUEUE_PAIR);
        assertThat(invalidate(window.stag(), OTHER, false)).isEqualTo(InvalidateResult.WRONG_QUEUE_PAIR);
        assertThat(window.isBound()).isTrue();
        assertThat(invalidate(window.stag(), QUEUE_PAIR, true)).isEqualTo(InvalidateResult.OK);
        assertThat(table.lookup(window.stag())).isNull();
        assertThat(invalidate(window.stag(), OTHER, true))
                .as("unbound: the domain counts")
                .isEqualTo(InvalidateResult.OK);
        assertThat(table.bind(window, 1, region, 0, 8, Rights.REMOTE_READ, DOMAIN, OTHER))
                .isEqualTo(BindResult.OK);
        assertThat(window.grant().queuePair()).isEqualTo(OTHER);
    }

    @Test
    @Conforms({"VRB-015", "VRB-016"})
    void boundWindowsHoldTheirRegion() {
        SoftMemoryRegion region = register(BINDABLE);
        SoftMemoryWindow second = table.allocateWindow(DOMAIN, TestDomain.OWNER);
        bind(region, 0, 8, Rights.REMOTE_READ);
        table.bind(second, 0, region, 0, 8, Rights.REMOTE_READ, DOMAIN, QUEUE_PAIR);
        for (SoftMemoryWindow each : new SoftMemoryWindow[] {window, second}) {
            assertInUse(region::close);
            assertInUse(() -> region.reregister(memory, Set.of(Access.LOCAL_READ)));
            assertThat(invalidate(region.stag(), QUEUE_PAIR, false)).isEqualTo(InvalidateResult.WINDOWS_BOUND);
            assertThat(region.isValid()).isTrue();
            each.close();
        }
        region.close();
        assertThat(table.size()).isZero();
    }

    @Test
    void tellsWhichWindowsAQueuePairHoldsAndReleasesThem() {
        SoftMemoryRegion region = register(BINDABLE);
        SoftMemoryWindow other = table.allocateWindow(DOMAIN, TestDomain.OWNER);
        bind(region, 0, 8, Rights.REMOTE_READ);
        table.bind(other, 0, region, 0, 8, Rights.REMOTE_READ, DOMAIN, OTHER);
        assertThat(table.windowsBoundTo(QUEUE_PAIR)).isEqualTo(1);
        assertThat(table.windowsBoundTo(0)).as("regions are not windows").isZero();
        table.releaseQueuePair(QUEUE_PAIR);
        assertThat(table.windowsBoundTo(QUEUE_PAIR)).isZero();
        assertThat(window.isBound()).isFalse();
        assertThat(other.isBound()).isTrue();
        assertThat(table.size()).isEqualTo(3);
    }

    @Test
    @Conforms("VRB-015")
    void invalidationNeedsTheRightKeyAndDomainAndMayBeRepeated() {
        SoftMemoryRegion region = register(LOCAL);
        int stag = region.stag();
        assertThat(invalidate(0, QUEUE_PAIR, false)).isEqualTo(InvalidateResult.UNKNOWN_STAG);
        assertThat(invalidate(stag ^ 1, QUEUE_PAIR, false)).isEqualTo(InvalidateResult.UNKNOWN_STAG);
        assertThat(invalidate(stag ^ 1 << 31, QUEUE_PAIR, false)).isEqualTo(InvalidateResult.UNKNOWN_STAG);
        assertThat(table.invalidate(stag, OTHER, QUEUE_PAIR, false, true)).isEqualTo(InvalidateResult.WRONG_DOMAIN);
        assertThat(region.isValid()).isTrue();
        assertThat(table.invalidate(stag, DOMAIN, QUEUE_PAIR, false, false)).isEqualTo(InvalidateResult.OK);
        assertThat(region.isValid()).isFalse();
        assertThat(table.lookup(stag)).isNull();
        assertThat(table.entry(stag)).isSameAs(region);
        assertThat(invalidate(stag, QUEUE_PAIR, false)).isEqualTo(InvalidateResult.OK);
    }

    @Test
    @Conforms({"VRB-015", "SEC-005"})
    void aPeerMayInvalidateARegionOnlyWhenItGrantsThat() {
        int rights = LOCAL | Rights.REMOTE_READ;
        SoftMemoryRegion shared = register(rights);
        assertThat(invalidate(shared.stag(), QUEUE_PAIR, true)).isEqualTo(InvalidateResult.SHARED);
        assertThat(shared.isValid()).isTrue();
        SoftMemoryRegion own = register(rights | Rights.REMOTE_INVALIDATE);
        SoftMemoryRegion local = register(LOCAL | Rights.REMOTE_INVALIDATE);
        assertThat(invalidate(local.stag(), QUEUE_PAIR, true)).isEqualTo(InvalidateResult.NO_REMOTE_RIGHT);
        assertThat(table.invalidate(own.stag(), DOMAIN, QUEUE_PAIR, true, false))
                .isEqualTo(InvalidateResult.QUEUE_PAIR_NOT_ENABLED);
        assertThat(own.isValid()).isTrue();
        assertThat(invalidate(own.stag(), QUEUE_PAIR, true)).isEqualTo(InvalidateResult.OK);
        assertThat(own.isValid()).isFalse();
        assertThat(invalidate(own.stag(), QUEUE_PAIR, true)).as("again").isEqualTo(InvalidateResult.OK);
    }

    @Test
    @Conforms({"SEC-008", "DDP-062"})
    void fastRegistrationFillsAnInvalidStag() {
        SoftMemoryRegion region = table.allocateStag(DOMAIN, true, TestDomain.OWNER);
        assertThat(region.isValid()).isFalse();
        assertThat(region.length()).isZero();
        assertThat(table.lookup(region.stag())).isNull();
        int rights = LOCAL | Rights.REMOTE_WRITE | Rights.VIRTUAL_ADDRESS;
        assertThat(table.fastRegister(region, 0xcd, memory, rights, DOMAIN)).isEqualTo(FastRegisterResult.OK);
        assertThat(region.stag()).isEqualTo(region.index() << 8 | 0xcd);
        Grant grant = table.lookup(region.stag());
        assertThat(grant.base()).isEqualTo(memory.address());
        assertThat(grant.rights()).isEqualTo(rights);
        assertThat(grant.queuePair()).isZero();
        assertThat(table.fastRegister(region, 0, memory, LOCAL, DOMAIN)).isEqualTo(FastRegisterResult.STILL_VALID);
        invalidate(region.stag(), QUEUE_PAIR, false);
        assertThat(table.fastRegister(region, 0, memory, LOCAL, DOMAIN)).isEqualTo(FastRegisterResult.OK);
        assertThat(table.lookup(region.stag()).rights()).isEqualTo(LOCAL);
    }

    @Test
    void everyConditionOfAFastRegistrationIsChecked() {
        SoftMemoryRegion region = table.allocateStag(DOMAIN, false, TestDomain.OWNER);
        assertThat(table.fastRegister(region, 256, memory, LOCAL, DOMAIN)).isEqualTo(FastRegisterResult.KEY);
        assertThat(table.fastRegister(region, 0, memory, 0, DOMAIN)).isEqualTo(FastRegisterResult.RIGHTS);
        assertThat(table.fastRegister(region, 0, MemorySegment.ofArray(new byte[1]), LOCAL, DOMAIN))
                .isEqualTo(FastRegisterResult.MEMORY);
        assertThat(table.fastRegister(region, 0, memory, LOCAL, OTHER)).isEqualTo(FastRegisterResult.WRONG_DOMAIN);
        assertThat(table.fastRegister(region, 0, memory, LOCAL | Rights.REMOTE_READ, DOMAIN))
                .isEqualTo(FastRegisterResult.NO_REMOTE_ACCESS);
        assertThat(region.isValid()).isFalse();
        assertThat(table.fastRegister(region, 255, memory, LOCAL, DOMAIN)).isEqualTo(FastRegisterResult.OK);
        region.close();
        assertThat(table.fastRegister(region, 0, memory, LOCAL, DOMAIN)).isEqualTo(FastRegisterResult.CLOSED);
    }

    private SoftMemoryRegion register(int rights) {
        return table.register(DOMAIN, memory, rights, TestDomain.OWNER);
    }

    private BindResult bind(SoftMemoryRegion region, long offset, long length, int rights) {
        return table.bind(window, 0xab, region, offset, length, rights, DOMAIN, QUEUE_PAIR);
    }

    private InvalidateResult invalidate(int stag, int queuePair, boolean remote) {
        return table.invalidate(stag, DOMAIN, queuePair, remote, true);
    }

    private static void assertInUse(Runnable call) {
        assertThatThrownBy(call::run)
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("windows are bound")
                .satisfies(e -> assertThat(((VerbsException) e).error()).isEqualTo(VerbsError.IN_USE));
    }
}
