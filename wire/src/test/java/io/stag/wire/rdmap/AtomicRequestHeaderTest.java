package io.stag.wire.rdmap;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.stag.simnet.Conforms;
import io.stag.wire.Octets;
import io.stag.wire.Vectors;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;

class AtomicRequestHeaderTest {
    private static final int OFFSET = 20; // length field and untagged header

    private final AtomicRequestHeader header = new AtomicRequestHeader();
    private final Vectors.Positive fetchAdd = Vectors.positive("ATOMIC-FETCHADD");
    private final Vectors.Positive compareSwap = Vectors.positive("ATOMIC-CMPSWAP");

    @Test
    @Conforms({"EXT-012", "EXT-014"})
    void readsAFetchAdd() {
        JsonNode fields = fetchAdd.decoded().path("atomic");
        assertThat(header.wrap(Octets.of(fetchAdd.hex()), OFFSET, 52)).isTrue();
        assertThat(header.atomicOpcode()).isEqualTo(AtomicRequestHeader.FETCH_ADD);
        assertTarget(fields);
        assertThat(header.addOrSwapData()).isEqualTo(Vectors.number(fields.path("add")));
        assertThat(header.addOrSwapMask()).isEqualTo(Vectors.number(fields.path("add_mask")));
        assertThat(header.compareData()).isZero();
        assertThat(header.compareMask()).isEqualTo(-1L);
    }

    @Test
    @Conforms("EXT-012")
    void readsACompareSwap() {
        JsonNode fields = compareSwap.decoded().path("atomic");
        assertThat(header.wrap(Octets.of(compareSwap.hex()), OFFSET, 52)).isTrue();
        assertThat(header.atomicOpcode()).isEqualTo(AtomicRequestHeader.COMPARE_SWAP);
        assertTarget(fields);
        assertThat(header.addOrSwapData()).isEqualTo(Vectors.number(fields.path("swap")));
        assertThat(header.addOrSwapMask()).isEqualTo(Vectors.number(fields.path("swap_mask")));
        assertThat(header.compareData()).isEqualTo(Vectors.number(fields.path("compare")));
        assertThat(header.compareMask()).isEqualTo(Vectors.number(fields.path("compare_mask")));
    }

    @Test
    @Conforms({"EXT-012", "EXT-013", "EXT-014"})
    void writesAFetchAdd() {
        JsonNode fields = fetchAdd.decoded().path("atomic");
        MemorySegment out = Octets.dirty(1 + AtomicRequestHeader.LENGTH + 1);
        header.wrap(out, 1);
        header.putFetchAdd(
                (int) Vectors.number(fields.path("request_id")),
                (int) Vectors.number(fields.path("stag")),
                Vectors.number(fields.path("to")),
                Vectors.number(fields.path("add")),
                Vectors.number(fields.path("add_mask")));
        assertThat(Octets.hex(out))
                .isEqualTo("ff" + fetchAdd.ddp().path("payload_hex").textValue() + "ff");
    }

    @Test
    @Conforms({"EXT-012", "EXT-013"})
    void writesACompareSwap() {
        JsonNode fields = compareSwap.decoded().path("atomic");
        MemorySegment out = Octets.dirty(1 + AtomicRequestHeader.LENGTH + 1);
        header.wrap(out, 1);
        header.putCompareSwap(
                (int) Vectors.number(fields.path("request_id")),
                (int) Vectors.number(fields.path("stag")),
                Vectors.number(fields.path("to")),
                Vectors.number(fields.path("swap")),
                Vectors.number(fields.path("swap_mask")),
                Vectors.number(fields.path("compare")),
                Vectors.number(fields.path("compare_mask")));
        assertThat(Octets.hex(out))
                .isEqualTo("ff" + compareSwap.ddp().path("payload_hex").textValue() + "ff");
    }

    @Test
    @Conforms("EXT-012")
    void eachOperandHasItsOctets() {
        MemorySegment out = Octets.dirty(52);
        header.wrap(out, 0);
        header.putCompareSwap(1, 2, 3, 4, 5, 6, 7);
        assertThat(Octets.hex(out))
                .isEqualTo("00000002" + "00000001" + "00000002" + "0000000000000003" + "0000000000000004"
                        + "0000000000000005" + "0000000000000006" + "0000000000000007");
        assertThat(header.compareData()).isEqualTo(6);
        assertThat(header.compareMask()).isEqualTo(7);
    }

    @Test
    @Conforms("EXT-013")
    void ignoresReservedBits() {
        MemorySegment octets = Octets.dirty(52);
        header.wrap(octets, 0);
        assertThat(header.atomicOpcode()).isEqualTo(15);
        octets.set(ValueLayout.JAVA_BYTE, 3, (byte) 0xF2);
        assertThat(header.atomicOpcode()).isEqualTo(AtomicRequestHeader.COMPARE_SWAP);
    }

    @Test
    void refusesATruncatedHeader() {
        MemorySegment octets = Octets.dirty(60);
        for (int length = 0; length < AtomicRequestHeader.LENGTH; length++) {
            assertThat(header.wrap(octets, 3, length)).as("%d octets", length).isFalse();
            assertThat(header.wrap(octets.asSlice(0, 3 + length), 3)).isFalse();
        }
        assertThat(header.wrap(octets, 8)).isTrue();
        assertThat(header.wrap(octets, 9)).isFalse();
    }

    @Test
    void printsOneLine() {
        header.wrap(Octets.of(compareSwap.hex()), OFFSET);
        assertThat(header.appendTo(new StringBuilder()))
                .hasToString("CmpSwap id 0xcafe0002 STag 0x12345678 TO 0x0000000100002008"
                        + " data 0x1111222233334444 mask 0xffffffffffffffff"
                        + " compare 0x0000000000000000 mask 0xffffffffffffffff");
        header.wrap(Octets.of(fetchAdd.hex()), OFFSET);
        assertThat(header.appendTo(new StringBuilder())).startsWith("FetchAdd id 0xcafe0001 ");
        header.wrap(Octets.of(Vectors.negative("NEG-ATOMIC-CODE").hex()), OFFSET);
        assertThat(header.appendTo(new StringBuilder())).startsWith("AOpCode 1 id ");
    }

    private void assertTarget(JsonNode fields) {
        assertThat(header.atomicOpcode()).isEqualTo(fields.path("aopcode").intValue());
        assertThat(header.requestIdentifier()).isEqualTo((int) Vectors.number(fields.path("request_id")));
        assertThat(header.remoteStag()).isEqualTo((int) Vectors.number(fields.path("stag")));
        assertThat(header.remoteTaggedOffset()).isEqualTo(Vectors.number(fields.path("to")));
    }
}
