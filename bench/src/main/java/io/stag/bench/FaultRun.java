package io.stag.bench;

import io.stag.verbs.ErrorDetail;
import io.stag.verbs.cm.Connection;
import io.stag.verbs.cm.ConnectionConfig;
import io.stag.verbs.cm.ConnectionEvent;
import io.stag.verbs.cm.ConnectionRequest;
import io.stag.verbs.cm.Listener;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Connects to a process, does something bad, and looks at what this end makes of it. */
final class FaultRun {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int WARM_UP = 64;

    private final Node node;
    private final Witness others;
    private final Fault fault;
    private final Fault.Times times;
    private final @Nullable Cable cable;
    private final CompletableFuture<Long> learntAt = new CompletableFuture<>();

    /**
     * What was seen.
     *
     * @param learnt time from the fault to the end of the connection
     * @param cause why the connection ended, as it says itself
     * @param flushed requests that came back with that cause
     * @param othersVerified rounds of traffic on other connections since the fault
     * @param left what is still there after everything was closed
     */
    record Result(Duration learnt, String cause, long flushed, long othersVerified, String left) {}

    /** A fault at one end of a connection of {@code node}; {@code cable} for those that need one. */
    FaultRun(Node node, Witness others, Fault fault, Fault.Times times, @Nullable Cable cable) {
        this.node = node;
        this.others = others;
        this.fault = fault;
        this.times = times;
        this.cable = cable;
    }

    Result run() throws IOException {
        Leftovers before = Leftovers.of(node.rnic);
        others.start();
        Result seen;
        try {
            seen = connectAndBreak();
        } finally {
            others.stop();
            node.rnic.connectionManager().onEvent(_ -> {});
        }
        return new Result(seen.learnt, seen.cause, seen.flushed, seen.othersVerified, before.beyond(node.rnic));
    }

    private Result connectAndBreak() throws IOException {
        return switch (fault.way) {
            case TO_US -> {
                try (Listener listener = node.listen(1);
                        FaultPeerProcess peer = FaultPeerProcess.connecting(listener.address());
                        FaultLoad load = new FaultLoad(node)) {
                    ConnectionRequest request =
                            listener.await(PATIENCE).orElseThrow(() -> new Program.Failure("nobody has connected"));
                    Connection connection = request.accept(load.queuePair, config());
                    yield breakIt(connection, request.privateData(), load, peer::kill);
                }
            }
            case DIRECT -> {
                try (FaultPeerProcess peer = FaultPeerProcess.listening(InetAddress.getLoopbackAddress());
                        FaultLoad load = new FaultLoad(node)) {
                    var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), peer.port());
                    yield connectAndBreak(address, load, fault == Fault.FROZEN ? peer::freeze : peer::kill);
                }
            }
            case RELAY -> {
                try (FaultPeerProcess peer = FaultPeerProcess.listening(InetAddress.getLoopbackAddress());
                        Relay relay = new Relay(new InetSocketAddress(InetAddress.getLoopbackAddress(), peer.port()));
                        FaultLoad load = new FaultLoad(node)) {
                    Pull pull = fault == Fault.RESET
                            ? relay::reset
                            : fault == Fault.STOPPED_READING ? relay::stopReading : relay::fallSilent;
                    yield connectAndBreak(relay.address(), load, pull);
                }
            }
            case CABLE -> {
                Cable network = cable;
                if (network == null) {
                    throw new IllegalStateException("no cable to pull");
                }
                network.plug();
                try (FaultPeerProcess peer = FaultPeerProcess.listening(network.prefix(), network.farAddress());
                        FaultLoad load = new FaultLoad(node)) {
                    var address = new InetSocketAddress(network.farAddress(), peer.port());
                    yield connectAndBreak(address, load, network::pull);
                }
            }
        };
    }

    private interface Pull {
        void run() throws IOException;
    }

    private Result connectAndBreak(InetSocketAddress address, FaultLoad load, Pull pull) throws IOException {
        Connection connection = node.rnic
                .connectionManager()
                .connect(load.queuePair, address, config())
                .awaitEstablished(PATIENCE);
        return breakIt(connection, connection.peerPrivateData(), load, pull);
    }

    private ConnectionConfig config() {
        ConnectionConfig.Builder config = ConnectionConfig.builder().timeout(PATIENCE);
        switch (fault.watch) {
            case TCP -> {}
            case PROBE -> config.livenessProbe(times.probe());
            case PROGRESS -> config.sendProgressTimeout(times.progress());
        }
        return config.build();
    }

    private Result breakIt(Connection connection, byte[] privateData, FaultLoad load, Pull pull) throws IOException {
        connection.awaitEstablished(PATIENCE);
        node.rnic.connectionManager().onEvent(event -> {
            if (event instanceof ConnectionEvent.Disconnected ended
                    && ended.connection().equals(connection)) {
                learntAt.complete(System.nanoTime());
            }
        });
        if (fault.busy) {
            int stag = ByteBuffer.wrap(privateData).getInt();
            load.fill(stag);
            while (load.succeeded() < WARM_UP) {
                load.reap(null);
                load.fill(stag);
            }
        }
        long verifiedBefore = others.rounds();
        long pulledAt = System.nanoTime();
        pull.run();
        Duration limit = times.of(fault.watch).plus(times.slack());
        long learnt = awaitEnd(pulledAt, limit) - pulledAt;
        long verified = others.verifiedSince(verifiedBefore);
        ErrorDetail cause =
                connection.cause().orElseThrow(() -> new Program.Failure("the connection ended without a cause"));
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (load.isOutstanding()) {
            load.reap(cause);
            if (System.nanoTime() - deadline > 0) {
                throw new Program.Failure("some requests never came back");
            }
        }
        return new Result(Duration.ofNanos(learnt), cause.toString(), load.flushed(), verified, "");
    }

    private long awaitEnd(long pulledAt, Duration limit) {
        try {
            return learntAt.get(limit.toNanos() - (System.nanoTime() - pulledAt), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw new Program.Failure("not learnt within " + limit, e);
        } catch (InterruptedException | ExecutionException e) {
            throw new Program.Failure("waiting failed", e);
        }
    }
}
