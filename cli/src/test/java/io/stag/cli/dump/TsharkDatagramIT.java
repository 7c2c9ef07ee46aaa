package io.stag.cli.dump;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.verbs.Access;
import io.stag.verbs.AddressHandle;
import io.stag.verbs.CompletionQueue;
import io.stag.verbs.DatagramQueuePair;
import io.stag.verbs.DatagramQueuePairConfig;
import io.stag.verbs.DatagramSendRequests;
import io.stag.verbs.MemoryRegion;
import io.stag.verbs.ProtectionDomain;
import io.stag.verbs.Rnic;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** The dissector in {@code docs/wireshark} reads what a datagram queue pair sends as {@code stag dump} does. */
@EnabledIfSystemProperty(
        named = "stag.tshark",
        matches = "true",
        disabledReason = "needs tshark; ask for it with -Dstag.tshark=true")
class TsharkDatagramIT {
    private static final Path DISSECTOR = Path.of("..", "docs", "wireshark", "stag-datagram.lua");
    private static final int DATAGRAM = 1_472;
    private static final int PATIENCE_MILLIS = 30_000;

    @TempDir
    Path folder;

    @Test
    void readsEveryOperationAsStagDumpDoes() throws Exception {
        Capture capture = Capture.ethernet();
        for (byte[] datagram : sentByAQueuePair()) {
            capture.udp(true, datagram);
        }
        List<Frame> frames = Capture.dump(
                        capture.pcap(), new DumpSettings(true, false, 0, Optional.empty(), Optional.empty()))
                .frames;
        Path file = Files.write(folder.resolve("datagrams.pcap"), capture.pcap());
        List<String> rows = Tshark.datagrams(file, DISSECTOR, 0);
        assertThat(frames).hasSize(1 + 1 + 3 + 1 + 3).noneMatch(Frame::hasAnomaly);
        assertThat(rows)
                .as(Tshark.version())
                .isEqualTo(frames.stream()
                        .map(frame -> frame.name() + " " + frame.summary())
                        .toList());
    }

    @Test
    void namesTheSameRulesAsStagDump() throws Exception {
        byte[] datagram = sentByAQueuePair().getFirst();
        Capture capture = Capture.ethernet();
        int[] octets = {0, 15, 20, 21, 33, datagram.length - 1};
        for (int at : octets) {
            byte[] spoilt = datagram.clone();
            spoilt[at] ^= 0x02;
            capture.udp(true, spoilt);
        }
        capture.udp(true, Arrays.copyOf(datagram, 30));
        List<Frame> frames = Capture.dump(
                        capture.pcap(), new DumpSettings(false, false, 7174, Optional.empty(), Optional.empty()))
                .frames;
        Path file = Files.write(folder.resolve("spoilt.pcap"), capture.pcap());
        List<String> rules = Tshark.datagramRules(file, DISSECTOR, 7174);
        assertThat(frames).hasSize(octets.length + 1);
        for (int i = 0; i < frames.size(); i++) {
            assertThat(rules.get(i)).as("%s", frames.get(i)).isNotEmpty();
            for (String rule : rules.get(i).split(",")) {
                assertThat(frames.get(i).remarks())
                        .as("%s, Wireshark says %s", frames.get(i), rule)
                        .anyMatch(remark -> remark.clause().equals(rule));
            }
        }
    }

    @Test
    void readsReliableDatagramsAsStagDumpDoes() throws Exception {
        Map<String, byte[]> examples = DatagramExamples.reliable();
        Capture capture = Capture.ethernet();
        examples.forEach((id, datagram) -> capture.udp(!id.startsWith("RD-ACK"), datagram));
        capture.udp(
                true, Objects.requireNonNull(examples.get("RD-SEND-FIRST"))); // of an earlier stream, and sent again
        capture.udp(true, Objects.requireNonNull(examples.get("RD-WRITE-BOUND")));
        List<Frame> frames = Capture.dump(
                        capture.pcap(), new DumpSettings(false, false, 0, Optional.empty(), Optional.empty()))
                .frames;
        Path file = Files.write(folder.resolve("reliable.pcap"), capture.pcap());
        List<String> rows = Tshark.reliableDatagrams(file, DISSECTOR);
        assertThat(frames).hasSize(examples.size() + 2).noneMatch(Frame::hasAnomaly);
        assertThat(rows).hasSize(frames.size());
        for (int i = 0; i < rows.size(); i++) {
            // what a Read Request asks for stands in the payload for the dissector
            String dumped = frames.get(i).summary().replaceFirst(" sink STag.* CRC", " CRC");
            assertThat(rows.get(i)).as(Tshark.version()).isEqualTo(dumped + (i < examples.size() ? "" : " sent again"));
        }
    }

