package io.stag.cli.dump;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stag.cli.Vectors;
import java.io.ByteArrayOutputStream;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class CaptureDumpTest {
    private static final DumpSettings PLAIN = new DumpSettings(false, false, 0, Optional.empty(), Optional.empty());
    private static final DumpSettings GUESS = new DumpSettings(false, true, 0, Optional.empty(), Optional.empty());

    private static final byte[] REQUEST = Vectors.octets("MPA-REQ-V1");
    private static final byte[] REPLY = Vectors.octets("MPA-REP-V1");
    private static final byte[] HELLO = Vectors.octets("SEND-HELLO");
    private static final byte[] ZERO = Vectors.octets("SEND-ZERO");
    private static final byte[] WRITE_1 = Vectors.octets("WRITE-SEG-1");
    private static final byte[] WRITE_2 = Vectors.octets("WRITE-SEG-2");

    /** The FPDU vectors in the order of their sequence numbers, as a client would send them. */
    private static final List<String> CLIENT_STORY = List.of(
            "WRITE-ZERO",
            "SEND-HELLO",
            "SEND-ZERO",
            "SEND-SE",
            "SEND-INV",
            "SEND-SE-INV",
            "SEND-SEG-1",
            "SEND-SEG-2",
            "WRITE-SEG-1",
            "WRITE-SEG-2",
            "IMM",
            "IMM-SE",
            "READ-REQ",
            "READ-REQ-ZERO",
            "ATOMIC-FETCHADD",
            "ATOMIC-CMPSWAP");

    private static final List<String> CLIENT_NAMES = List.of(
            "MPA Request",
            "MPA Reply",
            "Write",
            "Send",
            "Send",
            "Send SE",
            "Send Inv",
            "Send SE Inv",
            "Send",
            "Send",
            "Write",
            "Write",
            "Immediate",
            "Immediate SE",
            "Read Request",
            "Read Request",
            "Atomic Request",
            "Atomic Request");

    private static final List<String> SERVER_STORY =
            List.of("READ-RESP-1", "READ-RESP-2", "READ-RESP-ZERO", "ATOMIC-RESP", "TERM-DDP-NOBUF");

    static Stream<Arguments> links() {
        return Stream.of(Capture.ETHERNET, Capture.NULL, Capture.RAW, Capture.LOOP, Capture.SLL, Capture.SLL2)
                .flatMap(link -> Stream.of(Arguments.of(link, false), Arguments.of(link, true)));
    }

    @ParameterizedTest(name = "link type {0}, IPv6 {1}")
    @MethodSource("links")
    void readsEveryFormatOnEveryLink(int link, boolean ipv6) {
        Capture capture = new Capture(link, ipv6, 40_000).handshake();
        capture.client(REQUEST).server(REPLY).client(HELLO).clientFin();
        List<byte[]> files = List.of(
                capture.pcap(ByteOrder.LITTLE_ENDIAN, false),
                capture.pcap(ByteOrder.BIG_ENDIAN, false),
                capture.pcap(ByteOrder.LITTLE_ENDIAN, true),
                capture.pcap(ByteOrder.BIG_ENDIAN, true),
                capture.pcapng(ByteOrder.LITTLE_ENDIAN),
                capture.pcapng(ByteOrder.BIG_ENDIAN));
        for (byte[] file : files) {
            Capture.Collected found = Capture.dump(file, PLAIN);
            assertThat(found.names()).containsExactly("MPA Request", "MPA Reply", "Send");
            assertThat(found.anomalies()).isEmpty();
            assertThat(found.frames.get(2).summary()).isEqualTo("L=1 QN 0 MSN 1 MO 0 len 5 CRC ok");
            assertThat(found.frames.get(2).timestampNanos()).isEqualTo(1_700_000_000_000_050_000L);
            assertThat(found.connections)
                    .containsExactly(
                            ipv6 ? "[2001:db8::1]:40000 > [2001:db8::2]:7174" : "10.0.0.1:40000 > 10.0.0.2:7174");
        }
    }

    @Test
    void knowsEveryGoodVector() {
        Capture capture = Capture.ethernet().handshake().client(REQUEST).server(REPLY);
        CLIENT_STORY.forEach(id -> capture.client(Vectors.octets(id)));
        SERVER_STORY.forEach(id -> capture.server(Vectors.octets(id)));
        Capture.Collected found = Capture.dump(capture.pcap(), PLAIN);

        assertThat(found.anomalies()).isEmpty();
        assertThat(found.names().subList(0, CLIENT_NAMES.size())).isEqualTo(CLIENT_NAMES);
        assertThat(found.names().subList(CLIENT_NAMES.size(), found.frames.size()))
                .containsExactly("Read Response", "Read Response", "Read Response", "Atomic Response", "Terminate");
        assertThat(found.frames.stream().skip(2))
                .allMatch(frame -> frame.summary().contains("CRC ok"));
    }

    @Test
    void countsFpdusThatLieInsideOneTcpSegment() {
        byte[] both = join(HELLO, ZERO);
        Capture capture = Capture.ethernet().handshake().client(REQUEST).server(join(REPLY, HELLO));
        capture.client(both); // two in one segment are fine
        capture.client(Arrays.copyOf(WRITE_1, 9), join(Arrays.copyOfRange(WRITE_1, 9, WRITE_1.length), WRITE_2));
        Capture.Collected found = Capture.dump(capture.pcap(), PLAIN);
        assertThat(found.alignment)
                .isEqualTo("FPDUs inside one TCP segment: 3 of 4 from initiators, 1 of 1 from responders");
    }

    private static byte[] join(byte[] first, byte[] second) {
        byte[] both = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, both, first.length, second.length);
        return both;
    }

    static List<Vectors.Vector> fpdus() {
        return Vectors.ofKind("fpdu");
    }

    @ParameterizedTest
    @MethodSource("fpdus")
    void everyFpduVectorAloneHasItsFieldsAndAGoodCrc(Vectors.Vector vector) {
        boolean crc =
                vector.json().getAsJsonObject("decoded").get("crc_enabled").getAsBoolean();
        Capture capture = Capture.ethernet().handshake();
        capture.client(Vectors.octets(crc ? "MPA-REQ-V1" : "MPA-REQ-V1-NOCRC"));
        capture.server(Vectors.octets(crc ? "MPA-REP-V1" : "MPA-REP-V1-NOCRC"));
        capture.client(vector.octets());
        Frame frame = Capture.dump(capture.pcap(), PLAIN).frames.get(2);

        var ddp = vector.json().getAsJsonObject("decoded").getAsJsonObject("ddp");
        assertThat(frame.summary()).contains("L=" + ddp.get("L").getAsInt(), crc ? "CRC ok" : "CRC off");
        assertThat(frame.summary()).contains("len " + ddp.get("payload_length").getAsInt());
        if (ddp.get("T").getAsInt() == 1) {
            assertThat(frame.summary())
                    .contains(
                            "STag " + ddp.get("stag").getAsString(),
                            "TO " + ddp.get("to").getAsString());
        } else {
            assertThat(frame.summary())
                    .contains("QN " + ddp.get("qn").getAsLong() + " MSN "
                            + ddp.get("msn").getAsLong() + " MO "
                            + ddp.get("mo").getAsLong());
        }
    }

    static List<Vectors.Vector> markedStreams() {
        return Vectors.ofKind("marked-stream");
    }

    @ParameterizedTest
    @MethodSource("markedStreams")
    void removesMarkers(Vectors.Vector vector) {
        var decoded = vector.json().getAsJsonObject("decoded");
        boolean crc = decoded.get("crc_enabled").getAsBoolean();
        byte[] reply = Vectors.octets("MPA-REP-V1-M").clone();
        reply[16] = (byte) (crc ? reply[16] : reply[16] & ~0x40);
        Capture capture = Capture.ethernet().handshake();
        capture.client(Vectors.octets(crc ? "MPA-REQ-V1" : "MPA-REQ-V1-NOCRC")).server(reply);
        capture.client(cut(vector.octets(), 7));
        Capture.Collected found = Capture.dump(capture.pcap(), PLAIN);

        var fpdus = decoded.getAsJsonArray("fpdus");
        assertThat(found.anomalies()).isEmpty();
        assertThat(found.frames).hasSize(2 + fpdus.size());
        for (int i = 0; i < fpdus.size(); i++) {
            var fpdu = fpdus.get(i).getAsJsonObject();
            Frame frame = found.frames.get(2 + i);
            assertThat(frame.offset()).isEqualTo(fpdu.get("stream_offset").getAsLong());
            assertThat(frame.summary()).endsWith(crc ? "CRC ok" : "CRC off");
        }
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
    void anyCutOrderAndRepetitionGivesTheSameFrames(long seed) {
        ByteArrayOutputStream whole = new ByteArrayOutputStream();
        CLIENT_STORY.forEach(id -> whole.writeBytes(Vectors.octets(id)));
        byte[] stream = whole.toByteArray();
        SplittableRandom random = new SplittableRandom(seed);
        List<int[]> pieces = new ArrayList<>();
        for (int at = 0; at < stream.length; ) {
            int length = Math.min(1 + random.nextInt(200), stream.length - at);
            pieces.add(new int[] {at, length + Math.min(random.nextInt(30), stream.length - at - length)}); // overlap
            at += length;
        }
        List<int[]> again = pieces.stream().filter(_ -> random.nextInt(4) == 0).toList();
        pieces.addAll(again);
        Collections.shuffle(pieces, new Random(seed));

        Capture capture = Capture.ethernet().handshake().client(REQUEST).server(REPLY);
        pieces.forEach(piece ->
                capture.clientAt(REQUEST.length + piece[0], Arrays.copyOfRange(stream, piece[0], piece[0] + piece[1])));
        Capture.Collected found = Capture.dump(capture.pcap(), PLAIN);
        assertThat(found.names()).isEqualTo(CLIENT_NAMES);
        assertThat(found.anomalies()).isEmpty();
    }

    @Test
    void aGapIsSaidAndDecodingGoesOnBehindIt() {
        Capture capture =
                Capture.ethernet().handshake().client(REQUEST).server(REPLY).client(HELLO);
        int lost = WRITE_1.length;
        capture.goOn(REQUEST.length + HELLO.length + lost, REPLY.length).client(WRITE_2, ZERO);
        Capture.Collected found = Capture.dump(capture.pcap(), PLAIN);
        assertThat(found.names()).containsExactly("MPA Request", "MPA Reply", "Send", "stream", "Write", "Send");
        assertThat(found.frames.get(3).remarks().getFirst().text())
                .isEqualTo(lost + " octets are missing in the capture");
        assertThat(found.frames.get(4).offset()).isEqualTo(HELLO.length + lost);
        assertThat(found.anomalies()).isEmpty();
    }

    @Test
    void markersFindTheNextFpduBehindAGap() {
        byte[] stream = Vectors.octets("MARK-BETWEEN");
        Capture capture = Capture.ethernet().handshake().client(REQUEST).server(Vectors.octets("MPA-REP-V1-M"));
        capture.clientAt(REQUEST.length, Arrays.copyOf(stream, 100));
        capture.clientAt(REQUEST.length + 200, Arrays.copyOfRange(stream, 200, stream.length));
        Capture.Collected found = Capture.dump(capture.pcap(), PLAIN);
        assertThat(found.names()).containsExactly("MPA Request", "MPA Reply", "stream", "stream", "Send");
        assertThat(found.frames.getLast().offset()).isEqualTo(512);
        assertThat(found.frames.getLast().summary()).contains("CRC ok");
    }

    @Test
    void packetsCutByTheSnapLengthAreGaps() {
        Capture capture = Capture.ethernet()
                .handshake()
                .client(REQUEST)
                .server(REPLY)
                .client(WRITE_1)
                .client(HELLO);
        byte[] file = capture.pcap();
        // drop the last 100 octets of the fourth-last packet: shorten its record
        byte[] cut = PcapEditor.shorten(file, 5, 100);
        Capture.Collected found = Capture.dump(cut, PLAIN);
        assertThat(found.names()).containsExactly("MPA Request", "MPA Reply", "stream", "Send");
        assertThat(found.anomalies()).isEmpty();
    }

    @Test
    void streamsWithoutStartupAreSaidAndGuessedOnRequest() {
        Capture capture = Capture.ethernet().goOn(1_000, 1_000);
        capture.client(new byte[] {1, 2, 3}, WRITE_2, HELLO, ZERO).server(Vectors.octets("READ-RESP-2"));
        Capture.Collected plain = Capture.dump(capture.pcap(), PLAIN);
        assertThat(plain.frames).isEmpty();
        assertThat(plain.withoutStartup).hasSize(1);

        Capture.Collected guessed = Capture.dump(capture.pcap(), GUESS);
        assertThat(guessed.names()).containsExactly("stream", "Write", "Send", "Send", "Read Response");
        assertThat(guessed.anomalies()).isEmpty();
    }

    @Test
    void guessesFpdusWithoutCrc() {
        byte[] noCrc = Vectors.octets("SEND-HELLO-NOCRC");
        byte[] second = noCrc.clone();
        second[15] = 2;
        byte[] third = noCrc.clone();
        third[15] = 3;
        Capture capture = Capture.ethernet().goOn(5, 5).client(noCrc, second, third);
        Capture.Collected found = Capture.dump(capture.pcap(), GUESS);
        assertThat(found.names()).containsExactly("Send", "Send", "Send");
        assertThat(found.frames).allMatch(frame -> frame.summary().endsWith("CRC off"));
    }

    @Test
    void otherProtocolsAreLeftOutSilently() {
        Capture capture = Capture.ethernet().handshake();
        capture.client("GET / HTTP/1.1\r\n\r\n".getBytes()).server("HTTP/1.1 200 OK\r\n\r\n".getBytes());
        for (DumpSettings settings : List.of(PLAIN, GUESS)) {
            Capture.Collected found = Capture.dump(capture.pcap(), settings);
            assertThat(found.frames).isEmpty();
            assertThat(found.withoutStartup).isEmpty();
        }
    }

    @Test
    void aPortUsedAgainIsAnotherConnection() {
        Capture first = Capture.ethernet()
                .handshake()
                .client(REQUEST)
                .server(REPLY)
                .client(HELLO)
                .clientFin();
        Capture again = Capture.ethernet();
        again.raw(true, 5_000, Capture.SYN, new byte[0]).raw(false, 9_000, Capture.SYN | Capture.ACK, new byte[0]);
        again.raw(true, 5_001, Capture.ACK, REQUEST).raw(false, 9_001, Capture.ACK, REPLY);
        again.raw(true, 5_001 + REQUEST.length, Capture.ACK, HELLO);
        Capture.Collected found = Capture.dump(first.append(again).pcap(), PLAIN);
        assertThat(found.connections).hasSize(2);
        assertThat(found.frames).hasSize(6);
        assertThat(found.anomalies()).isEmpty();
    }

    @Test
    void filtersByPort() {
        Capture capture =
                Capture.ethernet().handshake().client(REQUEST).server(REPLY).client(HELLO);
        DumpSettings other = new DumpSettings(false, false, 99, Optional.empty(), Optional.empty());
        DumpSettings ours = new DumpSettings(false, false, 7174, Optional.empty(), Optional.empty());
        assertThat(Capture.dump(capture.pcap(), other).frames).isEmpty();
        assertThat(Capture.dump(capture.pcap(), ours).frames).hasSize(3);
    }

    @Test
    void aDamagedFileShowsWhatCameBefore() {
        byte[] file = Capture.ethernet()
                .handshake()
                .client(REQUEST)
                .server(REPLY)
                .client(HELLO)
                .pcap();
        byte[] cut = Arrays.copyOf(file, file.length - 3);
        Capture.Collected collected = new Capture.Collected();
        assertThatThrownBy(() -> new CaptureDump(PLAIN, collected).read(PcapEditor.reader(cut)))
                .hasMessageContaining("ends in the middle of a packet");
        assertThat(collected.names()).containsExactly("MPA Request", "MPA Reply");
    }

    private static byte[][] cut(byte[] stream, int length) {
        byte[][] pieces = new byte[Math.ceilDiv(stream.length, length)][];
        for (int i = 0; i < pieces.length; i++) {
            pieces[i] = Arrays.copyOfRange(stream, i * length, Math.min((i + 1) * length, stream.length));
        }
        return pieces;
    }
}
