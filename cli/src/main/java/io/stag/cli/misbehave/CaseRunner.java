package io.stag.cli.misbehave;

import io.stag.cli.Endpoints;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.concurrent.locks.LockSupport;

/** Carries out cases, each on a TCP connection of its own. */
final class CaseRunner {
    /** Where the next connection comes from. */
    @FunctionalInterface
    interface Connector {
        Socket next() throws IOException;
    }

    private static final long RETRY_NANOS = 100_000_000;

    private final Connector connector;
    private final boolean initiator;
    private final Wishes wishes;
    private final Timing timing;

    private CaseRunner(Connector connector, boolean initiator, Wishes wishes, Timing timing) {
        this.connector = connector;
        this.initiator = initiator;
        this.wishes = wishes;
        this.timing = timing;
    }

    /** Connects to a peer for each case. */
    static CaseRunner connecting(InetSocketAddress peer, Wishes wishes, Timing timing) {
        return new CaseRunner(() -> connect(peer, timing), true, wishes, timing);
    }

    /** Waits for a peer to connect for each case. */
    static CaseRunner listening(ServerSocket listener, Wishes wishes, Timing timing) {
        return new CaseRunner(() -> accept(listener, timing), false, wishes, timing);
    }

    /**
     * Carries out a case.
     *
     * @throws PeerGone when there is nobody to misbehave against
     */
    CaseResult run(Case one) {
        try {
            if (one.stage() == Stage.AFTERWARDS) {
                try (RawPeer peer = peer()) {
                    one.script().run(peer);
                }
                try (RawPeer peer = peer()) {
                    return CaseResult.of(one, initiator, startedAndProbed(peer));
                }
            }
            try (RawPeer peer = peer()) {
                return CaseResult.of(one, initiator, observe(one, peer));
            }
        } catch (CaseSkipped e) {
            return CaseResult.of(one, initiator, Verdict.SKIPPED, String.valueOf(e.getMessage()));
        } catch (PeerUnusable | IOException e) {
            return CaseResult.of(one, initiator, Verdict.FAILED, String.valueOf(e.getMessage()));
        }
    }

    private Observation observe(Case one, RawPeer peer) {
        if (one.stage() != Stage.STARTUP) {
            peer.start();
        }
        one.script().run(peer);
        return one.stage() == Stage.STREAM
                ? probed(peer)
                : peer.observe(one.patient() ? timing.patience() : timing.answer());
    }

    /** Here a startup that fails is the peer's answer to the case. */
    private Observation startedAndProbed(RawPeer peer) {
        try {
            peer.start();
        } catch (PeerUnusable _) {
            return peer.observe(timing.answer());
        }
        return probed(peer);
    }

    private Observation probed(RawPeer peer) {
        peer.say(peer.probe());
        return peer.observe(timing.answer());
    }

    private RawPeer peer() throws IOException {
        return new RawPeer(connector.next(), initiator, wishes, timing);
    }

    /** Tries again for a while: some servers end with each connection and are started anew. */
    private static Socket connect(InetSocketAddress peer, Timing timing) throws IOException {
        long deadline = System.nanoTime() + timing.patience().toNanos();
        while (true) {
            Socket socket = new Socket();
            try {
                socket.connect(
                        new InetSocketAddress(peer.getHostString(), peer.getPort()),
                        Math.toIntExact(timing.patience().toMillis()));
                return socket;
            } catch (IOException e) {
                socket.close();
                if (System.nanoTime() > deadline) {
                    throw new PeerGone("no connection to " + Endpoints.text(peer) + ": " + e.getMessage(), e);
                }
                LockSupport.parkNanos(RETRY_NANOS);
            }
        }
    }

    private static Socket accept(ServerSocket listener, Timing timing) throws IOException {
        listener.setSoTimeout(Math.toIntExact(timing.patience().toMillis()));
        try {
            return listener.accept();
        } catch (SocketTimeoutException e) {
            throw new PeerGone("no peer connected within " + timing.patience().toMillis() + " ms", e);
        }
    }
}
