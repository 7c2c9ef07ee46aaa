package io.stag.bench.figures;

import io.stag.verbs.Access;
import io.stag.verbs.CompletionQueue;
import io.stag.verbs.CompletionStatus;
import io.stag.verbs.MemoryRegion;
import io.stag.verbs.ProtectionDomain;
import io.stag.verbs.ReliableQueuePair;
import io.stag.verbs.ReliableQueuePairConfig;
import io.stag.verbs.ReliableSendRequests;
import io.stag.verbs.Rnic;
import io.stag.verbs.WorkCompletions;
import java.lang.foreign.Arena;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/** RDMA Writes between reliable datagram queue pairs through a {@link MirrorPath}. */
final class ReliableFlow implements BulkFlow {
    private static final int PORT = 5_101;
    private static final int CLIENT_PORT = 40_101;
    private static final int MESSAGE = 64 << 10; // small enough that complete ones tell how far it is
    private static final int DEPTH = 64;
    private static final Duration TICK = Duration.ofMillis(20);

    private final AtomicLong octets = new AtomicLong();
    private final Rnic client = Rnic.open();
    private final Rnic server = Rnic.open();
    private final ReliableQueuePair sender;
    private final CompletionQueue sent;
    private final CompletionQueue received;
    private final Thread sending;
    private final Thread receiving;
    private volatile boolean closed;

    /** Sends from now on. */
    ReliableFlow(int number) {
        ProtectionDomain clientDomain = client.allocateProtectionDomain();
        ProtectionDomain serverDomain = server.allocateProtectionDomain();
        sent = client.createCompletionQueue(2 * DEPTH);
        received = server.createCompletionQueue(DEPTH);
        sender = clientDomain.createReliableQueuePair(ReliableQueuePairConfig.builder(sent)
                .address(new InetSocketAddress(MirrorPath.HERE, CLIENT_PORT + number))
                .sendDepth(DEPTH)
                .build());
        serverDomain.createReliableQueuePair(ReliableQueuePairConfig.builder(received)
                .address(new InetSocketAddress(MirrorPath.HERE, PORT + number))
                .build());
        MemoryRegion target = serverDomain.register(
                Arena.ofAuto().allocate(MESSAGE), Set.of(Access.LOCAL_WRITE, Access.REMOTE_WRITE));
        MemoryRegion source = clientDomain.register(Arena.ofAuto().allocate(MESSAGE), Set.of(Access.LOCAL_READ));
        int stag = target.stag();
        sending = Thread.ofPlatform().daemon().start(() -> send(source, stag, number));
        receiving = Thread.ofPlatform().daemon().start(this::serve);
    }

    private void send(MemoryRegion source, int stag, int number) {
        ReliableSendRequests requests = sender.newSendRequests();
        requests.to(sender.address(new InetSocketAddress(MirrorPath.THERE, PORT + number)));
        WorkCompletions done = WorkCompletions.ofCapacity(DEPTH);
        int underWay = 0;
        while (!closed) {
            int more = DEPTH - underWay;
            for (int i = 0; i < more; i++) {
                requests.write(i, stag, 0).from(source, 0, MESSAGE);
            }
            if (more > 0) {
                underWay += requests.post();
            }
            int count = sent.await(done, TICK);
            for (int i = 0; i < count; i++) {
                if (done.status(i) != CompletionStatus.SUCCESS) {
                    throw new IllegalStateException("a Write failed: " + done.status(i));
                }
            }
            underWay -= count;
            octets.addAndGet((long) count * MESSAGE);
        }
    }

    private void serve() {
        WorkCompletions none = WorkCompletions.ofCapacity(1);
        while (!closed) {
            received.await(none, TICK);
        }
    }

    @Override
    public long octets() {
        return octets.get();
    }

    @Override
    public void close() {
        closed = true;
        try {
            sending.join();
            receiving.join();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
        client.close();
        server.close();
    }
}
