package io.stag.wire.ddp;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.simnet.Conforms;
import io.stag.wire.Octets;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DdpControlTest {
    @ParameterizedTest
    @CsvSource({"false, true, 0x41", "false, false, 0x01", "true, true, 0xC1", "true, false, 0x81"})
    @Conforms({"DDP-007", "DDP-011", "DDP-013"})
    void makesTheFourDdpControls(boolean tagged, boolean last, String octet) {
        assertThat(DdpControl.ddp(tagged, last)).isEqualTo(Integer.decode(octet));
    }

    @Test
    @Conforms({"RDMAP-002", "RDMAP-003", "RDMAP-004"})
    void makesTheRdmapControlOfEachOpcode() {
        for (int opcode = 0; opcode < 16; opcode++) {
            assertThat(DdpControl.rdmap(opcode)).isEqualTo(0x40 + opcode);
        }
        assertThat(DdpControl.rdmap(0xFFF3))
                .as("never spills into other fields")
                .isEqualTo(0x43);
    }

    @Test
    @Conforms({"DDP-007", "RDMAP-002"})
    void takesEveryOctetApart() {
        MemorySegment octets = Octets.dirty(3);
        for (int octet = 0; octet < 256; octet++) {
            octets.fill((byte) octet);
            int ddp = DdpControl.ddpControl(octets, 1);
            assertThat(ddp).isEqualTo(octet);
            assertThat(DdpControl.isTagged(ddp)).isEqualTo(octet >= 128);
            assertThat(DdpControl.isLast(ddp)).isEqualTo(octet / 64 % 2 == 1);
            assertThat(DdpControl.version(ddp)).isEqualTo(octet % 4);
            int rdmap = DdpControl.rdmapControl(octets, 1);
            assertThat(rdmap).isEqualTo(octet);
            assertThat(DdpControl.rdmapVersion(rdmap)).isEqualTo(octet / 64);
            assertThat(DdpControl.opcode(rdmap)).isEqualTo(octet % 16);
        }
    }

    @Test
    void theTwoControlsAreTheFirstAndTheSecondOctet() {
        MemorySegment octets = Octets.of("004143");
        assertThat(DdpControl.ddpControl(octets, 1)).isEqualTo(0x41);
        assertThat(DdpControl.rdmapControl(octets, 1)).isEqualTo(0x43);
    }

    @Test
    void theMasksCoverEachOctetOnce() {
        assertThat(DdpControl.TAGGED_FLAG ^ DdpControl.LAST_FLAG ^ DdpControl.RESERVED_MASK ^ DdpControl.VERSION_MASK)
                .isEqualTo(0xFF);
        assertThat(DdpControl.RDMAP_VERSION_MASK ^ DdpControl.RDMAP_RESERVED_MASK ^ DdpControl.OPCODE_MASK)
                .isEqualTo(0xFF);
    }
}
