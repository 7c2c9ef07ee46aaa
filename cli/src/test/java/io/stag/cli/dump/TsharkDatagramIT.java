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
