package io.stag.cli.dump;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.verbs.Access;
import io.stag.verbs.CompletionQueue;
import io.stag.verbs.MemoryRegion;
import io.stag.verbs.ProtectionDomain;
import io.stag.verbs.QueuePair;
import io.stag.verbs.QueuePairConfig;
import io.stag.verbs.Rnic;
import io.stag.verbs.SendRequests;
import io.stag.verbs.WorkCompletions;
import io.stag.verbs.cm.Connection;
import io.stag.verbs.cm.ConnectionConfig;
import io.stag.verbs.cm.Listener;
import io.stag.wire.ddp.UntaggedHeader;
import io.stag.wire.mpa.Fpdu;
import io.stag.wire.rdmap.ImmediateData;
import io.stag.wire.rdmap.RdmapOpcode;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Wireshark as judge: its dissector was written by others from the same RFCs. Every operation between two Stags is recorded
 * and must be read by it as {@code stag dump} reads it.
 */
@EnabledIfSystemProperty(
        named = "stag.tshark",
        matches = "true",
        disabledReason = "needs tshark; ask for it with -Dstag.tshark=true")
class TsharkIT {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int SIZE = 4_096;
    private static final int STARTUP_FRAMES = 2;
    private static final int RECEIVES = 8;

    /** What the dissector (seen with 4.0.17) says about right frames, and why it may. */
    private static final Map<String, String> EXPLAINED = Map.of(
            "Res field is NOT set to zero as required by RFC 5044",
            "the S flag of RFC 6581 was a reserved bit in RFC 5044",
            "Rev field is NOT set to one as required by RFC 5044",
            "RFC 6581 says 2");

    @TempDir
    Path folder;

    private final Rnic clientRnic = quiet(Rnic.open());
    private final Rnic serverRnic = quiet(Rnic.open());

    @AfterEach
    void close() {
        clientRnic.close();
        serverRnic.close();
    }

    static Stream<Arguments> settings() {
        return Stream.of(true, false).flatMap(crc -> Stream.of(true, false).map(markers -> Arguments.of(crc, markers)));
    }

    @ParameterizedTest(name = "CRC {0}, Markers {1}")
    @MethodSource("settings")
    void readsEveryOperationAsStagDumpDoes(boolean crc, boolean markers) throws Exception {
        judge(record(crc, markers, TsharkIT::everyOperation), crc);
    }

    @ParameterizedTest(name = "CRC {0}, Markers {1}")
    @MethodSource("settings")
    void readsATerminateAsStagDumpDoes(boolean crc, boolean markers) throws Exception {
        judge(
                record(
                        crc,
                        markers,
                        ends -> ends.post(
                                ends.requests().read(1, 0x1234_5678, 0).into(ends.local, 0, 8))),
                crc);
        judge(
                record(
                        crc,
                        markers,
                        ends -> ends.post(
                                ends.requests().write(1, 0x1234_5678, 0).from(ends.local, 0, 8))),
                crc);
        judge(record(crc, markers, TsharkIT::moreSendsThanReceives), crc);
    }

    private void judge(byte[] pcap, boolean crc) throws Exception {
        Path file = Files.write(folder.resolve("stag.pcap"), pcap);
        List<Frame> frames =
                Capture.dump(pcap, new DumpSettings(true, false, 0, Optional.empty(), Optional.empty())).frames;
        List<Tshark.Row> rows = Tshark.dissect(file);
        assertThat(frames).noneMatch(Frame::hasAnomaly);
        assertThat(rows).as(Tshark.version()).hasSameSizeAs(frames);
        for (int i = 0; i < rows.size(); i++) {
            compare(frames.get(i), rows.get(i), crc);
        }
        for (char direction : new char[] {'>', '<'}) {
            assertThat(markersSeenByDump(frames, direction))
                    .as("Markers in direction %s", direction)
                    .isEqualTo(markersSeenByTshark(frames, rows, direction));
        }
        int fpdus = crc ? rows.size() - STARTUP_FRAMES : 0;
        assertThat(Tshark.crcChecks(file)).hasSize(fpdus).allMatch(check -> check.equals("(Good CRC32)"));
    }

