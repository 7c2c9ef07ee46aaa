package io.stag.interop;

import io.stag.verbs.Operation;
import io.stag.verbs.cm.Connection;
import io.stag.verbs.cm.ConnectionConfig;
import io.stag.verbs.cm.Listener;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;

/** rdma-core's other programs that need nothing but the connection manager and Sends. */
final class ProgramCells {
    private static final int RDMA_SERVER_MESSAGE = 16;
    private static final int UCMATOSE_MESSAGES = 200;
    private static final int UCMATOSE_SIZE = 1_000;
    /** What rdma_server and rdma_client send; ucmatose's server sends whatever its memory held. */
    private static final MemorySegment ZEROS = MemorySegment.ofArray(new byte[RDMA_SERVER_MESSAGE]);

    private static final Duration LIMIT = Duration.ofSeconds(60);

    private ProgramCells() {}

    static List<Cell> cells() {
        return List.of(
                Cell.of("rdma_server", "one Send each way", Role.STAG_CONNECTS, ProgramCells::toRdmaServer),
                Cell.of("rdma_client", "one Send each way", Role.SIW_CONNECTS, ProgramCells::fromRdmaClient),
                Cell.of(
                        "ucmatose/server",
                        "the passive side sends first: peer-to-peer model, " + UCMATOSE_MESSAGES + " messages each way",
                        Role.STAG_CONNECTS,
                        ProgramCells::toUcmatose),
                Cell.of(
                                "ucmatose/client",
                                "the passive side sends first: peer-to-peer model, " + UCMATOSE_MESSAGES
                                        + " messages each way",
                                Role.SIW_CONNECTS,
                                ProgramCells::fromUcmatose)
                        .on(Link.USER, "p2p"),
                Cell.of(
                        "ucmatose/client-plain",
                        "the passive side would have to send first, without the peer-to-peer model",
                        Role.SIW_CONNECTS,
                        ProgramCells::fromPlainUcmatose));
    }

    private static Outcome toRdmaServer(Stage stage) throws Exception {
        GuestRun server = stage.guestServer("rdma_server -p " + stage.port());
        try (VerbsPeer peer = new VerbsPeer(4, RDMA_SERVER_MESSAGE)) {
            peer.postReceives(1);
            Connection connection = peer.connect(stage.guestAddress(), ConnectionConfig.defaults());
            peer.send(1);
            peer.await(Operation.SEND, 1);
            peer.await(Operation.RECEIVE, 1);
            peer.expectContent(1, ZEROS);
            connection.close();
        }
        server.succeed(LIMIT);
        return Outcome.green(2, "");
    }

    private static Outcome fromRdmaClient(Stage stage) throws Exception {
        try (VerbsPeer peer = new VerbsPeer(4, RDMA_SERVER_MESSAGE);
                Listener listener = peer.listen(stage.port())) {
            peer.postReceives(1);
            GuestRun client = stage.guest("rdma_client -s " + stage.link().host() + " -p " + stage.port());
            Connection connection = peer.accept(listener, ConnectionConfig.defaults());
            peer.await(Operation.RECEIVE, 1);
            peer.expectContent(1, ZEROS);
            peer.send(1);
            peer.await(Operation.SEND, 1);
            client.succeed(LIMIT);
            connection.close();
        }
        return Outcome.green(2, "");
    }

    private static Outcome toUcmatose(Stage stage) throws Exception {
        GuestRun server =
                stage.guestServer("ucmatose -C " + UCMATOSE_MESSAGES + " -S " + UCMATOSE_SIZE + " -p " + stage.port());
        try (VerbsPeer peer = new VerbsPeer(UCMATOSE_MESSAGES, UCMATOSE_SIZE)) {
            peer.postReceives(UCMATOSE_MESSAGES);
            peer.connect(stage.guestAddress(), ConnectionConfig.defaults());
            peer.await(Operation.RECEIVE, UCMATOSE_MESSAGES);
            peer.send(UCMATOSE_MESSAGES);
            peer.await(Operation.SEND, UCMATOSE_MESSAGES);
            server.awaitText("disconnected", LIMIT);
        }
        server.succeed(LIMIT);
        return Outcome.green(2L * UCMATOSE_MESSAGES, "");
    }

    private static Outcome fromUcmatose(Stage stage) throws Exception {
        try (VerbsPeer peer = new VerbsPeer(UCMATOSE_MESSAGES, UCMATOSE_SIZE);
                Listener listener = peer.listen(stage.port())) {
            peer.postReceives(UCMATOSE_MESSAGES);
            GuestRun client = stage.guest("ucmatose -s " + stage.link().host() + " -C " + UCMATOSE_MESSAGES + " -S "
                    + UCMATOSE_SIZE + " -p " + stage.port());
            Connection connection = peer.accept(listener, ConnectionConfig.defaults());
            peer.send(UCMATOSE_MESSAGES);
            peer.await(Operation.SEND, UCMATOSE_MESSAGES);
            peer.await(Operation.RECEIVE, UCMATOSE_MESSAGES);
            peer.expectEcho(UCMATOSE_MESSAGES); // it sends from where it received
            connection.close();
            client.succeed(LIMIT);
        }
        return Outcome.green(2L * UCMATOSE_MESSAGES, "");
    }

    private static Outcome fromPlainUcmatose(Stage stage) throws Exception {
        try (VerbsPeer peer = new VerbsPeer(4, UCMATOSE_SIZE);
                Listener listener = peer.listen(stage.port())) {
            stage.guest("ucmatose -s " + stage.link().host() + " -C 4 -S " + UCMATOSE_SIZE + " -p " + stage.port());
            Connection connection = peer.accept(listener, ConnectionConfig.defaults());
            peer.send(1);
            connection.close(); // the Send waits for the initiator's first FPDU, which never comes
            if (peer.queuePair().snapshot().counters().segmentsSent() != 0) {
                throw new CellFailure("a responder sent before it heard of the initiator (RFC 5044 §7.1.2)");
            }
        }
        return Outcome.none(
                "a responder is silent until the initiator's first FPDU (RFC 5044 §7.1.2), and ucmatose waits for the"
                    + " responder; siw's initiator does not ask for the peer-to-peer model (constant peer_to_peer)");
    }
}
