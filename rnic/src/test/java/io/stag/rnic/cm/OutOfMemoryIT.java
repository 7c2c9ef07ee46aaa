package io.stag.rnic.cm;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.rnic.ChildJvm;
import io.stag.verbs.CompletionQueue;
import io.stag.verbs.ProgressMode;
import io.stag.verbs.ProtectionDomain;
import io.stag.verbs.QueuePair;
import io.stag.verbs.QueuePairConfig;
import io.stag.verbs.Rnic;
import io.stag.verbs.RnicConfig;
import io.stag.verbs.cm.Connection;
import io.stag.verbs.cm.ConnectionConfig;
import io.stag.verbs.cm.Listener;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Peers that stop in the middle of an FPDU, each of which costs staging memory, until there is none left. */
class OutOfMemoryIT {

    /** What the child process runs. */
    static final class Program {
        private static final int PEERS = 100;
        private static final int REPLY_LENGTH = 20;
        private static final byte[] PART_OF_AN_FPDU = {(byte) 0xF0, 0, 0x40, 0x43, 0, 0};
        private static final Duration LONG = Duration.ofMinutes(1);

        private Program() {}

        public static void main(String[] arguments) throws Exception {
            try (Rnic rnic = Rnic.open(RnicConfig.builder()
                    .progress(ProgressMode.DEDICATED)
                    .agents(1)
                    .build())) {
                ProtectionDomain domain = rnic.allocateProtectionDomain();
                CompletionQueue completions = rnic.createCompletionQueue(1024);
                Listener listener = rnic.connectionManager()
                        .listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), PEERS);
                List<Socket> peers = new ArrayList<>();
                List<Connection> connections = new ArrayList<>();
                for (int i = 0; i < PEERS; i++) {
                    Socket peer = request(listener.address());
                    QueuePair queuePair = domain.createQueuePair(
                            QueuePairConfig.builder(completions).build());
                    connections.add(listener.await(LONG).orElseThrow().accept(queuePair, ConnectionConfig.defaults()));
                    assertThat(peer.getInputStream().readNBytes(REPLY_LENGTH)).hasSize(REPLY_LENGTH);
                    peers.add(peer);
                }
                for (Socket peer : peers) {
                    peer.getOutputStream().write(PART_OF_AN_FPDU);
                }
                System.out.println("ended: " + firstEnded(connections).cause().orElseThrow());
                peers.add(request(listener.address()));
                System.out.println("served: " + listener.await(LONG).isPresent());
                for (Socket peer : peers) {
                    peer.close();
                }
            }
        }

        private static Connection firstEnded(List<Connection> connections) {
            while (true) {
                for (Connection connection : connections) {
                    if (connection.state() == Connection.State.DISCONNECTED
                            || connection.state() == Connection.State.FAILED) {
                        return connection;
                    }
                }
                Thread.onSpinWait();
            }
        }

        private static Socket request(InetSocketAddress address) throws IOException {
            Socket socket = new Socket(address.getAddress(), address.getPort());
            ByteArrayOutputStream request = new ByteArrayOutputStream();
            request.writeBytes("MPA ID Req Frame".getBytes(StandardCharsets.US_ASCII));
            request.writeBytes(new byte[] {0x40, 1, 0, 0}); // CRC, revision 1, no private data
            socket.getOutputStream().write(request.toByteArray());
            return socket;
        }
    }

    @Test
    @Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void onlyTheConnectionEndsThatFindsNone() throws Exception {
        assertThat(ChildJvm.run(Program.class, "-XX:MaxDirectMemorySize=6m", "--enable-native-access=ALL-UNNAMED"))
                .containsPattern("ended: .*the JVM has no memory left: .*direct buffer memory")
                .contains("served: true");
    }
}
