package io.stag.wire.rdmap;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.stag.simnet.Conforms;
import io.stag.wire.Vectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class RdmapOpcodeTest {
    @ParameterizedTest
    @CsvSource({
        "0, RDMA Write, true, -1, false, false, false",
        "1, RDMA Read Request, false, 1, false, false, false",
        "2, RDMA Read Response, true, -1, false, false, false",
        "3, Send, false, 0, true, false, false",
        "4, Send with Invalidate, false, 0, true, true, false",
        "5, Send with Solicited Event, false, 0, true, false, true",
        "6, Send with Solicited Event and Invalidate, false, 0, true, true, true",
        "7, Terminate, false, 2, false, false, false",
        "8, Immediate Data, false, 0, false, false, false",
        "9, Immediate Data with Solicited Event, false, 0, false, false, true",
        "10, Atomic Request, false, 1, false, false, false",
        "11, Atomic Response, false, 3, false, false, false"
    })
    @Conforms({"RDMAP-001", "RDMAP-006", "EXT-010", "EXT-011"})
    void isAsTheRfcsHaveIt(
            int opcode,
            String name,
            boolean tagged,
            int queue,
            boolean send,
            boolean invalidates,
            boolean solicitsEvent) {
        assertThat(RdmapOpcode.isKnown(opcode)).isTrue();
        assertThat(RdmapOpcode.name(opcode)).isEqualTo(name);
        assertThat(RdmapOpcode.isTagged(opcode)).isEqualTo(tagged);
        assertThat(RdmapOpcode.queue(opcode)).isEqualTo(queue);
        assertThat(RdmapOpcode.isSend(opcode)).isEqualTo(send);
        assertThat(RdmapOpcode.invalidates(opcode)).isEqualTo(invalidates);
        assertThat(RdmapOpcode.solicitsEvent(opcode)).isEqualTo(solicitsEvent);
    }

    @ParameterizedTest
    @MethodSource("io.stag.wire.Vectors#fpdus")
    @Conforms("RDMAP-006")
    void agreesWithTheVectors(Vectors.Positive vector) {
        JsonNode ddp = vector.ddp();
        int opcode = ddp.path("opcode").intValue();
        assertThat(RdmapOpcode.name(opcode).replace("Solicited Event", "SE"))
                .isEqualTo(ddp.path("operation").textValue());
        assertThat(RdmapOpcode.isTagged(opcode)).isEqualTo(Vectors.flag(ddp.path("T")));
        assertThat(RdmapOpcode.queue(opcode)).isEqualTo(ddp.path("qn").asInt(RdmapOpcode.NO_QUEUE));
    }

    @ParameterizedTest
    @ValueSource(ints = {12, 13, 14, 15, 16, 32, 34, -1, -30, Integer.MIN_VALUE, Integer.MAX_VALUE})
    void saysNothingOfUnknownOpcodes(int opcode) {
        assertThat(RdmapOpcode.isKnown(opcode)).isFalse();
        assertThat(RdmapOpcode.name(opcode)).isEqualTo("unknown opcode " + opcode);
        assertThat(RdmapOpcode.isTagged(opcode)).isFalse();
        assertThat(RdmapOpcode.queue(opcode)).isEqualTo(RdmapOpcode.NO_QUEUE);
        assertThat(RdmapOpcode.isSend(opcode)).isFalse();
        assertThat(RdmapOpcode.invalidates(opcode)).isFalse();
        assertThat(RdmapOpcode.solicitsEvent(opcode)).isFalse();
    }
}