    @Test
    void namesTheSameRulesOfReliableDatagrams() throws Exception {
        Map<String, byte[]> examples = DatagramExamples.reliable();
        byte[] send = Objects.requireNonNull(examples.get("RD-SEND-FIRST"));
        byte[] acknowledgement = Objects.requireNonNull(examples.get("RD-ACK-GAPS"));
        Capture capture = Capture.ethernet().udp(true, send);
        for (int at : new int[] {1, 11, 19, 32, 33, 41, send.length - 1}) {
            byte[] spoilt = send.clone();
            spoilt[at] ^= 0x01;
            capture.udp(true, DatagramExamples.withCrc(spoilt));
        }
        for (int at : new int[] {1, 34, 35}) {
            byte[] spoilt = acknowledgement.clone();
            spoilt[at] ^= 0x01;
            capture.udp(false, DatagramExamples.withCrc(spoilt));
        }
        capture.udp(true, DatagramExamples.withCrc(Arrays.copyOf(send, 50)));
        capture.udp(false, DatagramExamples.withCrc(Arrays.copyOf(acknowledgement, 39)));
        capture.udp(false, DatagramExamples.withCrc(Arrays.copyOf(acknowledgement, 54)));
        capture.udp(false, Objects.requireNonNull(examples.get("RD-REFUSAL")));
        List<Frame> frames = Capture.dump(
                        capture.pcap(), new DumpSettings(false, false, 7174, Optional.empty(), Optional.empty()))
                .frames;
        Path file = Files.write(folder.resolve("spoilt-reliable.pcap"), capture.pcap());
        List<String> rules = Tshark.datagramRules(file, DISSECTOR, 7174);
        assertThat(rules).hasSize(frames.size());
        for (int i = 0; i < frames.size(); i++) {
            List<String> dumped = frames.get(i).remarks().stream()
                    .map(Remark::clause)
                    .filter(rule -> !rule.equals("RD-012")) // lives are followed by the dump only
                    .distinct()
                    .toList();
            assertThat(rules.get(i)).as("%s", frames.get(i)).isEqualTo(String.join(",", dumped));
        }
    }

    /** One of each kind, short and long, as they come out of a socket. */
    private static List<byte[]> sentByAQueuePair() throws Exception {
        InetAddress loopback = InetAddress.getLoopbackAddress();
        try (DatagramSocket receiver = new DatagramSocket(0, loopback);
                Rnic rnic = Rnic.open()) {
            receiver.setSoTimeout(PATIENCE_MILLIS);
            ProtectionDomain domain = rnic.allocateProtectionDomain();
            CompletionQueue queue = rnic.createCompletionQueue(64);
            DatagramQueuePair queuePair = domain.createDatagramQueuePair(DatagramQueuePairConfig.builder(queue)
                    .address(new InetSocketAddress(loopback, 0))
                    .datagramLength(DATAGRAM)
                    .build());
            MemoryRegion memory = domain.allocate(4_096, EnumSet.of(Access.LOCAL_READ));
            for (int i = 0; i < 4_096; i++) {
                memory.segment().set(ValueLayout.JAVA_BYTE, i, (byte) i);
            }
            AddressHandle to = queuePair.address((InetSocketAddress) receiver.getLocalSocketAddress());
            DatagramSendRequests requests = queuePair.newSendRequests();
            requests.send(1, to).from(memory, 0, 5);
            requests.send(2, to).from(memory, 0, 4).solicited();
            requests.send(3, to).from(memory, 0, 4_000);
            requests.writeRecord(4, to, 0x1234_5678, 0x2000).from(memory, 0, 64);
            requests.writeRecord(5, to, 0x1234_5678, 0x1_0000_0000L).from(memory, 1, 4_000);
            requests.post();
            return Stream.generate(() -> receive(receiver)).limit(9).toList();
        }
    }

    private static byte[] receive(DatagramSocket socket) {
        try {
            DatagramPacket packet = new DatagramPacket(new byte[DATAGRAM], DATAGRAM);
            socket.receive(packet);
            return Arrays.copyOf(packet.getData(), packet.getLength());
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
