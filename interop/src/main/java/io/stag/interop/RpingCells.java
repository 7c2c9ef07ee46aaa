package io.stag.interop;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** rping of both sides: Read, Write and Sends in all settings. */
final class RpingCells {
    /** From the least size to the largest: odd ones, and those around what fits into a TCP segment. */
    private static final List<Integer> SIZES =
            List.of(23, 24, 25, 64, 255, 1_407, 1_408, 1_409, 4_097, 16_383, Rping.LARGEST);

    private static final List<Integer> FEW_SIZES = List.of(23, 1_409, 16_383);
    private static final List<Integer> SEEN_SIZES = List.of(23, 1_409, Rping.LARGEST);
    private static final int PINGS = 200;
    private static final int CLIENTS = 8;
    private static final int PINGS_OF_EACH = 100;
    private static final int CONNECTIONS = 100;
    private static final int VOLUME_PINGS = 2_300;
    private static final long VOLUME_FPDUS = 100_000;
    private static final Duration VOLUME_LIMIT = Duration.ofMinutes(15);

    private RpingCells() {}

    static List<Cell> cells() {
        List<Cell> cells = new ArrayList<>();
        cells.add(client("crc-off", "CRC off, sizes 23 to 65535", SIZES, "--crc", "off"));
        cells.add(server("crc-off", "CRC off, sizes 23 to 65535", SIZES, "--crc", "off"));
        cells.add(
                client("crc-on", "Stag asks for CRC, sizes 23 to 65535", SIZES).on(Link.TAP, Cell.STOCK));
        cells.add(
                server("crc-on", "Stag asks for CRC, sizes 23 to 65535", SIZES).on(Link.TAP, Cell.STOCK));
        cells.add(Cell.of(
                        "rping/client/seen",
                        "the server's own view of the content compared, too",
                        Role.STAG_CONNECTS,
                        RpingCells::seenByGuest)
                .on(Link.TAP, Cell.STOCK));
        cells.add(Cell.of(
                        "rping/server/seen",
                        "the server's own view of the content compared, too",
                        Role.SIW_CONNECTS,
                        RpingCells::seenByStag)
                .on(Link.TAP, Cell.STOCK));
        cells.add(client("plain", "no peer-to-peer model", FEW_SIZES, "--p2p", "off")
                .on(Link.TAP, Cell.STOCK));
        cells.add(
                client("siw-crc", "siw asks for CRC", FEW_SIZES, "--crc", "off").on(Link.TAP, "crc"));
        cells.add(
                server("siw-crc", "siw asks for CRC", FEW_SIZES, "--crc", "off").on(Link.TAP, "crc"));
        cells.add(client("siw-p2p", "siw built for the peer-to-peer model", FEW_SIZES)
                .on(Link.TAP, "p2p"));
        cells.add(server("siw-p2p", "siw asks for the peer-to-peer model", FEW_SIZES)
                .on(Link.TAP, "p2p"));
        cells.add(client("siw-gso", "siw offers large segments", FEW_SIZES).on(Link.TAP, "gso"));
        cells.add(server("siw-gso", "siw offers large segments", FEW_SIZES).on(Link.TAP, "gso"));
        cells.add(client("siw-mpa1", "siw built for MPA 1, asked with 2", FEW_SIZES)
                .on(Link.TAP, "mpa1"));
        cells.add(server("siw-mpa1", "siw asks with MPA 1", FEW_SIZES).on(Link.TAP, "mpa1"));
        cells.add(Cell.of(
                        "rping/client/many",
                        CLIENTS + " clients at once, server -P",
                        Role.STAG_CONNECTS,
                        RpingCells::manyStagClients)
                .on(Link.TAP, Cell.STOCK));
        cells.add(Cell.of(
                        "rping/server/many",
                        CLIENTS + " clients at once, server -P",
                        Role.SIW_CONNECTS,
                        RpingCells::manyGuestClients)
                .on(Link.TAP, Cell.STOCK));
        cells.add(Cell.of(
                        "fault/first-message",
                        CONNECTIONS + " connections, the first message at once",
                        Role.STAG_CONNECTS,
                        RpingCells::manyConnections)
                .on(Link.TAP, Cell.STOCK));
        cells.add(Cell.of(
                        "rping/client/volume",
                        "at least " + VOLUME_FPDUS + " FPDUs each way, CRC on, MTU 1500",
                        Role.STAG_CONNECTS,
                        RpingCells::volume)
                .on(Link.TAP, Cell.STOCK)
                .with(VOLUME_FPDUS));
        return cells;
    }

