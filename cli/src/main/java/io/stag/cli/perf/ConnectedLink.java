package io.stag.cli.perf;

import io.stag.cli.CommandFailure;
import io.stag.verbs.CompletionQueue;
import io.stag.verbs.ProtectionDomain;
import io.stag.verbs.QueuePair;
import io.stag.verbs.QueuePairConfig;
import io.stag.verbs.ReceiveRequests;
import io.stag.verbs.Rnic;
import io.stag.verbs.SendRequests;
import io.stag.verbs.cm.ConnectionConfig;
import io.stag.verbs.cm.ConnectionManager;
import io.stag.verbs.cm.ConnectionRequest;
import io.stag.verbs.cm.Listener;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Queue pairs with connections. They are made one after the other, so that both sides have them in the same order. */
final class ConnectedLink implements VerbsLink {
    private static final int MAX_BACKLOG = 1_024;

    private final RunSpec spec;
    private final ConnectionManager manager;
    private final List<QueuePair> queuePairs = new ArrayList<>(); // the idle ones last
    private final List<SendRequests> sends = new ArrayList<>();
    private final List<ReceiveRequests> receives = new ArrayList<>();
    private @Nullable Listener listener;

    ConnectedLink(RunSpec spec, ProtectionDomain domain, CompletionQueue queue, int sendDepth, int receiveDepth) {
        this.spec = spec;
        Rnic rnic = domain.rnic();
        manager = rnic.connectionManager();
        for (int i = 0; i < spec.connections(); i++) {
            QueuePair queuePair = domain.createQueuePair(QueuePairConfig.builder(queue)
                    .sendDepth(sendDepth)
                    .receiveDepth(receiveDepth)
                    .maxInboundReads(Math.min(spec.depth(), rnic.limits().maxInboundReads()))
                    .maxOutboundReads(Math.min(spec.depth(), rnic.limits().maxOutboundReads()))
                    .build());
            queuePairs.add(queuePair);
            sends.add(queuePair.newSendRequests());
            receives.add(queuePair.newReceiveRequests());
        }
        QueuePairConfig small =
                QueuePairConfig.builder(queue).sendDepth(1).receiveDepth(1).build();
        for (int i = 0; i < spec.idleConnections(); i++) {
            queuePairs.add(domain.createQueuePair(small));
        }
    }

    private ConnectionConfig config() {
        return ConnectionConfig.builder()
                .crc(spec.crc())
                .markers(spec.markers())
                .segmentSize(spec.segment())
                .build();
    }

    @Override
    public SendRequests requests(int connection) {
        return sends.get(connection);
    }

    @Override
    public ReceiveRequests receives(int connection) {
        return receives.get(connection);
    }

    @Override
    public void connect(InetSocketAddress server) {
        for (QueuePair queuePair : queuePairs) {
            manager.connect(queuePair, server, config()).awaitEstablished(LIMIT);
        }
    }

    @Override
    public int listen(InetAddress address) {
        Listener opened = manager.listen(new InetSocketAddress(address, 0), Math.min(MAX_BACKLOG, queuePairs.size()));
        listener = opened;
        return opened.address().getPort();
    }

    @Override
    public boolean accept() {
        Listener opened = listener;
        if (opened == null) {
            throw new IllegalStateException("nobody listens");
        }
        for (QueuePair queuePair : queuePairs) {
            ConnectionRequest request =
                    opened.await(LIMIT).orElseThrow(() -> new CommandFailure("the client did not connect", ""));
            request.accept(queuePair, config()).awaitEstablished(LIMIT);
        }
        return false;
    }
}
