package io.stag.interop;

import io.stag.cli.ExitCode;
import io.stag.verbs.CompletionStatus;
import io.stag.verbs.ErrorDetail;
import io.stag.verbs.Operation;
import io.stag.verbs.VerbsError;
import io.stag.verbs.VerbsException;
import io.stag.verbs.WorkCompletions;
import io.stag.verbs.cm.Connection;
import io.stag.verbs.cm.ConnectionConfig;
import io.stag.verbs.cm.Listener;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/** What must fail, and how: refused, broken off, terminated; each with a reason that a user can read. */
final class RefusalCells {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final int UNKNOWN_STAG = 0x12345678;
    private static final int TOO_MANY_MESSAGES = 1_000_000;
    private static final int BUSY_MESSAGES = 2_000;
    private static final int BUSY_SIZE = 4_096;
    private static final int BEFORE_THE_CUT = 100;
    private static final int CRC_FLAG = 0x40;
    private static final String UNKNOWN_OPCODE = "The opcode is unknown";

    /** Not the peer-to-peer model: when such a connection ends before siw saw its first message, its kernel stops. */
    private static final ConnectionConfig PLAIN =
            ConnectionConfig.builder().peerToPeer(false).build();

    private RefusalCells() {}

    static List<Cell> cells() {
        return List.of(
                Cell.of("refusal/markers", "Stag asks for Markers (M=1)", Role.STAG_CONNECTS, RefusalCells::markers),
                Cell.of(
                        "refusal/by-guest",
                        "the program in the guest rejects",
                        Role.STAG_CONNECTS,
                        RefusalCells::rejected),
                Cell.of(
                                "refusal/by-stag",
                                "Stag takes MPA revision 1 only, siw asks with 2",
                                Role.SIW_CONNECTS,
                                RefusalCells::onlyRevision1)
                        .expecting(Cell.Wire.ANY),
                Cell.of("refusal/revision-3", "a Request of revision 3", Role.STAG_CONNECTS, RefusalCells::revision3)
                        .expecting(Cell.Wire.ANY),
                Cell.of(
                        "terminate/received",
                        "Stag writes to an unknown STag",
                        Role.STAG_CONNECTS,
                        stage -> terminated(
                                stage,
                                peer -> peer.requests()
                                        .write(1, UNKNOWN_STAG, 0)
                                        .from(peer.memory(), 0, 8)
                                        .post(),
                                "The STag of the tagged segment is not valid",
                                "")),
                Cell.of(
                        "terminate/sent",
                        "siw sends, Stag has posted no receive",
                        Role.SIW_CONNECTS,
                        RefusalCells::noReceive),
                Cell.of(
                        "impossible/atomics",
                        "Stag asks for an atomic add",
                        Role.STAG_CONNECTS,
                        stage -> terminated(
                                stage,
                                peer -> peer.requests()
                                        .fetchAdd(1, UNKNOWN_STAG, 0, 1)
                                        .into(peer.memory(), 0, 8)
                                        .post(),
                                UNKNOWN_OPCODE,
                                "siw has no atomics: it does not know opcodes above 7 (RFC 7306)")),
                Cell.of(
                        "impossible/immediate-data",
                        "Stag sends immediate data",
                        Role.STAG_CONNECTS,
                        stage -> terminated(
                                stage,
                                peer -> peer.requests().immediate(1, 42).post(),
                                UNKNOWN_OPCODE,
                                "siw has no immediate data: it does not know opcodes above 7 (RFC 7306)")),
                Cell.of(
                                "breaking-off/program",
                                "rping in the guest is killed",
                                Role.STAG_CONNECTS,
                                RefusalCells::killProgram)
                        .expecting(Cell.Wire.BROKEN_OFF),
                Cell.of(
                                "breaking-off/machine",
                                "the guest vanishes in the middle of " + BUSY_MESSAGES + " messages",
                                Role.STAG_CONNECTS,
                                RefusalCells::killMachine)
                        .on(Link.TAP, Cell.STOCK)
                        .expecting(Cell.Wire.BROKEN_OFF)
                        .with(1));
    }

    private static Outcome markers(Stage stage) throws Exception {
        stage.guestServer("rping -s -P -p " + stage.port());
        StagRun client = stage.stag(
                "rping",
                "-c",
                "-a",
                stage.link().guest(),
                "-p",
                String.valueOf(stage.port()),
                "-C",
                "1",
                "--markers",
                "on");
        expect(client.await(LIMIT) == ExitCode.FAILED, "rping with markers came through");
        String said = client.transcript().tail();
        expect(said.contains("CONNECTION_REJECTED"), "no word of a rejection: " + said);
        return Outcome.none("siw has no Markers and rejects; stag says: " + said);
    }

    private static Outcome rejected(Stage stage) throws Exception {
        // it makes its queue pair when the request comes, cannot, and rejects
        GuestRun server = stage.guestServer("ucmatose -C " + TOO_MANY_MESSAGES + " -p " + stage.port());
        try (VerbsPeer peer = new VerbsPeer(1, 8)) {
            peer.connect(stage.guestAddress(), ConnectionConfig.defaults());
            throw new CellFailure("the request was not rejected");
        } catch (VerbsException e) {
            expect(e.error() == VerbsError.CONNECTION_REJECTED, "rejected as " + e.error() + ": " + e.getMessage());
            server.awaitText("failing connection request", LIMIT);
            return Outcome.green(1, String.valueOf(e.getMessage()));
        }
    }

