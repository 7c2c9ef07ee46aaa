package io.stag.rnic.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.simnet.Conforms;
import io.stag.verbs.Access;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RightsTest {
    private static final int COMBINATIONS = 1 << Access.values().length;

    @Test
    void bitsAndSetsAreTheSame() {
        for (int rights = 0; rights < COMBINATIONS; rights++) {
            assertThat(Rights.of(Rights.toSet(rights))).isEqualTo(rights);
        }
        assertThat(Rights.toSet(COMBINATIONS - 1)).isEqualTo(EnumSet.allOf(Access.class));
        assertThat(Rights.toSet(Rights.REMOTE_WRITE)).containsExactly(Access.REMOTE_WRITE);
        assertThat(Rights.toSet(Rights.WINDOW_BIND)).containsExactly(Access.WINDOW_BIND);
    }

    @Test
    @Conforms("VRB-013")
    void aRegionNeedsALocalRightAndBehindEachRemoteRightTheLocalOne() {
        int allowed = 0;
        for (int rights = 0; rights < COMBINATIONS; rights++) {
            Set<Access> set = Rights.toSet(rights);
            boolean localRead = set.contains(Access.LOCAL_READ);
            boolean localWrite = set.contains(Access.LOCAL_WRITE);
            boolean fits = (localRead || localWrite)
                    && (localRead || !set.contains(Access.REMOTE_READ))
                    && (localWrite || !set.contains(Access.REMOTE_WRITE))
                    && (localRead && localWrite || !set.contains(Access.REMOTE_ATOMIC));
            assertThat(Rights.check(rights) == null).as("%s", set).isEqualTo(fits);
            allowed += fits ? 1 : 0;
        }
        // times eight for what fits to all: both local rights 8, read only 2, write only 2
        assertThat(allowed).isEqualTo(8 * (8 + 2 + 2));
    }

    @Test
    void unknownBitsAreRefused() {
        assertThat(Rights.check(COMBINATIONS | Rights.LOCAL_READ)).contains("unknown");
    }

    @Test
    void aRefusalSaysWhatIsMissing() {
        assertThat(Rights.check(Rights.REMOTE_READ)).contains("LOCAL_READ or LOCAL_WRITE");
        assertThat(Rights.check(Rights.LOCAL_WRITE | Rights.REMOTE_READ)).contains("REMOTE_READ needs LOCAL_READ");
        assertThat(Rights.check(Rights.LOCAL_READ | Rights.REMOTE_WRITE)).contains("REMOTE_WRITE needs LOCAL_WRITE");
        assertThat(Rights.check(Rights.LOCAL_WRITE | Rights.REMOTE_ATOMIC))
                .contains("REMOTE_ATOMIC needs LOCAL_READ and LOCAL_WRITE");
        assertThat(Rights.checkWindow(Rights.LOCAL_READ, Rights.LOCAL_READ)).contains("remote rights");
        assertThat(Rights.checkWindow(0, Rights.LOCAL_READ)).contains("REMOTE_READ, REMOTE_WRITE or REMOTE_ATOMIC");
    }

    @Test
    @Conforms("VRB-016")
    void aWindowHasRemoteRightsOnlyAndNeedsTheLocalRightsOfTheRegion() {
        for (int regionRights = 0; regionRights < COMBINATIONS; regionRights++) {
            for (int rights = 0; rights < COMBINATIONS; rights++) {
                Set<Access> region = Rights.toSet(regionRights);
                Set<Access> window = Rights.toSet(rights);
                boolean localRead = region.contains(Access.LOCAL_READ);
                boolean localWrite = region.contains(Access.LOCAL_WRITE);
                EnumSet<Access> remote = EnumSet.copyOf(EnumSet.allOf(Access.class));
                remote.removeIf(access -> !access.name().startsWith("REMOTE") || access == Access.REMOTE_INVALIDATE);
                remote.retainAll(window);
                boolean fits = !remote.isEmpty()
                        && !window.contains(Access.LOCAL_READ)
                        && !window.contains(Access.LOCAL_WRITE)
                        && !window.contains(Access.WINDOW_BIND)
                        && !window.contains(Access.REMOTE_INVALIDATE)
                        && (localRead || !remote.contains(Access.REMOTE_READ))
                        && (localWrite || !remote.contains(Access.REMOTE_WRITE))
                        && (localRead && localWrite || !remote.contains(Access.REMOTE_ATOMIC));
                assertThat(Rights.checkWindow(rights, regionRights) == null)
                        .as("%s on %s", window, region)
                        .isEqualTo(fits);
            }
        }
    }
}
