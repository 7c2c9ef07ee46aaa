package io.stag.bench;

import io.stag.verbs.Operation;
import io.stag.verbs.QueuePair;
import io.stag.verbs.SendRequests;
import java.time.Duration;
import java.util.List;

/**
 * Traffic on all connections at once. In each round every client writes its slot of the server's memory and announces it
 * with immediate data; the server verifies every octet and answers; the client reads the slot back and verifies it too.
 */
final class ManyTraffic {
    static final int SLOT = 4096;

    private static final long WRITTEN = 1;
    private static final long READ = 2;
    private static final Duration A_MOMENT = Duration.ofMillis(1);
    private static final long STALL_NANOS = Duration.ofSeconds(60).toNanos();

    private final ManyEnd client;
    private final ManyEnd server;
    private final List<QueuePair> clientPairs;
    private final List<QueuePair> serverPairs;
    private long round;
    private int finished;
    private int acknowledged; // completions of the server's answers
    private long verified;

    ManyTraffic(ManyEnd client, ManyEnd server, List<QueuePair> clientPairs, List<QueuePair> serverPairs) {
        this.client = client;
        this.server = server;
        this.clientPairs = clientPairs;
        this.serverPairs = serverPairs;
    }

    /** Octets verified so far, both ends together. */
    long verified() {
        return verified;
    }

    /** One round on all connections, driven by the calling thread. */
    void run() {
        round++;
        finished = 0;
        acknowledged = 0;
        int count = clientPairs.size();
        for (int i = 0; i < count; i++) {
            ManyEnd.postReceive(serverPairs.get(i));
            ManyEnd.postReceive(clientPairs.get(i));
            Pattern.fill(client.region.segment(), slot(i), SLOT, round, slot(i));
            SendRequests requests = clientPairs.get(i).newSendRequests();
            requests.write(0, server.region.stag(), slot(i))
                    .from(client.region, slot(i), SLOT)
                    .unsignaled();
            requests.immediate(WRITTEN, round);
            ManyEnd.post(requests, 2);
        }
        long lastProgress = System.nanoTime();
        while (finished < count || acknowledged < count) {
            int done = server.reap(this::onServer, Duration.ZERO) + client.reap(this::onClient, A_MOMENT);
            long now = System.nanoTime();
            if (done > 0) {
                lastProgress = now;
            } else if (now - lastProgress > STALL_NANOS) {
                throw new Program.Failure(
                        finished + " of " + count + " connections finished round " + round + "\n" + ThreadDump.now());
            }
        }
    }

    private static long slot(int index) {
        return (long) index * SLOT;
    }

    private void onServer(int index, Operation operation, long id, long immediate) {
        if (operation != Operation.RECEIVE_IMMEDIATE) {
            acknowledged++;
            return;
        }
        verify(server, index, immediate);
        SendRequests requests = serverPairs.get(index).newSendRequests();
        requests.immediate(WRITTEN, immediate);
        ManyEnd.post(requests, 1);
    }

    private void onClient(int index, Operation operation, long id, long immediate) {
        if (operation == Operation.RECEIVE_IMMEDIATE) {
            client.region.segment().asSlice(slot(index), SLOT).fill((byte) 0);
            SendRequests requests = clientPairs.get(index).newSendRequests();
            requests.read(READ, server.region.stag(), slot(index)).into(client.region, slot(index), SLOT);
            ManyEnd.post(requests, 1);
        } else if (id == READ) {
            verify(client, index, round);
            finished++;
        }
    }

    private void verify(ManyEnd end, int index, long expectedRound) {
        long wrong = Pattern.firstWrong(end.region.segment(), slot(index), SLOT, expectedRound, slot(index));
        if (expectedRound != round || wrong >= 0) {
            throw new Program.Failure(
                    "connection " + index + ", round " + expectedRound + " of " + round + ": octet " + wrong);
        }
        verified += SLOT;
    }
}
