package io.stag.testkit;

import static io.stag.testkit.SimMemory.check;

import io.stag.simnet.StreamFaults;
import io.stag.verbs.QueuePairConfig;
import io.stag.verbs.QueuePairState;
import io.stag.verbs.VerbsError;
import io.stag.verbs.VerbsException;
import io.stag.verbs.cm.Connection;
import io.stag.verbs.cm.ConnectionConfig;
import io.stag.verbs.cm.ConnectionConfig.ReadyToReceive;
import io.stag.verbs.cm.ConnectionRequest;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.SplittableRandom;

/** A simulated connection from its first octet to its last, with everything about it drawn from the seed. */
final class SimLink {
    /** How a link may end besides by faults. */
    private enum Plan {
        ORDERLY,
        HOSTILE,
        ABORT,
        TO_ERROR,
        TO_TERMINATE,
        CLOSE_QUEUE_PAIR,
        CLOSE_MEMORY
    }

    final SimEnd client;
    final SimEnd server;

    private final SplittableRandom random;
    private final boolean plain;
    private final EnumSet<ReadyToReceive> kinds;
    private StreamFaults faults;
    private boolean benign;
    private Plan plan;
    private ConnectionConfig clientConfig;
    private ConnectionConfig serverConfig;
    private int ticksUntilPlan;
    private boolean closing;
    private boolean rejected;
    private boolean mayRestart;

    SimLink(int number, SimNode from, SimNode to, SplittableRandom random) {
        this.random = random;
        faults = StreamFaults.random(random);
        plan = Plan.ORDERLY;
        plain = random.nextInt(5) == 0;
        int depth = 1 + random.nextInt(8);
        int budget = budget();
        client = new SimEnd("client " + number, from, random.split(), endConfig(from, plain, depth), budget);
        server = new SimEnd("server " + number, to, random.split(), endConfig(to, plain, depth), budget);
        client.join(server);
        server.join(client);
        from.add(client);
        to.add(server);
        kinds = EnumSet.of(ReadyToReceive.values()[random.nextInt(3)]);
        if (random.nextBoolean()) {
            kinds.add(ReadyToReceive.WRITE);
        }
        clientConfig = config();
        serverConfig = config();
        mayRestart = random.nextInt(3) == 0;
        draw();
    }

    /** What becomes of the next connection. */
    private void draw() {
        benign = faults.resetAtOctet() == StreamFaults.NEVER
                && faults.halfCloseAtOctet() == StreamFaults.NEVER
                && faults.silenceAtOctet() == StreamFaults.NEVER
                && !isCorrupt();
        plan = random.nextInt(3) == 0 ? Plan.values()[random.nextInt(Plan.values().length)] : Plan.ORDERLY;
        ticksUntilPlan = random.nextInt(400);
        clientConfig = config();
        serverConfig = config();
        client.mayFail = !benign || plan != Plan.ORDERLY;
        server.mayFail = client.mayFail;
    }

    private boolean isCorrupt() {
        return faults.corruptAtOctet() != StreamFaults.NEVER || faults.corruptionProbability() > 0;
    }

    /** Octets for the requests of one side: few where every octet is an event of its own. */
    private int budget() {
        double piece = faults.cutProbability() == 0
                ? 1_000
                : 1
                        / (faults.cutProbability() / Math.sqrt((double) faults.minCutOctets() * faults.maxCutOctets())
                                + 0.001);
        return (int) Math.clamp(40 * Math.min(piece, faults.windowOctets()), 400, 20_000);
    }

    private QueuePairConfig.Builder endConfig(SimNode node, boolean plain, int depth) {
        // a plain request says nothing about depths, so that both sides must be set up alike
        QueuePairConfig.Builder config = QueuePairConfig.builder(node.queue)
                .maxInboundReads(plain ? depth : 1 + random.nextInt(16))
                .maxOutboundReads(plain ? depth : 1 + random.nextInt(16));
        if (node.shared != null && random.nextBoolean()) {
            config.sharedReceiveQueue(node.shared);
        }
        return config;
    }

    private ConnectionConfig config() {
        ConnectionConfig.Builder config = ConnectionConfig.builder()
                .mpaRevision(plain ? 1 : 2)
                .crc(isCorrupt() || random.nextInt(3) != 0)
                .markers(random.nextInt(3) == 0)
                .peerToPeer(random.nextInt(4) != 0)
                .readyToReceive(kinds)
                .timeout(Duration.ofSeconds(20));
        if (random.nextInt(3) == 0) {
            config.segmentSize(64 + random.nextInt(9_000));
        }
        if (!benign) {
            config.livenessProbe(Duration.ofMillis(300 + random.nextInt(2_000)));
            config.sendProgressTimeout(random.nextBoolean() ? Duration.ofSeconds(2) : Duration.ZERO);
        } else if (random.nextInt(4) == 0) {
            config.livenessProbe(Duration.ofMinutes(1));
        }
        return config.build();
    }

    void connect(SimulatedRnics simulation) {
        simulation.network().streamFaults(faults);
        if (random.nextInt(3) == 0) {
            client.post(false);
            server.post(false);
        }
        client.connection = client.node
                .rnic
                .connectionManager()
                .connect(client.queuePair, server.node.listener.address(), clientConfig);
    }

    boolean asked(ConnectionRequest request) {
        Connection asking = client.connection;
        return asking != null && asking.localAddress().equals(request.remoteAddress());
    }

    void decide(ConnectionRequest request) {
        if (server.isClosed() || server.queuePair.state() != QueuePairState.IDLE) {
            request.reject(new byte[0]);
            return;
        }
        if (random.nextInt(20) == 0) {
            rejected = true;
            request.reject(new byte[random.nextInt(100)]);
            return;
        }
        try {
            server.connection = request.accept(server.queuePair, serverConfig);
        } catch (VerbsException e) {
            check(e.error() == VerbsError.CONNECTION_FAILED, "accept: " + e);
            check(client.mayFail, "the peer is gone without a reason: " + e);
        }
    }

