package io.stag.wire.rdmap;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.simnet.Conforms;
import io.stag.wire.Vectors;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class TerminateCodeTest {
    @Test
    @Conforms({"DDP-059", "RDMAP-012"})
    void hasTheRegisteredNumbersAndNoOthers() {
        Set<Integer> values = Arrays.stream(TerminateCode.values())
                .map(TerminateCode::wireValue)
                .collect(Collectors.toSet());
        assertThat(values)
                .containsExactlyInAnyOrder(
                        0x0000, 0x0100, 0x0101, 0x0102, 0x0103, 0x0104, 0x0109, 0x01FF, 0x0205, 0x0206, 0x0207, 0x0208,
                        0x0209, 0x02FF, 0x1000, 0x1100, 0x1101, 0x1102, 0x1103, 0x1104, 0x1201, 0x1202, 0x1203, 0x1204,
                        0x1205, 0x1206, 0x1300, 0x2001, 0x2002, 0x2003, 0x2004, 0x2005, 0x2006, 0x2007);
    }

    @Test
    @Conforms({"DDP-059", "RDMAP-012"})
    void namesBelongToTheirNumbers() {
        assertThat(TerminateCode.of(0x0100)).contains(TerminateCode.RDMAP_INVALID_STAG);
        assertThat(TerminateCode.of(0x0101)).contains(TerminateCode.RDMAP_BASE_OR_BOUNDS);
        assertThat(TerminateCode.of(0x0102)).contains(TerminateCode.RDMAP_ACCESS_RIGHTS);
        assertThat(TerminateCode.of(0x0103)).contains(TerminateCode.RDMAP_STAG_NOT_ASSOCIATED);
        assertThat(TerminateCode.of(0x0104)).contains(TerminateCode.RDMAP_TO_WRAP);
        assertThat(TerminateCode.of(0x0109)).contains(TerminateCode.RDMAP_STAG_CANNOT_BE_INVALIDATED);
        assertThat(TerminateCode.of(0x0205)).contains(TerminateCode.RDMAP_INVALID_VERSION);
        assertThat(TerminateCode.of(0x0206)).contains(TerminateCode.RDMAP_UNEXPECTED_OPCODE);
        assertThat(TerminateCode.of(0x0207)).contains(TerminateCode.RDMAP_CATASTROPHIC_STREAM);
        assertThat(TerminateCode.of(0x0208)).contains(TerminateCode.RDMAP_CATASTROPHIC_GLOBAL);
        assertThat(TerminateCode.of(0x1100)).contains(TerminateCode.DDP_TAGGED_INVALID_STAG);
        assertThat(TerminateCode.of(0x1101)).contains(TerminateCode.DDP_TAGGED_BASE_OR_BOUNDS);
        assertThat(TerminateCode.of(0x1102)).contains(TerminateCode.DDP_TAGGED_STAG_NOT_ASSOCIATED);
        assertThat(TerminateCode.of(0x1103)).contains(TerminateCode.DDP_TAGGED_TO_WRAP);
        assertThat(TerminateCode.of(0x1104)).contains(TerminateCode.DDP_TAGGED_INVALID_VERSION);
        assertThat(TerminateCode.of(0x1201)).contains(TerminateCode.DDP_UNTAGGED_INVALID_QN);
        assertThat(TerminateCode.of(0x1202)).contains(TerminateCode.DDP_UNTAGGED_NO_BUFFER);
        assertThat(TerminateCode.of(0x1203)).contains(TerminateCode.DDP_UNTAGGED_MSN_OUT_OF_RANGE);
        assertThat(TerminateCode.of(0x1204)).contains(TerminateCode.DDP_UNTAGGED_INVALID_MO);
        assertThat(TerminateCode.of(0x1205)).contains(TerminateCode.DDP_UNTAGGED_MESSAGE_TOO_LONG);
        assertThat(TerminateCode.of(0x1206)).contains(TerminateCode.DDP_UNTAGGED_INVALID_VERSION);
        assertThat(TerminateCode.of(0x2002)).contains(TerminateCode.MPA_CRC_MISMATCH);
        assertThat(TerminateCode.of(0x2003)).contains(TerminateCode.MPA_MARKER_MISMATCH);
        assertThat(TerminateCode.of(0x2006)).contains(TerminateCode.MPA_INSUFFICIENT_IRD);
        assertThat(TerminateCode.of(0x2007)).contains(TerminateCode.MPA_NO_MATCHING_RTR);
    }

    @ParameterizedTest
    @EnumSource
    void isFoundAgainByItsParts(TerminateCode code) {
        int wireValue = code.layer().wireValue() << 12 | code.type() << 8 | code.code();
        assertThat(wireValue).isEqualTo(code.wireValue());
        assertThat(TerminateCode.of(wireValue)).contains(code);
        assertThat(TerminateCode.of(0x7_0000 | wireValue)).contains(code);
        assertThat(code.meaning()).matches("[A-Z].*\\.");
        assertThat(code.clause()).matches("RFC \\d{4}, section [\\d.]+");
        String layer =
                code.layer() == TerminateCode.Layer.LLP ? "MPA" : code.layer().name();
        assertThat(code.name()).startsWith(layer + "_");
    }

    @Test
    void aCodeOctetWithoutMeaningIsIgnored() {
        assertThat(TerminateCode.of(0x00FF)).contains(TerminateCode.RDMAP_LOCAL_CATASTROPHIC);
        assertThat(TerminateCode.of(0x1342)).contains(TerminateCode.DDP_RESERVED_FOR_LLP);
    }

    @Test
    void unassignedValuesAreNotFound() {
        assertThat(TerminateCode.of(0x0105)).isEmpty();
        assertThat(TerminateCode.of(0x1001)).isEmpty();
        assertThat(TerminateCode.of(0x2000)).isEmpty();
        assertThat(TerminateCode.of(0x3000)).isEmpty();
        assertThat(TerminateCode.of(0xFFFF)).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("expectedCodes")
    void knowsEveryCodeThatTheNegativeVectorsExpect(String code) {
        assertThat(TerminateCode.of(HexFormat.fromHexDigits(code))).isPresent();
    }

    private static Stream<String> expectedCodes() {
        return Vectors.negative().stream()
                .map(Vectors.Negative::expectTerminate)
                .filter(code -> code.startsWith("0x"))
                .map(code -> code.substring(2, 6));
    }
}
