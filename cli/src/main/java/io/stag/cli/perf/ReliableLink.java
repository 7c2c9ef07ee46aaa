package io.stag.cli.perf;

import io.stag.cli.CommandFailure;
import io.stag.verbs.CompletionQueue;
import io.stag.verbs.Operation;
import io.stag.verbs.ProtectionDomain;
import io.stag.verbs.ReceiveRequests;
import io.stag.verbs.ReliableQueuePair;
import io.stag.verbs.ReliableQueuePairConfig;
import io.stag.verbs.ReliableSendRequests;
import io.stag.verbs.WorkCompletions;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;

/**
 * A reliable datagram queue pair. It needs no connection, but a server that is to answer Writes must know where they come
 * from, so the client sends a greeting first.
 */
final class ReliableLink implements VerbsLink {
    /** Both ends may stand still while others are measured, and the last acknowledgement may not have been sent by then. */
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final CompletionQueue queue;
    private final ReliableQueuePair queuePair;
    private final ReliableSendRequests sends;
    private final ReceiveRequests receives;

    ReliableLink(
            RunSpec spec,
            InetAddress address,
            ProtectionDomain domain,
            CompletionQueue queue,
            int sendDepth,
            int receiveDepth) {
        this.queue = queue;
        queuePair = domain.createReliableQueuePair(ReliableQueuePairConfig.builder(queue)
                .address(new InetSocketAddress(address, 0))
                .sendDepth(sendDepth)
                .receiveDepth(receiveDepth)
                .maxReads(Math.min(spec.depth(), domain.rnic().limits().maxInboundReads()))
                .datagramLength(spec.segment())
                .giveUp(PATIENCE)
                .remember(PATIENCE.multipliedBy(4))
                .build());
        sends = queuePair.newSendRequests();
        receives = queuePair.newReceiveRequests();
    }

    @Override
    public ReliableSendRequests requests(int connection) {
        return sends;
    }

    @Override
    public ReceiveRequests receives(int connection) {
        return receives;
    }

    @Override
    public void connect(InetSocketAddress server) {
        sends.to(queuePair.address(server)).immediate(0, 0).post();
        await(Operation.IMMEDIATE);
    }

    @Override
    public int listen(InetAddress address) {
        return queuePair.localAddress().getPort();
    }

    @Override
    public boolean accept() {
        sends.to(await(Operation.RECEIVE_IMMEDIATE).datagram(0));
        return true;
    }

    private WorkCompletions await(Operation operation) {
        WorkCompletions completion = WorkCompletions.ofCapacity(1);
        if (queue.await(completion, LIMIT) == 0) {
            throw new CommandFailure(
                    "the other side did not answer in " + LIMIT.toSeconds() + " s", "Do datagrams get through?");
        }
        if (!completion.isSuccess(0) || completion.operation(0) != operation) {
            throw new CommandFailure(completion.describe(0), "");
        }
        return completion;
    }
}
