package io.stag.cli.rping;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PingPatternTest {
    @ParameterizedTest
    @CsvSource({
        "0, rdma-ping-0: ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqr",
        "1, rdma-ping-1: BCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrs",
        "57, rdma-ping-57: zABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnop",
        "58, rdma-ping-58: ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopq"
    })
    void looksLikeThatOfRdmaCore(int ping, String text) {
        MemorySegment buffer = Arena.ofAuto().allocate(64);
        PingPattern.fill(buffer, 64, ping);
        assertThat(PingPattern.text(buffer, 64)).isEqualTo(text);
        assertThat(buffer.get(ValueLayout.JAVA_BYTE, 63)).isZero();
        assertThat(PingPattern.echoLength(buffer, 64)).isEqualTo(64);
    }

    @ParameterizedTest
    @ValueSource(ints = {23, 24, 63, 64, 1_000, 65_536})
    void fillsEverySizeWithoutAZeroBeforeTheEnd(int size) {
        MemorySegment buffer = Arena.ofAuto().allocate(size);
        PingPattern.fill(buffer, size, Integer.MAX_VALUE);
        assertThat(PingPattern.echoLength(buffer, size)).isEqualTo(size);
        assertThat(PingPattern.text(buffer, size)).startsWith("rdma-ping-2147483647");
    }

    @Test
    void findsADifference() {
        MemorySegment left = Arena.ofAuto().allocate(100);
        MemorySegment right = Arena.ofAuto().allocate(100);
        PingPattern.fill(left, 100, 3);
        PingPattern.fill(right, 100, 3);
        assertThat(PingPattern.mismatch(left, right, 100)).isEqualTo(-1);
        right.set(ValueLayout.JAVA_BYTE, 77, (byte) 1);
        assertThat(PingPattern.mismatch(left, right, 100)).isEqualTo(77);
    }

    @Test
    void textWithoutAZeroEndsWithTheBuffer() {
        MemorySegment buffer = MemorySegment.ofArray("abc".getBytes(StandardCharsets.US_ASCII));
        assertThat(PingPattern.text(buffer, 3)).isEqualTo("abc");
        assertThat(PingPattern.echoLength(buffer, 3)).isEqualTo(3);
    }

    @Test
    void anAnnouncementIsAddressKeyAndSizeInNetworkOrder() {
        byte[] octets = new byte[Announcement.LENGTH];
        MemorySegment message = MemorySegment.ofArray(octets);
        Announcement announcement = new Announcement(0x0102_0304_0506_0708L, 0xA1B2_C3D4, 64);
        announcement.put(message);
        assertThat(HexFormat.of().formatHex(octets)).isEqualTo("0102030405060708a1b2c3d400000040");
        assertThat(Announcement.read(message)).isEqualTo(announcement);
        assertThat(announcement).hasToString("address 0x102030405060708 key 0xa1b2c3d4 size 64");
    }
}