    /** The same queue pairs are connected once more. */
    private void restart(SimulatedRnics simulation) {
        mayRestart = false;
        if (client.isClosed() || server.isClosed() || client.node.closed || server.node.closed) {
            return;
        }
        flush();
        client.node.poll();
        server.node.poll();
        checkAtEnd();
        if (!client.exposed.isValid() || !server.exposed.isValid()) {
            return;
        }
        client.restart();
        server.restart();
        closing = false;
        rejected = false;
        faults = StreamFaults.random(random);
        draw();
        connect(simulation);
    }

    /** Goes on. @param forced nothing else is going to happen */
    void tick(SimulatedRnics simulation, boolean forced) {
        if (isOver()) {
            if (mayRestart && simulation.network().nextEventNanos() == Long.MAX_VALUE) {
                restart(simulation);
            }
            return;
        }
        boolean hostile = plan == Plan.HOSTILE;
        for (SimEnd end : List.of(client, server)) {
            if (end.hasMoreToDo() && end.connection != null && (forced || random.nextInt(4) == 0)) {
                end.post(hostile);
                while (forced && end.hasMoreToDo() && !end.hasPosted()) {
                    end.post(hostile); // what was drawn could not be done
                }
            }
        }
        if (ticksUntilPlan-- == 0) {
            carryOutPlan();
        }
        if (forced && isOver(client) && isEstablished(server) && nothingFollowsTheRequest()) {
            abort(server);
        }
        if (!closing && isEstablished(client) && isEstablished(server)) {
            closeWhenDone(forced);
        }
    }

    /** A server that may not speak first then never learns that its client has gone; its program has to give up. */
    private boolean nothingFollowsTheRequest() {
        return faults.silenceAtOctet() == (plain ? 20 : 24);
    }

    private static boolean isEstablished(SimEnd end) {
        Connection connection = end.connection;
        return connection != null && connection.state() == Connection.State.ESTABLISHED;
    }

    private void closeWhenDone(boolean forced) {
        // each for itself: without the peer-to-peer model a server waits for its client's first message
        client.postLastFence();
        server.postLastFence();
        if (client.hasMoreToDo() || server.hasMoreToDo()) {
            return;
        }
        if ((client.isIdle() && server.isIdle()) || (forced && (client.isClosed() || server.isClosed()))) {
            closing = true;
            int who = random.nextInt(3);
            if (who != 0) {
                disconnect(client);
            }
            if (who != 1) {
                disconnect(server);
            }
        }
    }

    private static void disconnect(SimEnd end) {
        Connection connection = end.connection;
        if (connection != null) {
            connection.disconnect();
        }
    }

    private static void abort(SimEnd end) {
        Connection connection = end.connection;
        if (connection != null) {
            connection.abort();
            end.remember();
        }
    }

    private void carryOutPlan() {
        SimEnd end = random.nextBoolean() ? client : server;
        if (end.isClosed()) {
            return;
        }
        switch (plan) {
            case ORDERLY, HOSTILE -> {}
            case ABORT -> abort(end);
            case TO_ERROR -> {
                if (end.queuePair.state() == QueuePairState.RTS || end.queuePair.state() == QueuePairState.IDLE) {
                    end.queuePair.modify(QueuePairState.ERROR);
                    end.remember();
                }
            }
            case TO_TERMINATE -> {
                if (end.queuePair.state() == QueuePairState.RTS) {
                    end.queuePair.modify(QueuePairState.TERMINATE);
                    end.remember();
                }
            }
            case CLOSE_QUEUE_PAIR -> end.closeQueuePair();
            case CLOSE_MEMORY -> end.closeExposed();
        }
    }

    boolean isOver() {
        return isOver(client) && isOver(server);
    }

    boolean isOverForGood() {
        return isOver() && !mayRestart;
    }

    private boolean isOver(SimEnd end) {
        Connection connection = end.connection;
        if (end.node.closed) {
            return true;
        }
        if (connection == null) {
            // nothing came, and nothing will
            return end == server && isOver(client);
        }
        return switch (connection.state()) {
            case CONNECTING, ESTABLISHED, DISCONNECTING -> false;
            case REJECTED, FAILED, DISCONNECTED -> true;
        };
    }

    /** What waits for a connection that never came is flushed. */
    void flush() {
        for (SimEnd end : List.of(client, server)) {
            if (!end.isClosed() && end.queuePair.state() == QueuePairState.IDLE && !end.isEmpty()) {
                end.mayFail = true;
                end.queuePair.modify(QueuePairState.ERROR);
            }
        }
    }

    void checkAtEnd() {
        boolean happened = benign && plan == Plan.ORDERLY && !rejected && !client.mayFail && !server.mayFail;
        if (happened) {
            for (SimEnd end : List.of(client, server)) {
                Connection connection = end.connection;
                check(
                        connection != null && connection.state() == Connection.State.DISCONNECTED,
                        "nothing was wrong, but: " + end);
                check(end.queuePair.state() == QueuePairState.IDLE, "not closed in order: " + end);
                end.checkEverythingHappened();
            }
        }
        client.checkAtEnd();
        server.checkAtEnd();
    }

    @Override
    public String toString() {
        return String.join(
                System.lineSeparator(),
                (benign ? "benign, " : "faulty, ")
                        + plan
                        + (rejected ? ", rejected" : "")
                        + (closing ? ", closing" : ""),
                client.toString(),
                server.toString(),
                faults.toString());
    }
}
