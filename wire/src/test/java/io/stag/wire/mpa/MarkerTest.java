package io.stag.wire.mpa;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.simnet.Conforms;
import io.stag.wire.Octets;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MarkerTest {
    @Test
    @Conforms({"MPA-015", "MPA-017"})
    void writesZeroForReservedOctetsAndForTheLowBits() {
        MemorySegment out = Octets.dirty(6);
        Marker.put(out, 1, 0xFDFF);
        assertThat(Octets.hex(out)).isEqualTo("ff0000fdfcff");
    }

    @Test
    @Conforms({"MPA-016", "MPA-018"})
    void readsThePointerWithoutReservedOctetsAndLowBits() {
        assertThat(Marker.fpduPtr(Octets.of("ffffff01ff"), 1)).isEqualTo(0x01FC);
        assertThat(Marker.fpduPtr(Octets.of("ffffffff"), 0)).isEqualTo(0xFFFC);
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "4, 508", "508, 4", "512, 0", "516, 508", "-4, 4", "-512, 0", "-508, 508"})
    @Conforms("MPA-026")
    void knowsTheDistanceToTheNextMarker(int position, int distance) {
        assertThat(Marker.distanceToNext(position)).isEqualTo(distance);
        assertThat(Marker.isDue(position)).isEqualTo(distance == 0);
    }

    @ParameterizedTest(name = "FPDUs begin at {0} in the interval")
    @ValueSource(ints = {0, 0x7FFF_FE00, 0xFFFF_FE00})
    @Conforms({"MPA-020", "MPA-022", "MPA-023", "MPA-024", "MPA-026"})
    void agreesWithANaiveModelForEveryStartAndLength(int interval) {
        for (int start = 0; start < Marker.INTERVAL; start += 4) {
            walk(interval + start);
        }
    }

    /** Goes octet by octet through an FPDU that begins at a position, as if it could end at any of its octets. */
    private static void walk(int fpduPosition) {
        int position = fpduPosition;
        int markers = 0;
        int lengthField = 0;
        for (int fpduOffset = 0; fpduOffset <= Fpdu.LENGTH_FIELD + Fpdu.MAX_ULPDU + 2; fpduOffset++) {
            if (Integer.remainderUnsigned(position, 512) == 0) {
                int pointer = fpduOffset == 0 ? 0 : position - lengthField;
                check(Marker.pointer(fpduPosition, position) == pointer, "pointer", fpduPosition, fpduOffset);
                check(pointer < 0x1_0000 && pointer % 4 == 0, "range of pointer", fpduPosition, fpduOffset);
                markers++;
                position += 4;
            }
            if (fpduOffset == 0) {
                lengthField = position;
                check(Marker.lengthFieldPosition(fpduPosition) == position, "length field", fpduPosition, 0);
            }
            check(Marker.countBefore(fpduPosition, fpduOffset) == markers, "countBefore", fpduPosition, fpduOffset);
            if (fpduOffset >= 4 && fpduOffset % 4 == 0) { // here a CRC could be next
                int wireLength = position + 4 - fpduPosition;
                for (int pad = 0; pad < 4 && fpduOffset - Fpdu.LENGTH_FIELD - pad >= 0; pad++) {
                    int ulpduLength = fpduOffset - Fpdu.LENGTH_FIELD - pad;
                    check(Marker.count(fpduPosition, ulpduLength) == markers, "count", fpduPosition, ulpduLength);
                    check(
                            Marker.wireLength(fpduPosition, ulpduLength) == wireLength,
                            "wireLength",
                            fpduPosition,
                            ulpduLength);
                }
            }
            position++;
        }
    }

    /** Millions of checks: an AssertJ object for each would take minutes. */
    private static void check(boolean holds, String what, int fpduPosition, int at) {
        if (!holds) {
            throw new AssertionError(what + " of FPDU at " + Integer.toUnsignedString(fpduPosition) + ", " + at);
        }
    }
}
