package io.stag.cli.dump;

import static io.stag.cli.dump.DatagramExamples.withCrc;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.stag.cli.dump.Capture.Collected;
import java.io.ByteArrayOutputStream;
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

class ReliableDumpTest {
    private static final DumpSettings PLAIN = new DumpSettings(false, false, 0, Optional.empty(), Optional.empty());
    private static final DumpSettings VERBOSE = new DumpSettings(true, false, 0, Optional.empty(), Optional.empty());
    private static final Map<String, byte[]> VECTORS = DatagramExamples.reliable();
    private static final int STREAM = 11;
    private static final int PSN = 19;

    private static byte[] vector(String id) {
        return Objects.requireNonNull(VECTORS.get(id), id).clone();
    }

    /** An example with one octet changed and the CRC made right. */
    private static byte[] changed(String id, int at, int value) {
        byte[] datagram = vector(id);
        datagram[at] = (byte) value;
        return withCrc(datagram);
    }

    private static Collected dump(Capture capture) {
        return Capture.dump(capture.pcap(), PLAIN);
    }

    private static List<String> remarks(Frame frame) {
        return frame.remarks().stream().map(Remark::toString).toList();
    }

    @Test
    void showsEachDatagramOnALine() {
        Capture capture = Capture.ethernet();
        VECTORS.forEach((id, datagram) -> capture.udp(!id.startsWith("RD-ACK"), datagram));
        Collected dump = dump(capture);
        assertThat(dump.anomalies()).isEmpty();
        assertThat(dump.frames)
                .extracting(frame -> frame.name() + ": " + frame.summary())
                .containsExactly(
                        "RD Send: stream 1 PSN 1 unbound ack wanted L=1 QN 0 MSN 1 MO 0 len 5 CRC ok",
                        "RD Write: stream 7 PSN 4294967295 acks stream 2147483649 up to 41 credit 256 L=1"
                                + " STag 0x12345678 TO 0x0000000100000040 len 4 CRC ok",
                        "RD Read Request: stream 7 PSN 2 ack wanted L=1 QN 1 MSN 1 MO 0 len 28"
                                + " sink STag 0x11223344 TO 0x0000000000000010 size 4096"
                                + " source STag 0x55667788 TO 0x0000000000000020 CRC ok",
                        "RD Ack: acks stream 1 up to 1 credit 256 delay 100 us CRC ok",
                        "RD Ack: acks stream 1 up to 40 credit 512 missing 41,44-103,105-167 delay 262140 us CRC ok",
                        "RD Ack: acks stream 1 up to 5 credit 0 delay 0 us not ready CRC ok",
                        "RD Refusal: of stream 7 PSN 4294967295 to epoch 0x1badb002 CRC ok");
        assertThat(remarks(dump.frames.getLast()))
                .contains("-- its sender is not the one who was meant; the stream ends (RD-013)");
    }

    @Test
    void showsAllFieldsWhenAsked() {
        Collected dump = Capture.dump(
                Capture.ethernet().udp(true, vector("RD-SEND-FIRST")).pcap(), VERBOSE);
        assertThat(dump.frames.getFirst().details())
                .containsExactly(
                        "header version 1 data acknowledgement wanted flow 1 epoch 0x1badb002 stream 1 to epoch"
                                + " 0x00000000 PSN 1 acked stream 0 PSN 0 echo 0 credit 0",
                        "DDP control 0x41: T=0 L=1 DV=1",
                        "RDMAP control 0x43: RV=1 opcode 3, Send",
                        "payload 01 08 0f 16 1d                                   .....");
    }

    @Test
    void seesWhatIsSentAgainAndEarlierStreamsAndNewLives() {
        byte[] first = vector("RD-SEND-FIRST");
        Collected dump = dump(Capture.ethernet()
                .udp(true, first)
                .udp(true, changed("RD-SEND-FIRST", PSN, 3))
                .udp(true, changed("RD-SEND-FIRST", PSN, 2))
                .udp(true, changed("RD-SEND-FIRST", PSN, 3))
                .udp(false, first)
                .udp(true, changed("RD-SEND-FIRST", STREAM, 9))
                .udp(true, first)
                .udp(true, changed("RD-SEND-FIRST", 4, 0x77))
                .udp(true, changed("RD-SEND-FIRST", 4, 0x77)));
        assertThat(dump.anomalies()).isEmpty();
        assertThat(dump.frames)
                .extracting(ReliableDumpTest::remarks)
                .containsExactly(
                        List.of(),
                        List.of(),
                        List.of(),
                        List.of("-- sent again (RD-021)"),
                        List.of(),
                        List.of(),
                        List.of("-- of an earlier stream; the present one is 9 (RD-012)"),
                        List.of("-- another life of its sender: the epoch was 0x1badb002 (RD-012)"),
                        List.of("-- sent again (RD-021)"));
    }