    private static Outcome onlyRevision1(Stage stage) throws Exception {
        StagRun server = stage.stag("rping", "-s", "-p", String.valueOf(stage.port()), "--mpa-revision", "1");
        server.awaitText("listening on", LIMIT);
        GuestRun client = stage.guest("rping -c -a " + stage.link().host() + " -p " + stage.port() + " -C 1");
        int code = client.await(LIMIT);
        expect(code != 0, "the guest's rping came through");
        expect(server.await(LIMIT) == ExitCode.FAILED, "the server reports success");
        String said = server.transcript().tail();
        expect(said.contains("revision"), "no word of the revision: " + said);
        return Outcome.green(1, "stag says: " + said);
    }

    private static Outcome revision3(Stage stage) throws Exception {
        stage.guestServer("rping -s -P -p " + stage.port());
        byte[] request = new byte[20];
        System.arraycopy("MPA ID Req Frame".getBytes(StandardCharsets.US_ASCII), 0, request, 0, 16);
        request[16] = CRC_FLAG;
        request[17] = 3;
        try (Socket socket = new Socket(stage.guestAddress().getAddress(), stage.port())) {
            socket.setSoTimeout((int) LIMIT.toMillis());
            socket.getOutputStream().write(request);
            int answer = socket.getInputStream().read();
            expect(answer < 0, "siw answered a Request of revision 3");
        } catch (IOException e) { // closing with octets unread is a reset
            expect("Connection reset".equals(e.getMessage()), "ended with " + e);
        }
        return Outcome.green(1, "siw closes without a Reply, as RFC 5044 §7.1.1 wants");
    }

    /** Does something that siw must refuse; it does so with a Terminate whose fields are in siw's order. */
    private static Outcome terminated(Stage stage, Consumer<VerbsPeer> misdeed, String meaning, String impossible)
            throws Exception {
        stage.guestServer("rping -s -P -p " + stage.port());
        try (VerbsPeer peer = new VerbsPeer(4, 16)) {
            Connection connection = peer.connect(stage.guestAddress(), PLAIN);
            misdeed.accept(peer);
            expect(connection.awaitDisconnected(LIMIT), "the connection is still there");
            ErrorDetail cause = connection.cause().orElseThrow(() -> new CellFailure("no cause"));
            expect(cause.fact().contains("the peer ended the stream"), "ended for another reason: " + cause);
            expect(cause.fact().contains(meaning), "another code: " + cause);
            return impossible.isEmpty()
                    ? Outcome.green(1, "stag says: " + cause)
                    : Outcome.none(impossible + "; stag says: " + cause);
        }
    }

    private static Outcome noReceive(Stage stage) throws Exception {
        try (VerbsPeer peer = new VerbsPeer(4, 16);
                Listener listener = peer.listen(stage.port())) {
            GuestRun client = stage.guest("rping -c -a " + stage.link().host() + " -p " + stage.port() + " -C 1");
            Connection connection = peer.accept(listener, ConnectionConfig.defaults());
            expect(connection.awaitDisconnected(LIMIT), "the connection is still there");
            ErrorDetail cause = connection.cause().orElseThrow(() -> new CellFailure("no cause"));
            client.awaitText("DISCONNECT EVENT", LIMIT); // its exit code is 0 all the same
            expect(peer.queuePair().snapshot().counters().terminatesSent() == 1, "no Terminate was sent: " + cause);
            return Outcome.green(1, "stag says: " + cause);
        }
    }

    private static Outcome killProgram(Stage stage) throws Exception {
        stage.guestServer("rping -s -P -S 65535 -p " + stage.port());
        StagRun client = stage.stag(
                "rping", "-c", "-v", "-a", stage.link().guest(), "-p", String.valueOf(stage.port()), "-S", "1000");
        client.awaitText("rdma-ping-20:", LIMIT);
        stage.rig().run("killall -9 rping");
        expect(client.await(LIMIT) == ExitCode.FAILED, "the client reports success");
        return Outcome.green(1, "stag says: " + client.transcript().lastLine());
    }

    private static Outcome killMachine(Stage stage) throws Exception {
        stage.guestServer("ucmatose -C " + BUSY_MESSAGES + " -S " + BUSY_SIZE + " -p " + stage.port());
        try (VerbsPeer peer = new VerbsPeer(BUSY_MESSAGES, BUSY_SIZE)) {
            peer.postReceives(BUSY_MESSAGES);
            Connection connection = peer.connect(
                    stage.guestAddress(),
                    ConnectionConfig.builder()
                            .livenessProbe(Duration.ofSeconds(2))
                            .build());
            peer.await(Operation.RECEIVE, BEFORE_THE_CUT);
            stage.rig().cutPower();
            expect(connection.awaitDisconnected(LIMIT), "the connection is still there");
            ErrorDetail cause = connection.cause().orElseThrow(() -> new CellFailure("no cause"));
            int arrived = BEFORE_THE_CUT;
            WorkCompletions next = peer.next();
            while (next.isSuccess(0)) {
                arrived++;
                next = peer.next();
            }
            expect(next.status(0) == CompletionStatus.WR_FLUSH_ERR, "not flushed: " + next.describe(0));
            expect(cause.fact().contains("sign of life"), "found for another reason: " + cause);
            return Outcome.green(
                    arrived,
                    arrived + " of " + BUSY_MESSAGES + " messages arrived, the other receives were flushed; with a"
                            + " liveness probe of 2 s, stag says: " + cause);
        }
    }

    private static void expect(boolean condition, String otherwise) {
        if (!condition) {
            throw new CellFailure(otherwise);
        }
    }
}