    private static void compare(Frame frame, Tshark.Row row, boolean crc) {
        String context = frame.name() + " " + frame.summary() + "\n" + row + "\n" + frame.details();
        String unexplained = row.get("_ws.expert.message");
        for (String known : EXPLAINED.keySet()) {
            unexplained = unexplained.replace(known, "");
        }
        assertThat(unexplained.replace(",", ""))
                .as("expert information on %s", context)
                .isBlank();
        TsharkText text = new TsharkText(row);
        if (frame.name().startsWith("MPA")) {
            assertThat(frame.summary()).as(context).isEqualTo(text.startup());
            assertThat(frame.details()).as(context).isEqualTo(text.startupDetails());
            return;
        }
        assertThat(row.get("iwarp_mpa.fpdu")).as("recognised: %s", context).isNotEmpty();
        String immediate = isImmediate(text) ? immediate(frame, row, text) : "";
        assertThat(frame.summary()).as(context).isEqualTo(text.summary() + immediate + (crc ? " CRC ok" : " CRC off"));
        assertThat(frame.details())
                .as(context)
                .containsAll(text.headerDetails())
                .anyMatch(detail -> detail.startsWith(text.fpduDetail()) && detail.contains(text.crcField()));
        if (text.opcode() == RdmapOpcode.TERMINATE) {
            compareTerminate(frame, text, context);
        } else if (!isImmediate(text)) {
            assertThat(payload(frame))
                    .as(context)
                    .isEqualTo(row.get("data.data").replaceAll("(?<=^.{128}).*", ""));
        }
    }

    private static void compareTerminate(Frame frame, TsharkText text, String context) {
        assertThat(frame.details())
                .as(context)
                .anyMatch(detail -> text.terminateDetail().stream().allMatch(detail::contains));
        for (String header : text.terminatedHeaders()) {
            assertThat(frame.details()).as(context).anyMatch(detail -> detail.startsWith(header));
        }
    }

    private static boolean isImmediate(TsharkText text) {
        return text.opcode() == RdmapOpcode.IMMEDIATE_DATA
                || text.opcode() == RdmapOpcode.IMMEDIATE_DATA_WITH_SOLICITED_EVENT;
    }

    /** The dissector does not know the opcode and shows nothing of it, so the octets behind the header are taken. */
    private static String immediate(Frame frame, Tshark.Row row, TsharkText text) {
        if (text.markers() > 0) { // one may lie inside
            return frame.summary().replaceAll(".*( immediate 0x[0-9a-f]{16}) .*", "$1");
        }
        int at = 2 * (Fpdu.LENGTH_FIELD + UntaggedHeader.LENGTH);
        return " immediate 0x" + row.get("tcp.payload").substring(at, at + 2 * ImmediateData.LENGTH);
    }

    /** The first octets of payload that the dump shows. */
    private static String payload(Frame frame) {
        return frame.details().stream()
                .filter(detail -> detail.startsWith("payload ") && !detail.startsWith("payload …"))
                .map(detail -> detail.substring("payload ".length(), "payload ".length() + 47)
                        .replace(" ", ""))
                .collect(Collectors.joining());
    }

    private static int markersSeenByDump(List<Frame> frames, char direction) {
        Pattern markers = Pattern.compile(", Markers (\\d+),");
        return frames.stream()
                .filter(frame -> frame.direction() == direction)
                .flatMap(frame -> frame.details().stream())
                .map(markers::matcher)
                .filter(Matcher::find)
                .mapToInt(matcher -> Integer.parseInt(matcher.group(1)))
                .sum();
    }

    private static int markersSeenByTshark(List<Frame> frames, List<Tshark.Row> rows, char direction) {
        return IntStream.range(0, rows.size())
                .filter(i -> frames.get(i).direction() == direction)
                .map(i -> new TsharkText(rows.get(i)).markers())
                .sum();
    }

    /** What a test does with the two ends. */
    private interface Work {
        void run(Ends ends);
    }

