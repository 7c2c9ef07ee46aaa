package io.stag.cli.dump;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.cli.Vectors;
import io.stag.wire.Crc32c;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class AnomalyTest {
    private static final DumpSettings PLAIN = new DumpSettings(false, false, 0, Optional.empty(), Optional.empty());

    private static final byte[] REQUEST = Vectors.octets("MPA-REQ-V1");
    private static final byte[] REPLY = Vectors.octets("MPA-REP-V1");
    private static final byte[] HELLO = Vectors.octets("SEND-HELLO");

    /** Negative vectors that only the receiver can judge, since they depend on its memory and receives. */
    private static final List<String> NOT_VISIBLE = List.of(
            "NEG-NOBUF",
            "NEG-TOO-LONG",
            "NEG-WRITE-STAG",
            "NEG-WRITE-STAG-ZERO",
            "NEG-WRITE-BOUNDS",
            "NEG-READ-STAG",
            "NEG-READ-BOUNDS",
            "NEG-INV-STAG");

    /** Clause that must be named for the others. */
    private static final Map<String, String> CLAUSES = Map.ofEntries(
            Map.entry("NEG-BAD-CRC", "RFC 5044 §4.4"),
            Map.entry("NEG-SHORT-ULPDU", "RFC 5041 §4.1"),
            Map.entry("NEG-DV-UNTAGGED", "RFC 5041 §7.1"),
            Map.entry("NEG-DV-TAGGED", "RFC 5041 §7.1"),
            Map.entry("NEG-RV", "RFC 5040 §7.2"),
            Map.entry("NEG-OPCODE", "RFC 5040 §7.2"),
            Map.entry("NEG-OPCODE-RESP", "RFC 5040 §5.2.2"),
            Map.entry("NEG-T-FLAG", "RFC 5040 §4.1"),
            Map.entry("NEG-QN", "RFC 5041 §7.1"),
            Map.entry("NEG-MSN-GAP", "RFC 5041 §4.3"),
            Map.entry("NEG-MO", "RFC 5041 §5.2"),
            Map.entry("NEG-WRITE-WRAP", "RFC 5041 §7.1"),
            Map.entry("NEG-READ-WRAP", "RFC 5040 §5.2.1"),
            Map.entry("NEG-ATOMIC-ALIGN", "RFC 7306 §5.1"),
            Map.entry("NEG-ATOMIC-CODE", "RFC 7306 §5.2.1"),
            Map.entry("NEG-IMM-LEN", "RFC 7306 §6.3"),
            Map.entry("NEG-MPA-KEY", "RFC 5044 §7.1.1"),
            Map.entry("NEG-MPA-REPKEY", "RFC 5044 §7.1.2"),
            Map.entry("NEG-MPA-PDLEN", "RFC 5044 §7.1.1"),
            Map.entry("NEG-MPA-REV", "RFC 5044 §7.1.1"),
            Map.entry("NEG-MPA-V2-SHORT", "RFC 6581 §9"),
            Map.entry("NEG-MARKER", "RFC 5044 §4.3"));

    static List<Vectors.Vector> negative() {
        return Vectors.negative();
    }

    @ParameterizedTest
    @MethodSource("negative")
    void marksWhatIsWrongWithItsClause(Vectors.Vector vector) {
        Capture capture = Capture.ethernet().handshake();
        if (vector.id().startsWith("NEG-MPA")) {
            capture.client(vector.octets());
        } else {
            boolean markers = vector.id().equals("NEG-MARKER");
            capture.client(REQUEST)
                    .server(markers ? Vectors.octets("MPA-REP-V1-M") : REPLY)
                    .client(vector.octets());
        }
        Capture.Collected found = Capture.dump(capture.pcap(), PLAIN);
        if (NOT_VISIBLE.contains(vector.id())) {
            assertThat(found.anomalies()).isEmpty();
            return;
        }
        assertThat(found.anomalies()).hasSize(1);
        assertThat(found.anomalies().getFirst()).endsWith("(" + CLAUSES.get(vector.id()) + ")");
        String code = vector.json().get("expect_terminate").getAsString().substring(0, 5);
        if (code.startsWith("0x") && !vector.id().equals("NEG-IMM-LEN")) {
            assertThat(found.anomalies().getFirst())
                    .contains("Terminate "
                            + vector.json()
                                    .get("expect_terminate")
                                    .getAsString()
                                    .substring(0, 6));
        }
    }

    @Test
    void theOrderOfLinuxSiwInATerminateIsNoted() {
        Capture capture =
                Capture.ethernet().handshake().client(REQUEST).server(REPLY).client(HELLO);
        byte[] terminate = Vectors.octets("TERM-MPA-CRC").clone();
        terminate[20] = 0x02;
        capture.server(withCrc(terminate));
        byte[] noBuffer = Vectors.octets("TERM-DDP-NOBUF").clone();
        noBuffer[20] = 0x21;
        noBuffer[22] = 0x03;
        Capture second =
                Capture.ethernet().handshake().client(REQUEST).server(REPLY).server(withCrc(noBuffer));

        Frame first = Capture.dump(capture.pcap(), PLAIN).frames.getLast();
        assertThat(first.summary()).contains("code 0x0202", "CRC ok");
        assertThat(first.remarks()).hasSize(1);
        assertThat(first.remarks().getFirst().isAnomaly()).isFalse();
        assertThat(first.remarks().getFirst().text()).contains("Linux siw", "0x2002", "CRC of an FPDU");
        Frame other = Capture.dump(second.pcap(), PLAIN).frames.getLast();
        assertThat(other.remarks().getFirst().text()).contains("0x1202", "flags are swapped");
    }

    @Test
    void aTerminateCodeWithAMeaningInEitherOrderIsShownWithBoth() {
        byte[] terminate = Vectors.octets("TERM-MPA-CRC").clone();
        terminate[21] = 0x06;
        Capture capture = Capture.ethernet()
                .handshake()
                .client(REQUEST)
                .server(REPLY)
                .client(HELLO)
                .server(withCrc(terminate));
        Frame frame = Capture.dump(capture.pcap(), PLAIN).frames.getLast();
        assertThat(frame.remarks().getFirst().text())
                .contains("inbound RDMA Read queue", "0x0206", "opcode is unknown");
    }

    @Test
    void nothingMayFollowATerminate() {
        Capture capture = Capture.ethernet().handshake().client(REQUEST).server(REPLY);
        capture.client(Vectors.octets("TERM-MPA-CRC"), HELLO);
        assertThat(Capture.dump(capture.pcap(), PLAIN).anomalies())
                .containsExactly("!! a segment after Terminate (RFC 5040 §5.4)");
    }

    @Test
    void aStreamThatEndsInsideAnFpduIsMarked() {
        Capture capture = Capture.ethernet().handshake().client(REQUEST).server(REPLY);
        capture.client(Arrays.copyOf(HELLO, 10)).clientFin();
        assertThat(Capture.dump(capture.pcap(), PLAIN).anomalies())
                .containsExactly("!! the stream ends inside an FPDU, after 10 of its octets (RFC 5044 §4.1)");
    }

    @Test
    void octetsBeforeTheReplyAreMarked() {
        Capture capture = Capture.ethernet().handshake().client(REQUEST, HELLO).server(REPLY);
        Capture.Collected found = Capture.dump(capture.pcap(), PLAIN);
        assertThat(found.anomalies()).hasSize(1);
        assertThat(found.anomalies().getFirst()).contains("before the peer's startup frame");
        assertThat(found.names()).containsExactly("MPA Request", "stream", "MPA Reply", "Send");
    }

    @Test
    void twoInitiatorsAreMarked() {
        Capture capture = Capture.ethernet().handshake().client(REQUEST).server(REQUEST);
        assertThat(Capture.dump(capture.pcap(), PLAIN).anomalies())
                .containsExactly("!! both sides sent a Request (RFC 5044 §7.1.2)");
    }

    @Test
    void aReplyIsCheckedAgainstItsRequest() {
        Capture plain = Capture.ethernet().handshake().client(REQUEST).server(Vectors.octets("MPA-REP-V2-P2P"));
        assertThat(Capture.dump(plain.pcap(), PLAIN).anomalies())
                .containsExactly("!! an enhanced Reply to a plain Request (RFC 6581 §10)");
        byte[] reply = Vectors.octets("MPA-REP-V2-P2P").clone();
        reply[23] = 17; // ORD above the 16 asked for
        Capture deep = Capture.ethernet()
                .handshake()
                .client(Vectors.octets("MPA-REQ-V2-P2P"))
                .server(reply);
        assertThat(Capture.dump(deep.pcap(), PLAIN).anomalies())
                .containsExactly("!! ORD is above the IRD of the Request, 16 (RFC 6581 §9.1)");
    }

    @Test
    void aResponseThatFitsNoReadIsMarked() {
        byte[] response = HexFormat.of().parseHex("000ec142a1b2c3020000000000010000" + "00000000");
        Capture capture = Capture.ethernet().handshake().client(REQUEST).server(REPLY);
        capture.client(Vectors.octets("READ-REQ")).server(withCrc(response));
        assertThat(Capture.dump(capture.pcap(), PLAIN).anomalies())
                .containsExactly("!! does not answer the oldest Read: sink STag is 0xa1b2c301 (RFC 5040 §5.2.2)");
    }

    @Test
    void aRejectedConnectionIsNoted() {
        Capture capture = Capture.ethernet().handshake().client(REQUEST);
        capture.server(Vectors.octets("MPA-REP-V1-REJECT")).client("anything".getBytes());
        Capture.Collected found = Capture.dump(capture.pcap(), PLAIN);
        assertThat(found.frames).hasSize(2);
        assertThat(found.frames.getLast().remarks()).containsExactly(Remark.note("rejected", "RFC 5044 §7.1.1"));
    }

    private static byte[] withCrc(byte[] fpdu) {
        MemorySegment octets = MemorySegment.ofArray(fpdu);
        Crc32c crc = new Crc32c();
        crc.update(octets, 0, fpdu.length - 4);
        Crc32c.putWire(octets, fpdu.length - 4, crc.value());
        return fpdu;
    }
}
