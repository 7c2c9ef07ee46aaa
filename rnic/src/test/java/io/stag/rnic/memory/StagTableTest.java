package io.stag.rnic.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stag.simnet.Conforms;
import io.stag.verbs.Access;
import io.stag.verbs.RegionSnapshot;
import io.stag.verbs.VerbsError;
import io.stag.verbs.VerbsException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StagTableTest {
    private static final int DOMAIN = 7;
    private static final int LOCAL = Rights.LOCAL_READ | Rights.LOCAL_WRITE;

    private final MemorySegment memory = Arena.ofAuto().allocate(256);
    private final StagTable table = new StagTable(new SplittableRandom(1), 4);

    @Test
    @Conforms({"VRB-012", "DDP-051"})
    void all32BitsOfAnStagAreChecked() {
        SoftMemoryRegion region = register(LOCAL);
        assertThat(table.lookup(region.stag())).isSameAs(region.grant()).isNotNull();
        for (int bit = 0; bit < 32; bit++) {
            assertThat(table.lookup(region.stag() ^ 1 << bit)).as("bit %d", bit).isNull();
        }
        assertThat(table.entry(region.stag() ^ 1)).as("entry by index alone").isSameAs(region);
        assertThat(table.entry(region.stag() ^ 1 << 8)).isNull();
        for (int stag = 0; stag < 256; stag++) {
            assertThat(table.lookup(stag)).as("index 0").isNull();
        }
    }

    @Test
    void aRegionTellsWhatWasRegistered() {
        SoftMemoryRegion region = register(LOCAL);
        assertThat(region.protectionDomain()).isSameAs(TestDomain.OWNER);
        assertThat(region.domain()).isEqualTo(DOMAIN);
        assertThat(region.index()).isEqualTo(region.stag() >>> 8);
        assertThat(region.segment()).isEqualTo(memory);
        assertThat(region.length()).isEqualTo(256);
        assertThat(region.rights()).containsExactlyInAnyOrder(Access.LOCAL_READ, Access.LOCAL_WRITE);
        assertThat(region.isValid()).isTrue();
        assertThat(table.size()).isEqualTo(1);
        assertThat(table.entries()).containsExactly(region);
        assertThat(table.entriesOf(DOMAIN)).isEqualTo(1);
        assertThat(table.entriesOf(DOMAIN + 1)).isZero();
    }

    @Test
    void noTwoGrantsHaveTheSameNumber() {
        SoftMemoryRegion region = register(LOCAL);
        Set<Long> numbers = new HashSet<>(
                List.of(0L, region.grant().number(), register(LOCAL).grant().number()));
        for (int i = 0; i < 300; i++) { // more often than an STag has keys
            region.reregister(memory, region.rights());
            numbers.add(region.grant().number());
        }
        assertThat(numbers).hasSize(303);
    }

    @Test
    void peersAddressByOffsetOrByVirtualAddress() {
        SoftMemoryRegion byOffset = register(LOCAL);
        SoftMemoryRegion byAddress = register(LOCAL | Rights.VIRTUAL_ADDRESS);
        assertThat(byOffset.remoteOffset(0)).isZero();
        assertThat(byOffset.remoteOffset(256)).isEqualTo(256);
        assertThat(byAddress.remoteOffset(5)).isEqualTo(memory.address() + 5);
        assertThat(byAddress.grant().base()).isEqualTo(memory.address());
        assertFails(VerbsError.INVALID_ARGUMENT, "0..256", () -> byOffset.remoteOffset(257));
        assertFails(VerbsError.INVALID_ARGUMENT, "0..256", () -> byOffset.remoteOffset(-1));
    }

    @Test
    void refusesMemoryThatAgentsCannotUse() {
        Arena closed = Arena.ofShared();
        MemorySegment gone = closed.allocate(8);
        closed.close();
        assertFails(VerbsError.INVALID_MEMORY, "heap", () -> registered(MemorySegment.ofArray(new byte[8]), LOCAL));
        assertFails(VerbsError.INVALID_MEMORY, "closed", () -> registered(gone, LOCAL));
        assertFails(VerbsError.INVALID_MEMORY, "reinterpret", () -> registered(MemorySegment.NULL, LOCAL));
        try (Arena confined = Arena.ofConfined()) {
            MemorySegment segment = confined.allocate(8);
            assertFails(VerbsError.INVALID_MEMORY, "Arena.ofShared()", () -> registered(segment, LOCAL));
        }
        assertFails(
                VerbsError.INVALID_MEMORY,
                "read-only",
                () -> registered(memory.asReadOnly(), Rights.LOCAL_READ | Rights.LOCAL_WRITE));
        assertThat(registered(memory.asReadOnly(), Rights.LOCAL_READ | Rights.REMOTE_READ)
                        .isValid())
                .isTrue();
        assertThat(table.size()).isEqualTo(1);
    }

    /** Payload at the start of a page is copied slower by the kernel, behind the headers of a message. */
    @Test
    void ownMemoryThatHoldsLongMessagesBeginsOneLineBehindAPage() {
        for (long length : new long[] {4096, 65_537, 1 << 20}) {
            SoftMemoryRegion region = table.allocate(DOMAIN, length, LOCAL, TestDomain.OWNER);
            assertThat(region.segment().address() % 4096)
                    .as("%d octets", length)
                    .isEqualTo(64);
            assertThat(region.segment().byteSize()).isEqualTo(length);
            assertThat(region.segment().mismatch(MemorySegment.ofArray(new byte[(int) length])))
                    .as("zeroed")
                    .isEqualTo(-1);
            region.close();
        }
        SoftMemoryRegion small = table.allocate(DOMAIN, 100, LOCAL, TestDomain.OWNER);
        assertThat(small.segment().address() % 64).isZero();
        small.close();
    }

    @Test
    @Conforms("VRB-013")
    void registersExactlyTheRightsThatFitTogether() {
        for (int rights = 0; rights < 1 << Access.values().length; rights++) {
            int asked = rights;
            if (Rights.check(rights) == null) {
                SoftMemoryRegion region = register(rights);
                assertThat(Rights.of(region.rights())).isEqualTo(rights);
                region.close();
            } else {
                assertFails(VerbsError.INVALID_ARGUMENT, "LOCAL", () -> register(asked));
            }
        }
        assertThat(table.size()).isZero();
    }

    /** The search for a free index must not begin when there may be none. */
    @Test
    void whatIsRefusedTakesNoStag() {
        StagTable other = new StagTable(new SplittableRandom(1), 4);
        List<SoftMemoryRegion> regions = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            regions.add(register(LOCAL));
            other.remove(other.register(DOMAIN, memory, LOCAL, TestDomain.OWNER));
        }
        assertFails(VerbsError.LIMIT_EXCEEDED, "all 4", () -> register(LOCAL));
        assertFails(VerbsError.LIMIT_EXCEEDED, "all 4", () -> table.allocateWindow(DOMAIN, TestDomain.OWNER));
        assertFails(VerbsError.LIMIT_EXCEEDED, "all 4", () -> table.allocateStag(DOMAIN, true, TestDomain.OWNER));
        table.remove(regions.getFirst());
        assertThat(register(LOCAL).stag())
                .isEqualTo(
                        other.register(DOMAIN, memory, LOCAL, TestDomain.OWNER).stag());
    }

    @Test
    void refusesMoreEntriesThanItWasMadeFor() {
        for (int i = 0; i < 3; i++) {
            register(LOCAL);
        }
        SoftMemoryWindow last = table.allocateWindow(DOMAIN, TestDomain.OWNER);
        assertFails(VerbsError.LIMIT_EXCEEDED, "all 4", () -> register(LOCAL));
        assertFails(VerbsError.LIMIT_EXCEEDED, "all 4", () -> table.allocateWindow(DOMAIN, TestDomain.OWNER));
        assertFails(VerbsError.LIMIT_EXCEEDED, "all 4", () -> table.allocateStag(DOMAIN, true, TestDomain.OWNER));
        assertFails(VerbsError.LIMIT_EXCEEDED, "all 4", () -> table.allocate(DOMAIN, 8, LOCAL, TestDomain.OWNER));
        last.close();
        assertThat(register(LOCAL).isValid()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, 1 << 24})
    void aTableHasBetweenOneAndAllIndexes(int maxEntries) {
        assertThatThrownBy(() -> new StagTable(new SplittableRandom(1), maxEntries))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(new StagTable(new SplittableRandom(1), 1).size()).isZero();
        assertThat(new StagTable(new SplittableRandom(1), StagTable.MAX_ENTRIES).size())
                .isZero();
    }

    @Test
    void testsMayChooseTheStagAndTheBase() {
        SoftMemoryRegion region = table.registerAs(
                0x1234_5678, 0x1_0000_2000L, DOMAIN, memory, LOCAL | Rights.REMOTE_READ, TestDomain.OWNER);
        assertThat(region.stag()).isEqualTo(0x1234_5678);
        assertThat(region.remoteOffset(1)).isEqualTo(0x1_0000_2001L);
        assertThatThrownBy(() -> table.registerAs(0x1234_5601, 0, DOMAIN, memory, LOCAL, TestDomain.OWNER))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> table.registerAs(0x78, 0, DOMAIN, memory, LOCAL, TestDomain.OWNER))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> table.registerAs(0x100, -256, DOMAIN, memory, LOCAL, TestDomain.OWNER))
                .isInstanceOf(IllegalArgumentException.class);
        assertFails(
                VerbsError.INVALID_ARGUMENT,
                "LOCAL",
                () -> table.registerAs(0x100, 0, DOMAIN, memory, 0, TestDomain.OWNER));
        assertThat(table.registerAs(-1, -257, DOMAIN, memory, LOCAL, TestDomain.OWNER)
                        .stag())
                .isEqualTo(-1);
        assertThat(table.invalidate(-1, DOMAIN, 1, true, true)).isEqualTo(InvalidateResult.NO_REMOTE_RIGHT);
        table.registerAs(
                0x200, 0, DOMAIN, memory, LOCAL | Rights.REMOTE_READ | Rights.REMOTE_INVALIDATE, TestDomain.OWNER);
        assertThat(table.invalidate(0x200, DOMAIN, 1, true, true)).isEqualTo(InvalidateResult.OK);
    }

    @Test
    void aChosenStagIsSkippedByTheSequence() {
        int first = new StagTable(new SplittableRandom(1), 4)
                .allocateWindow(DOMAIN, TestDomain.OWNER)
                .stag();
        table.registerAs(first, 0, DOMAIN, memory, LOCAL, TestDomain.OWNER);
        assertThat(table.allocateWindow(DOMAIN, TestDomain.OWNER).index()).isNotEqualTo(first >>> 8);
    }

    @Test
    @Conforms({"SEC-006", "SEC-008", "DDP-062"})
    void reregistrationReplacesMemoryRightsAndKey() {
        SoftMemoryRegion region = register(LOCAL);
        MemorySegment other = Arena.ofAuto().allocate(32);
        for (int i = 0; i < 1000; i++) {
            int before = region.stag();
            region.reregister(other, EnumSet.of(Access.LOCAL_READ, Access.REMOTE_READ));
            assertThat(region.stag() >>> 8).isEqualTo(before >>> 8);
            assertThat(region.stag()).isNotEqualTo(before);
            assertThat(table.lookup(before)).isNull();
        }
        Grant grant = table.lookup(region.stag());
        assertThat(grant.rights()).isEqualTo(Rights.LOCAL_READ | Rights.REMOTE_READ);
        assertThat(grant.memory()).isEqualTo(other);
        assertFails(
                VerbsError.INVALID_MEMORY,
                "heap",
                () -> region.reregister(MemorySegment.ofArray(new byte[1]), Set.of(Access.LOCAL_READ)));
        assertThat(region.grant()).as("refused without effect").isSameAs(grant);
        region.close();
        assertFails(VerbsError.CLOSED, "closed", () -> region.reregister(memory, Set.of(Access.LOCAL_READ)));
    }

    @Test
    @Conforms("DDP-062")
    void nothingFindsAClosedRegion() {
        SoftMemoryRegion region = register(LOCAL);
        Grant held = region.grant();
        region.close();
        region.close();
        assertThat(table.lookup(held.stag())).isNull();
        assertThat(table.entry(held.stag())).isNull();
        assertThat(region.isValid()).isFalse();
        assertThat(region.stag()).isEqualTo(held.stag());
        assertThat(table.size()).isZero();
    }

    @Test
    void invalidMemoryKeepsItsDescription() {
        SoftMemoryRegion region = register(LOCAL);
        table.invalidate(region.stag(), DOMAIN, 1, false, false);
        assertThat(region.isValid()).isFalse();
        assertThat(region.segment()).isEqualTo(memory);
        assertThat(region.snapshot().valid()).isFalse();
        region.reregister(memory, region.rights());
        assertThat(region.isValid()).as("re-registration works in every state").isTrue();
    }

    @Test
    void countsAccessesOfPeersAlsoThroughWindows() {
        SoftMemoryRegion region = register(LOCAL | Rights.WINDOW_BIND);
        SoftMemoryWindow window = table.allocateWindow(DOMAIN, TestDomain.OWNER);
        for (int round = 0; round < 2; round++) {
            window.countRemoteWrites(3);
            region.countRemoteWrites(3);
            window.countRemoteReads(2);
            region.countRemoteReads(2);
            window.countRefused();
            region.countRefused();
            table.bind(window, 1, region, 0, 8, Rights.REMOTE_READ, DOMAIN, 1);
        }
        assertThat(region.snapshot()).isEqualTo(new RegionSnapshot(region.id(), region.stag(), 256, true, 9, 6, 3));
        assertThat(List.of(window.remoteWrites(), window.remoteReads(), window.refused()))
                .containsExactly(6L, 4L, 2L);
    }

    @Test
    void accessesInProgressEndBeforeCloseReturnsAndMemoryIsFreedAfterwards() {
        List<String> seen = new ArrayList<>();
        SoftMemoryRegion[] region = new SoftMemoryRegion[1];
        int[] stag = new int[1];
        StagTable[] own = new StagTable[1];
        own[0] = new StagTable(
                new SplittableRandom(1),
                4,
                () -> seen.add((own[0].lookup(stag[0]) == null) + " " + (own[0].entry(stag[0]) == null) + " "
                        + region[0].segment().scope().isAlive()));
        region[0] = own[0].allocate(DOMAIN, 100, LOCAL, TestDomain.OWNER);
        stag[0] = region[0].stag();
        assertThat(region[0].segment().byteSize()).isEqualTo(100);
        assertThat(region[0].segment().address() % 64).isZero();
        region[0].close();
        region[0].close();
        assertThat(seen).containsExactly("true true true");
        assertThat(region[0].segment().scope().isAlive()).isFalse();
    }

    @Test
    void accessesInProgressEndBeforeARegionCountsAsInvalidated() {
        List<Boolean> stillFound = new ArrayList<>();
        int[] stag = new int[1];
        StagTable[] own = new StagTable[1];
        own[0] = new StagTable(new SplittableRandom(1), 4, () -> stillFound.add(own[0].lookup(stag[0]) != null));
        SoftMemoryRegion region = own[0].register(DOMAIN, memory, LOCAL, TestDomain.OWNER);
        stag[0] = region.stag();
        own[0].invalidate(stag[0], DOMAIN + 1, 1, false, false);
        assertThat(stillFound).as("refused").isEmpty();
        assertThat(own[0].invalidate(stag[0], DOMAIN, 1, false, false)).isEqualTo(InvalidateResult.OK);
        assertThat(stillFound).containsExactly(false);
    }

    @Test
    void reregistrationFreesAllocatedMemoryUnlessItIsKept() {
        List<Boolean> oldStillFound = new ArrayList<>();
        int[] stag = new int[1];
        StagTable[] own = new StagTable[1];
        own[0] = new StagTable(new SplittableRandom(1), 4, () -> oldStillFound.add(own[0].lookup(stag[0]) != null));
        SoftMemoryRegion region = own[0].allocate(DOMAIN, 100, LOCAL, TestDomain.OWNER);
        MemorySegment first = region.segment();
        stag[0] = region.stag();
        region.reregister(first.asSlice(10, 20), Set.of(Access.LOCAL_READ));
        assertThat(first.scope().isAlive()).isTrue();
        assertThat(oldStillFound).containsExactly(false);
        region.reregister(memory, Set.of(Access.LOCAL_READ));
        assertThat(first.scope().isAlive()).isFalse();
        region.close();
        assertThat(memory.scope().isAlive())
                .as("the program's own memory stays")
                .isTrue();
    }

    @Test
    void allocationNeedsALengthAndLeavesNothingWhenRefused() {
        assertFails(VerbsError.INVALID_ARGUMENT, "1 or more", () -> table.allocate(DOMAIN, 0, LOCAL, TestDomain.OWNER));
        assertFails(VerbsError.INVALID_ARGUMENT, "LOCAL", () -> table.allocate(DOMAIN, 8, 0, TestDomain.OWNER));
        SoftMemoryRegion one = table.allocate(DOMAIN, 1, LOCAL, TestDomain.OWNER);
        assertThat(one.segment().get(ValueLayout.JAVA_BYTE, 0)).isZero();
        assertThat(table.size()).isEqualTo(1);
    }

    @Test
    @Timeout(30)
    void agentsCanBindAndInvalidateWhileACloseWaitsForThem() {
        StagTable[] own = new StagTable[1];
        List<InvalidateResult> results = new ArrayList<>();
        SoftMemoryRegion[] other = new SoftMemoryRegion[1];
        own[0] = new StagTable(new SplittableRandom(1), 4, () -> {
            if (Thread.currentThread().getName().equals("stag-test-agent")) {
                return; // its invalidation waits for others, and there are none
            }
            Thread agent = Thread.ofPlatform()
                    .name("stag-test-agent")
                    .start(() -> results.add(own[0].invalidate(other[0].stag(), DOMAIN, 1, false, false)));
            try {
                agent.join();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
        other[0] = own[0].register(DOMAIN, memory, LOCAL, TestDomain.OWNER);
        SoftMemoryRegion region = own[0].register(DOMAIN, memory, LOCAL, TestDomain.OWNER);
        region.reregister(memory, Set.of(Access.LOCAL_READ));
        region.close();
        own[0].allocateWindow(DOMAIN, TestDomain.OWNER).close();
        assertThat(results).containsExactly(InvalidateResult.OK, InvalidateResult.OK, InvalidateResult.OK);
    }

    @Test
    void everyOutcomeHasAText() {
        assertThat(AccessCheck.values())
                .extracting(AccessCheck::text)
                .doesNotHaveDuplicates()
                .allMatch(t -> t.length() > 5);
        assertThat(BindResult.values())
                .extracting(BindResult::text)
                .doesNotHaveDuplicates()
                .allMatch(t -> t.length() > 4);
        assertThat(InvalidateResult.values())
                .extracting(InvalidateResult::text)
                .doesNotHaveDuplicates()
                .allMatch(t -> t.length() > 5);
        assertThat(FastRegisterResult.values())
                .extracting(FastRegisterResult::text)
                .doesNotHaveDuplicates()
                .allMatch(t -> t.length() > 5);
    }

    private SoftMemoryRegion register(int rights) {
        return registered(memory, rights);
    }

    private SoftMemoryRegion registered(MemorySegment segment, int rights) {
        return table.register(DOMAIN, segment, rights, TestDomain.OWNER);
    }

    private static void assertFails(VerbsError error, String text, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining(text)
                .satisfies(e -> assertThat(((VerbsException) e).error()).isEqualTo(error));
    }
}