    @ParameterizedTest(name = "octet {1} of {0} becomes {2}: {3}")
    @CsvSource({
        "RD-SEND-FIRST, 11, 0x00, stream 0",
        "RD-SEND-FIRST, 32, 0x42, DDP version 2",
        "RD-SEND-FIRST, 33, 0x03, RDMAP version 0",
        "RD-SEND-FIRST, 33, 0x4F, opcode 15",
        "RD-SEND-FIRST, 33, 0x40, RDMA Write in an untagged segment",
        "RD-SEND-FIRST, 41, 0x01, belongs on queue 0",
        "RD-WRITE-BOUND, 33, 0x43, Send in a tagged segment",
        "RD-ACK, 35, 0x01, with 1 words",
        "RD-ACK-GAPS, 35, 0x01, with 1 words",
        "RD-ACK-GAPS, 34, 0x01, with 258 words"
    })
    void namesWhatIsMalformed(String id, int at, String value, String text) {
        Collected dump = dump(Capture.ethernet()
                .udp(true, vector("RD-SEND-FIRST"))
                .udp(true, changed(id, at, Integer.decode(value))));
        assertThat(dump.anomalies()).hasSize(1).allMatch(anomaly -> anomaly.contains(text));
        assertThat(dump.anomalies()).allMatch(anomaly -> anomaly.endsWith("(RD-020)"));
    }

    @Test
    void seesEpochZeroLongRefusalsShortOnesAndUnknownFlags() {
        byte[] noEpoch = vector("RD-REFUSAL");
        Arrays.fill(noEpoch, 4, 8, (byte) 0);
        Collected dump = dump(Capture.ethernet()
                .udp(true, vector("RD-SEND-FIRST"))
                .udp(true, withCrc(noEpoch))
                .udp(true, withCrc(Arrays.copyOf(vector("RD-REFUSAL"), 37)))
                .udp(true, withCrc(Arrays.copyOf(vector("RD-ACK"), 39)))
                .udp(true, withCrc(Arrays.copyOf(vector("RD-SEND-FIRST"), 50)))
                .udp(true, withCrc(Arrays.copyOf(vector("RD-REFUSAL"), 30)))
                .udp(false, changed("RD-ACK", 1, 0x06)));
        assertThat(dump.anomalies())
                .containsExactly(
                        "!! epoch 0 (RD-020)",
                        "!! a refusal has 36 octets, here are 37 (RD-020)",
                        "!! a datagram of 39 octets is shorter than its headers (DG-005)",
                        "!! a datagram of 50 octets is shorter than its headers (DG-005)",
                        "!! a datagram of 30 octets is shorter than its headers (DG-005)");
        assertThat(remarks(dump.frames.getLast())).containsExactly("-- flags 0x06 have no meaning (DG-031)");
    }

    @Test
    void showsApartWhatTheSystemJoined() {
        ByteArrayOutputStream train = new ByteArrayOutputStream();
        train.writeBytes(vector("RD-SEND-FIRST"));
        train.writeBytes(changed("RD-SEND-FIRST", PSN, 2));
        Collected dump = dump(Capture.ethernet().udp(true, train.toByteArray()));
        assertThat(dump.frames)
                .extracting(Frame::summary)
                .satisfiesExactly(
                        summary -> assertThat(summary).startsWith("stream 1 PSN 1 "),
                        summary -> assertThat(summary).startsWith("stream 1 PSN 2 "));
        assertThat(dump.anomalies()).isEmpty();
    }

    @Test
    void aDatagramCutOffByTheCaptureIsShownAsFarAsItGoes() {
        byte[] file = Capture.ethernet()
                .udp(true, vector("RD-SEND-FIRST"))
                .udp(true, vector("RD-ACK-GAPS"))
                .pcap();
        Collected dump = Capture.dump(PcapEditor.shorten(file, 1, 12), PLAIN);
        assertThat(dump.anomalies()).isEmpty();
        assertThat(dump.frames.get(1).summary()).isEqualTo("acks stream 1 up to 40 credit 512 delay 262140 us");
    }

    @ParameterizedTest(name = "-Dstag.seed={0}")
    @ValueSource(longs = {1, 2, 3, 4})
    void anyOctetsAndAnyCutsAreShownOrLeftOut(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        List<byte[]> datagrams = List.copyOf(VECTORS.values());
        for (int i = 0; i < 500; i++) {
            byte[] spoilt = datagrams.get(random.nextInt(datagrams.size())).clone();
            spoilt[random.nextInt(spoilt.length)] = (byte) random.nextInt();
            spoilt = Arrays.copyOf(spoilt, random.nextInt(spoilt.length + 60));
            byte[] file = Capture.ethernet()
                    .udp(true, vector("RD-SEND-FIRST"))
                    .udp(random.nextBoolean(), spoilt)
                    .pcap();
            int cut = random.nextInt(8 + spoilt.length);
            DumpSettings settings = random.nextBoolean() ? PLAIN : VERBOSE;
            assertThatCode(() -> Capture.dump(PcapEditor.shorten(file, 1, cut), settings))
                    .as("-Dstag.seed=%d", seed)
                    .doesNotThrowAnyException();
        }
    }
}