    private byte[] record(boolean crc, boolean markers, Work work) throws Exception {
        ConnectionConfig config = ConnectionConfig.builder()
                .crc(crc)
                .markers(markers)
                .privateData("hello".getBytes(StandardCharsets.US_ASCII))
                .build();
        try (Listener listener = serverRnic
                        .connectionManager()
                        .listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1);
                RecordingRelay relay = new RecordingRelay(listener.address());
                Ends ends = new Ends(clientRnic, serverRnic)) {
            Connection client = clientRnic.connectionManager().connect(ends.client, relay.address(), config);
            Connection server = listener.await(PATIENCE).orElseThrow().accept(ends.server, config);
            client.awaitEstablished(PATIENCE);
            server.awaitEstablished(PATIENCE);
            work.run(ends);
            client.disconnect();
            assertThat(client.awaitDisconnected(PATIENCE)).isTrue();
            assertThat(server.awaitDisconnected(PATIENCE)).isTrue();
            return relay.awaitCapture().pcap();
        }
    }

    /** Every opcode of RFC 5040 and RFC 7306; messages of more than one segment, too. */
    private static void everyOperation(Ends ends) {
        MemoryRegion local = ends.local;
        int stag = ends.remote.stag();
        ends.post(ends.requests().write(1, stag, 16).from(local, 0, 3_000));
        ends.post(ends.requests().read(2, stag, 8).into(local, 0, 3_000));
        ends.post(ends.requests().read(3, 0, 0));
        ends.post(ends.requests().send(4).from(local, 0, 100));
        ends.post(ends.requests().send(5).from(local, 0, 2_000).solicited());
        ends.post(ends.requests().immediate(6, 0x0102_0304_0506_0708L));
        ends.post(ends.requests().immediate(7, -1).solicited());
        ends.post(ends.requests().writeImmediate(8, stag, 0, 42).from(local, 0, 64));
        ends.post(ends.requests().fetchAdd(9, stag, 8, 5).into(local, 0, 8));
        ends.post(ends.requests().compareSwap(10, stag, 8, 5, 6).into(local, 0, 8));
        ends.post(ends.requests().sendInvalidate(11, ends.toInvalidate.stag()).from(local, 0, 5));
        ends.post(ends.requests()
                .sendInvalidate(12, ends.alsoToInvalidate.stag())
                .from(local, 0, 6)
                .solicited());
    }

    /** Draws a Terminate with an untagged header in it. */
    private static void moreSendsThanReceives(Ends ends) {
        for (int i = 0; i <= RECEIVES; i++) {
            ends.post(ends.requests().send(i).from(ends.local, 0, 1));
        }
    }

    private static Rnic quiet(Rnic rnic) {
        rnic.onAsyncEvent(_ -> {});
        return rnic;
    }

    /** Queue pairs and memory of both sides; the RNICs close what is left. */
    private static final class Ends implements AutoCloseable {
        private final CompletionQueue queue;
        private final QueuePair client;
        private final QueuePair server;
        private final MemoryRegion local;
        private final MemoryRegion remote;
        private final MemoryRegion toInvalidate;
        private final MemoryRegion alsoToInvalidate;
        private final WorkCompletions completions = WorkCompletions.ofCapacity(1);

        private Ends(Rnic clientRnic, Rnic serverRnic) {
            ProtectionDomain near = clientRnic.allocateProtectionDomain();
            ProtectionDomain far = serverRnic.allocateProtectionDomain();
            queue = clientRnic.createCompletionQueue(64);
            client = near.createQueuePair(QueuePairConfig.builder(queue).build());
            server = far.createQueuePair(QueuePairConfig.builder(serverRnic.createCompletionQueue(64))
                    .build());
            Set<Access> rights = EnumSet.of(
                    Access.LOCAL_READ,
                    Access.LOCAL_WRITE,
                    Access.REMOTE_READ,
                    Access.REMOTE_WRITE,
                    Access.REMOTE_ATOMIC,
                    Access.REMOTE_INVALIDATE);
            local = near.allocate(SIZE, rights);
            remote = far.allocate(SIZE, rights);
            for (int i = 0; i < SIZE; i++) {
                local.segment().set(ValueLayout.JAVA_BYTE, i, (byte) (7 * i));
                remote.segment().set(ValueLayout.JAVA_BYTE, i, (byte) (11 * i));
            }
            toInvalidate = far.allocate(8, rights);
            alsoToInvalidate = far.allocate(8, rights);
            for (int i = 0; i < RECEIVES; i++) {
                server.newReceiveRequests().receive(i).into(remote, 0, SIZE).post();
            }
        }

        private SendRequests requests() {
            return client.newSendRequests();
        }

        /** One at a time: the order of the capture is then that of the program. */
        private void post(SendRequests requests) {
            assertThat(requests.post()).isEqualTo(1);
            assertThat(queue.await(completions, PATIENCE)).isEqualTo(1);
        }

        @Override
        public void close() {
            client.close();
            server.close();
        }
    }
}
