package io.stag.cli.dump;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.cli.CommandRun;
import io.stag.cli.ExitCode;
import io.stag.cli.Vectors;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class HexDumpTest {
    private final InputStream standardInput = System.in;

    @AfterEach
    void giveBackStandardInput() {
        System.setIn(standardInput);
    }

    @Test
    void readsFramesAsPeopleWriteThem() {
        CommandRun run = dump("""
            # the example of the manual
            0017 4143 00000000 00000000 00000001 00000000
            0x68,0x65:6c6c 6f 000000 b990b10c   # hello

            %s
            """.formatted(hex("MPA-REQ-V2-P2P")), "-v");
        assertThat(run.exitCode()).isEqualTo(ExitCode.DONE);
        assertThat(run.out())
                .contains("#1 -        0 Send            L=1 QN 0 MSN 1 MO 0 len 5 CRC ok")
                .contains("payload 68 65 6c 6c 6f")
                .contains("#2 -        0 MPA Request     Rev 2 M=0 C=1")
                .contains("private data 73 74 61 67")
                .endsWith("2 frames, no anomalies\n");
    }

    static List<Vectors.Vector> good() {
        return Vectors.good();
    }

    @ParameterizedTest
    @MethodSource("good")
    void everyGoodVectorIsGood(Vectors.Vector vector) {
        boolean crc = !vector.id().endsWith("NOCRC");
        String markers = vector.kind().equals("marked-stream") ? "on" : "off";
        CommandRun run = dump(hex(vector.id()), "--crc", crc ? "on" : "off", "--markers", markers);
        assertThat(run.exitCode()).as(run.out()).isEqualTo(ExitCode.DONE);
        assertThat(run.out()).doesNotContain("!!");
    }

    @Test
    void startupFramesSayWhetherThereIsACrc() {
        String text = List.of("MPA-REQ-V1-NOCRC", "MPA-REP-V1-NOCRC", "SEND-HELLO-NOCRC").stream()
                .map(HexDumpTest::hex)
                .collect(Collectors.joining("\n"));
        assertThat(dump(text).out()).contains("CRC off", "3 frames, no anomalies");
        CommandRun forced = dump(text, "--crc", "on");
        assertThat(forced.out()).contains("CRC BAD", "RFC 5044 §4.4", "1 with anomalies");
        assertThat(forced.exitCode()).isEqualTo(ExitCode.FAILED);
    }

    @Test
    void aCutFrameIsMarked() {
        CommandRun run = dump(hex("SEND-HELLO").substring(0, 40));
        assertThat(run.out()).contains("20 octets that are no complete frame");
        assertThat(run.exitCode()).isEqualTo(ExitCode.FAILED);
    }

    @Test
    void whatIsNotHexadecimalIsNamedWithItsLine() {
        CommandRun run = dump(hex("SEND-HELLO") + "\n\nnot hex\n");
        assertThat(run.exitCode()).isEqualTo(ExitCode.FAILED);
        assertThat(run.err()).contains("line 3 is not hexadecimal");
        assertThat(run.out()).as("what came before").contains("Send");
    }

    @Test
    void standardInputMayBeACapture() {
        byte[] file = Capture.ethernet()
                .handshake()
                .client(Vectors.octets("MPA-REQ-V1"))
                .server(Vectors.octets("MPA-REP-V1"))
                .client(Vectors.octets("SEND-HELLO"))
                .pcapng(ByteOrder.LITTLE_ENDIAN);
        System.setIn(new ByteArrayInputStream(file));
        CommandRun run = CommandRun.of("dump", "-");
        assertThat(run.out())
                .contains("#1 10.0.0.1:40000 > 10.0.0.2:7174")
                .contains("   0.000020 #1 >        0 Send            L=1 QN 0 MSN 1 MO 0 len 5 CRC ok")
                .endsWith("6 packets, 1 connection with MPA, 3 frames, no anomalies\n");
    }

    private static CommandRun dump(String text, String... options) {
        System.setIn(new ByteArrayInputStream(text.getBytes(StandardCharsets.US_ASCII)));
        String[] args = new String[options.length + 2];
        args[0] = "dump";
        System.arraycopy(options, 0, args, 1, options.length);
        args[args.length - 1] = "-";
        return CommandRun.of(args);
    }

    private static String hex(String id) {
        return HexFormat.of().formatHex(Vectors.octets(id));
    }
}
