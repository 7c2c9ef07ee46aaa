package io.stag.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.simnet.Conforms;
import io.stag.simnet.SimListener;
import io.stag.simnet.SimNetwork;
import io.stag.simnet.SimStream;
import io.stag.simnet.StreamFaults;
import io.stag.verbs.Access;
import io.stag.verbs.CompletionQueue;
import io.stag.verbs.MemoryRegion;
import io.stag.verbs.ProtectionDomain;
import io.stag.verbs.QueuePair;
import io.stag.verbs.QueuePairConfig;
import io.stag.verbs.cm.Connection;
import io.stag.verbs.cm.ConnectionConfig;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A connection whose transport tells it how long TCP segments are, and a hand-made peer that sees its FPDUs. */
class SegmentSizeSimulationTest {
    private static final byte[] REPLY = "MPA ID Rep Frame@\1\0\0".getBytes(StandardCharsets.US_ASCII);
    private static final int TAGGED_HEADER = 14;
    private static final int CRC = 4;
    private static final int LENGTH = 400_000;

    private final SimulatedRnics simulation = SimulatedRnics.open(1, StreamFaults.none(), 1);
    private final CompletionQueue queue = simulation.rnic(0).createCompletionQueue(16);
    private final ProtectionDomain domain = simulation.rnic(0).allocateProtectionDomain();
    private final QueuePair queuePair =
            domain.createQueuePair(QueuePairConfig.builder(queue).build());

    @AfterEach
    void close() {
        simulation.close();
    }

    /** The window is so small that the change meets FPDUs which wait for room: these stay as they are. */
    @Conforms({"MPA-042", "DDP-001", "DDP-002"})
    @ParameterizedTest
    @CsvSource({"9000, 1448", "1448, 9000"})
    void fpdusAreAsLongAsTcpSegmentsAndFollowThemWhenTheyChange(int before, int after) throws IOException {
        simulation.segmentSize(before);
        RawStream peer = connect();
        simulation.segmentSize(after);
        MemoryRegion source = domain.allocate(LENGTH, EnumSet.of(Access.LOCAL_READ));
        byte[] octets = new byte[LENGTH];
        new SplittableRandom(1).nextBytes(octets);
        source.segment().asByteBuffer().put(octets);
        queuePair.newSendRequests().write(1, 0x1234, 0).from(source, 0, LENGTH).post();

        ByteBuffer received = ByteBuffer.allocate(LENGTH);
        List<Integer> sizes = new ArrayList<>();
        while (received.hasRemaining()) {
            sizes.add(readFpdu(peer, received));
        }
        assertThat(received.array()).isEqualTo(octets);
        sizes.removeLast();
        int unchanged = sizes.indexOf(after);
        assertThat(unchanged * before)
                .as("octets sent before the change is seen")
                .isBetween(65_536, 2 * 65_536);
        assertThat(sizes.subList(0, unchanged)).containsOnly(before);
        assertThat(sizes.subList(unchanged, sizes.size())).containsOnly(after);
    }

    /** @return its octets on the wire */
    private static int readFpdu(RawStream peer, ByteBuffer payload) {
        int ulpdu = ByteBuffer.wrap(peer.read(2)).getShort() & 0xFFFF;
        int pad = -(ulpdu + 2) & 3;
        byte[] rest = peer.read(ulpdu + pad + CRC);
        payload.put(rest, TAGGED_HEADER, ulpdu - TAGGED_HEADER);
        return 2 + rest.length;
    }

    /** Without Writes of nothing, which would stand between the FPDUs. */
    private RawStream connect() throws IOException {
        SimListener listener = simulation.network().listen(SimNetwork.address(77, 0));
        Connection connection = simulation
                .rnic(0)
                .connectionManager()
                .connect(
                        queuePair,
                        listener.localAddress(),
                        ConnectionConfig.builder()
                                .mpaRevision(1)
                                .nudge(Duration.ZERO)
                                .build());
        List<SimStream> accepted = new ArrayList<>();
        simulation.runUntil("a connection", () -> {
            Optional<SimStream> next = listener.accept();
            next.ifPresent(accepted::add);
            return next.isPresent();
        });
        RawStream peer = new RawStream(simulation, accepted.getFirst());
        peer.read(REPLY.length); // the Request, which is as long
        peer.write(REPLY);
        simulation.runUntil("established", () -> connection.state() == Connection.State.ESTABLISHED);
        return peer;
    }
}
