package io.stag.bench;

import io.stag.verbs.Access;
import io.stag.verbs.CompletionQueue;
import io.stag.verbs.MemoryRegion;
import io.stag.verbs.ProgressMode;
import io.stag.verbs.QueuePair;
import io.stag.verbs.QueuePairConfig;
import io.stag.verbs.RnicConfig;
import io.stag.verbs.cm.ConnectionConfig;
import io.stag.verbs.cm.ConnectionRequest;
import io.stag.verbs.cm.Listener;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.EnumSet;

/**
 * The far end of a connection, as a process of its own: offers its memory, and then does nothing until it is killed or its
 * standard input ends. Its STag is its private data.
 */
public final class FaultPeer {
    /** Octets of memory offered. */
    static final int MEMORY = 4 << 20;

    /** What it prints before its port. */
    static final String GREETING = "fault-peer ";

    static final String LISTEN = "listen";
    static final String CONNECT = "connect";

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private FaultPeer() {}

    /** Arguments: {@code listen ADDRESS} or {@code connect ADDRESS PORT}. */
    public static void main(String[] args) throws IOException {
        try (Node node = new Node(config("far"))) {
            node.rnic.onAsyncEvent(_ -> {});
            MemoryRegion memory = node.domain.allocate(
                    MEMORY, EnumSet.of(Access.LOCAL_READ, Access.LOCAL_WRITE, Access.REMOTE_READ, Access.REMOTE_WRITE));
            CompletionQueue completions = node.rnic.createCompletionQueue(16);
            QueuePair queuePair = node.domain.createQueuePair(
                    QueuePairConfig.builder(completions).build());
            ConnectionConfig config = ConnectionConfig.builder()
                    .timeout(PATIENCE)
                    .privateData(ByteBuffer.allocate(Integer.BYTES)
                            .putInt(memory.stag())
                            .array())
                    .build();
            InetAddress address = InetAddress.ofLiteral(args[1]);
            if (args[0].equals(LISTEN)) {
                serve(node, queuePair, address, config);
            } else {
                node.rnic
                        .connectionManager()
                        .connect(queuePair, new InetSocketAddress(address, Integer.parseInt(args[2])), config)
                        .awaitEstablished(PATIENCE);
            }
            while (System.in.read() >= 0) {
                // until our parent closes it or is no more
            }
        }
    }

    /** Settings of an RNIC that takes its time to connect: on a busy machine a new process does so too. */
    static RnicConfig config(String name) {
        return RnicConfig.builder()
                .name(name)
                .progress(ProgressMode.SHARED)
                .startupTimeout(PATIENCE)
                .build();
    }

    private static void serve(Node node, QueuePair queuePair, InetAddress address, ConnectionConfig config) {
        try (Listener listener = node.rnic.connectionManager().listen(new InetSocketAddress(address, 0), 1)) {
            System.out.println(GREETING + listener.address().getPort());
            ConnectionRequest request =
                    listener.await(PATIENCE).orElseThrow(() -> new Program.Failure("nobody has connected"));
            request.accept(queuePair, config).awaitEstablished(PATIENCE);
        }
    }
}
