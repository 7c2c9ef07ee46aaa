package io.stag.cli.dump;

import static io.stag.cli.dump.DatagramExamples.withCrc;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.stag.cli.dump.Capture.Collected;
import io.stag.wire.datagram.DatagramPrefix;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DatagramDumpTest {
    private static final DumpSettings PLAIN = new DumpSettings(false, false, 0, Optional.empty(), Optional.empty());
    private static final DumpSettings VERBOSE = new DumpSettings(true, false, 0, Optional.empty(), Optional.empty());
    private static final DumpSettings PORT = new DumpSettings(false, false, 7174, Optional.empty(), Optional.empty());

    private static final Map<String, byte[]> VECTORS = DatagramExamples.unreliable();
    private static final byte[] SEND = vector("DG-SEND-5");

    private static byte[] vector(String id) {
        return Objects.requireNonNull(VECTORS.get(id), id).clone();
    }

    private static Collected dump(Capture capture, DumpSettings settings) {
        return Capture.dump(capture.pcap(), settings);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void showsEachDatagramOnALine(boolean ipv6) {
        Capture capture = new Capture(Capture.ETHERNET, ipv6, 40_000);
        VECTORS.values().forEach(datagram -> capture.udp(true, datagram));
        capture.udp(false, SEND);
        Collected dump = Capture.dump(capture.pcapng(ByteOrder.BIG_ENDIAN), PLAIN);
        assertThat(dump.connections).hasSize(1).allMatch(text -> text.endsWith(":7174, datagrams"));
        assertThat(dump.anomalies()).isEmpty();
        assertThat(dump.names())
                .containsExactly(
                        "DG Send",
                        "DG Send",
                        "DG Send SE",
                        "DG Send",
                        "DG Send",
                        "DG Send",
                        "DG Write-Record",
                        "DG Write-Record",
                        "DG Write-Record",
                        "DG Write-Record",
                        "DG Write-Record",
                        "DG Send");
        assertThat(dump.frames.get(1).summary()).isEqualTo("message 2 of 5 octets L=1 MSN 2 MO 0 len 5 CRC ok");
        assertThat(dump.frames.get(4).offset()).isEqualTo(128);
        assertThat(dump.frames.get(8).summary())
                .isEqualTo("message 7 of 192 octets L=0 STag 0x12345678 TO 0x0000000100000040 len 64 CRC ok");
        assertThat(dump.frames.get(10).direction()).isEqualTo('>');
        assertThat(dump.frames.get(11).direction()).isEqualTo('<');
    }

    @Test
    void showsAllFieldsWhenAsked() {
        Collected dump = dump(Capture.ethernet().udp(true, SEND), VERBOSE);
        assertThat(dump.frames.getFirst().details())
                .containsExactly(
                        "prefix version 1 segment epoch 0x1badb002 message 2 length 5 offset 0",
                        "DDP control 0x41, RDMAP control 0x43, Send",
                        "payload 01 08 0f 16 1d                                   .....");
    }

    @ParameterizedTest(name = "octet {0} becomes {1}: {2}")
    @CsvSource({
        "0, 0x21, DG-006",
        "0, 0x1F, DG-007",
        "20, 0x42, DG-008", // DDP version
        "20, 0x01, DG-008", // L
        "21, 0x44, DG-008", // Send with Invalidate
        "29, 0x01, DG-008", // queue
        "33, 0x09, DG-008", // MSN
        "37, 0x40, DG-008", // MO
        "15, 0x04, DG-009" // reaches beyond its message
    })
    void namesTheRuleThatIsBroken(int at, String value, String rule) {
        byte[] broken = SEND.clone();
        broken[at] = Integer.decode(value).byteValue();
        Collected dump = dump(Capture.ethernet().udp(true, SEND).udp(true, withCrc(broken)), PLAIN);
        assertThat(dump.frames).hasSize(2);
        assertThat(dump.anomalies()).anyMatch(anomaly -> anomaly.contains("(" + rule + ")"));
    }

    @Test
    void seesAWrongCrcAndWhatIsTooShort() {
        byte[] wrong = SEND.clone();
        wrong[40] ^= 1;
        Collected dump = dump(
                Capture.ethernet()
                        .udp(true, SEND)
                        .udp(true, wrong)
                        .udp(true, new byte[5])
                        .udp(true, new byte[0]),
                PLAIN);
        assertThat(dump.anomalies())
                .anyMatch(anomaly -> anomaly.contains("(DG-004)"))
                .anyMatch(anomaly -> anomaly.contains("5 octets") && anomaly.contains("(DG-005)"));
        assertThat(dump.frames).hasSize(4);
    }

    @Test
    void seesSegmentsThatContradictEachOtherOrComeTwice() {
        byte[] first = vector("DG-SEND-SEG-1");
        byte[] other = vector("DG-SEND-SEG-2");
        other[15]--; // the message is one octet shorter
        byte[] shorter = withCrc(Arrays.copyOf(other, other.length - 1));
        Collected dump =
                dump(Capture.ethernet().udp(true, first).udp(true, first).udp(true, shorter), PLAIN);
        assertThat(dump.frames.get(1).remarks())
                .extracting(Remark::toString)
                .containsExactly("-- its octets came before (DG-012)");
        assertThat(dump.anomalies()).hasSize(1).allMatch(anomaly -> anomaly.contains("(DG-011)"));
    }

    @Test
    void showsReportsAboutTheFlow() {
        byte[] report = new byte[24];
        DatagramPrefix.put(
                MemorySegment.ofArray(report), 0, DatagramPrefix.REPORT, 0, 0, 0x1234_5678, 0x1BAD_B002, 80, 65_535);
        Collected dump = dump(
                Capture.ethernet()
                        .udp(true, vector("DG-WRITE-FLOW"))
                        .udp(false, withCrc(report))
                        .udp(false, withCrc(Arrays.copyOf(report, 30))),
                PLAIN);
        assertThat(dump.names()).containsExactly("DG Write-Record", "DG Report", "DG Report");
        assertThat(dump.frames.get(1).summary()).isEqualTo("to epoch 0x1badb002 received 80 newest 65535 CRC ok");
        assertThat(dump.anomalies()).containsExactly("!! a report has 24 octets, here are 30 (DG-009)");
    }

    @Test
    void showsApartWhatTheSystemJoined() {
        byte[] first = vector("DG-SEND-SEG-1");
        byte[] second = vector("DG-SEND-SEG-2");
        ByteArrayOutputStream train = new ByteArrayOutputStream();
        train.writeBytes(first);
        train.writeBytes(second);
        Collected dump = dump(Capture.ethernet().udp(true, train.toByteArray()), PLAIN);
        assertThat(dump.names()).containsExactly("DG Send", "DG Send");
        assertThat(dump.anomalies()).isEmpty();
        assertThat(dump.frames.get(1).summary()).contains("MO 128 len 72 CRC ok");
    }

    @Test
    void readsTheFirstFragmentOnly() {
        byte[] datagram = vector("DG-SEND-SEG-1");
        byte[] start = Arrays.copyOf(datagram, 120);
        byte[] rest = Arrays.copyOfRange(datagram, 120, datagram.length);
        Capture capture = Capture.ethernet()
                .udp(true, SEND)
                .udpFragment(true, start, datagram.length, 0, true)
                .udpFragment(true, rest, datagram.length, 128, false);
        Collected dump = dump(capture, PLAIN);
        assertThat(dump.anomalies()).isEmpty();
        assertThat(dump.frames).hasSize(2);
        assertThat(dump.frames.get(1).summary()).contains("len 128").doesNotContain("CRC");
    }

    @Test
    void aDatagramCutOffByTheCaptureIsShownAsFarAsItGoes() {
        byte[] file = Capture.ethernet()
                .udp(true, SEND)
                .udp(true, vector("DG-SEND-SEG-1"))
                .pcap();
        Collected dump = Capture.dump(PcapEditor.shorten(file, 1, 100), PLAIN);
        assertThat(dump.anomalies()).isEmpty();
        assertThat(dump.frames.get(1).remarks())
                .extracting(Remark::text)
                .containsExactly("cut off by the capture; its CRC cannot be checked");
    }

    @Test
    void leavesOtherDatagramsAloneUnlessTheirPortWasAskedFor() {
        byte[] wrong = SEND.clone();
        wrong[40] ^= 1;
        Capture capture = Capture.ethernet().udp(true, wrong).udp(true, new byte[100]);
        assertThat(dump(capture, PLAIN).frames).isEmpty();
        assertThat(dump(capture, PORT).anomalies()).hasSizeGreaterThanOrEqualTo(2);
        DumpSettings otherPort = new DumpSettings(false, false, 99, Optional.empty(), Optional.empty());
        assertThat(dump(capture, otherPort).frames).isEmpty();
    }

    @ParameterizedTest(name = "-Dstag.seed={0}")
    @ValueSource(longs = {1, 2, 3, 4})
    void anyOctetsAndAnyCutsAreShownOrLeftOut(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        List<byte[]> datagrams = List.copyOf(VECTORS.values());
        for (int i = 0; i < 500; i++) {
            Capture capture = Capture.ethernet().udp(true, SEND);
            byte[] spoilt = datagrams.get(random.nextInt(datagrams.size())).clone();
            spoilt[random.nextInt(spoilt.length)] = (byte) random.nextInt();
            spoilt = Arrays.copyOf(spoilt, random.nextInt(spoilt.length + 60));
            byte[] file = capture.udp(random.nextBoolean(), spoilt).pcap();
            int cut = random.nextInt(8 + spoilt.length);
            DumpSettings settings = random.nextBoolean() ? PORT : VERBOSE;
            assertThatCode(() -> Capture.dump(PcapEditor.shorten(file, 1, cut), settings))
                    .as("-Dstag.seed=%d", seed)
                    .doesNotThrowAnyException();
        }
    }
}