    private static Cell client(String name, String settings, List<Integer> sizes, String... options) {
        return Cell.of("rping/client/" + name, settings, Role.STAG_CONNECTS, stage -> {
            Rping.stagClient(stage, sizes, PINGS, options);
            return Outcome.green((long) sizes.size() * PINGS, "");
        });
    }

    private static Cell server(String name, String settings, List<Integer> sizes, String... options) {
        return Cell.of("rping/server/" + name, settings, Role.SIW_CONNECTS, stage -> {
            Rping.guestClient(stage, sizes, PINGS, options);
            return Outcome.green((long) sizes.size() * PINGS, "");
        });
    }

    /** A server of rping prints what it has read, so its output is known beforehand. */
    private static Outcome seenByGuest(Stage stage) throws InterruptedException {
        for (int size : SEEN_SIZES) {
            GuestRun server = stage.guestServer("rping -s -v -S " + Rping.LARGEST + " -p " + stage.port()
                    + " >/tmp/seen; grep '^server ping data' /tmp/seen | sha256sum; rm /tmp/seen");
            Rping.stagPings(stage, size, PINGS_OF_EACH, "--p2p", "off").succeed(Rping.LIMIT);
            server.succeed(Rping.LIMIT);
            expectSeen(size, server.transcript().lastLine().split(" ", 2)[0]);
        }
        return Outcome.green((long) SEEN_SIZES.size() * PINGS_OF_EACH, "");
    }

    private static Outcome seenByStag(Stage stage) throws InterruptedException {
        for (int size : SEEN_SIZES) {
            StagRun server = stage.stagServer("rping", "-s", "-v", "-p", String.valueOf(stage.port()));
            Rping.guestPings(stage, List.of(size), PINGS_OF_EACH).succeed(Rping.LIMIT);
            server.succeed(Rping.LIMIT);
            expectSeen(
                    size,
                    Rping.digest(server.transcript()
                            .toString()
                            .lines()
                            .filter(line -> line.startsWith("server ping data"))));
        }
        return Outcome.green((long) SEEN_SIZES.size() * PINGS_OF_EACH, "");
    }

    private static void expectSeen(int size, String digest) {
        if (!digest.equals(Rping.digest(Rping.serverOutput(size, PINGS_OF_EACH)))) {
            throw new CellFailure("the server saw other pings of " + size + " octets than were sent");
        }
    }

    private static Outcome manyStagClients(Stage stage) throws InterruptedException {
        Rping.guestServer(stage);
        List<StagRun> clients = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            // one after the other until connected: rping's server listens with a backlog of 3 and forgets further
            // requests
            StagRun client = Rping.stagPings(stage, 1_000 + i, PINGS_OF_EACH, "-d", "--p2p", "off");
            client.awaitText("connected to", Rping.LIMIT);
            clients.add(client);
        }
        for (StagRun client : clients) {
            client.succeed(Rping.LIMIT);
        }
        return Outcome.green((long) CLIENTS * PINGS_OF_EACH, "");
    }

    private static Outcome manyGuestClients(Stage stage) throws InterruptedException {
        StagRun server = Rping.stagServer(stage);
        List<GuestRun> clients = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            clients.add(Rping.guestPings(stage, List.of(1_000 + i), PINGS_OF_EACH));
        }
        for (GuestRun client : clients) {
            client.succeed(Rping.LIMIT);
        }
        Rping.expectNoComplaint(server);
        return Outcome.green((long) CLIENTS * PINGS_OF_EACH, "");
    }

    /** Each connection may run into siw's race; the capture shows how often a nudge was needed. */
    private static Outcome manyConnections(Stage stage) throws InterruptedException {
        Rping.guestServer(stage);
        for (int i = 0; i < CONNECTIONS; i++) {
            Rping.stagPings(stage, 64, 1).succeed(Rping.LIMIT);
        }
        return Outcome.green(CONNECTIONS, "");
    }

    private static Outcome volume(Stage stage) throws InterruptedException {
        Rping.guestServer(stage);
        Rping.stagPings(stage, Rping.LARGEST, VOLUME_PINGS).succeed(VOLUME_LIMIT);
        return Outcome.green(VOLUME_PINGS, "");
    }
}
