package io.stag.interop;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** rping between the two sides, every octet compared by the client. */
final class Rping {
    /** rdma-core refuses more, although its message says 65536. */
    static final int LARGEST = 65_535;

    static final Duration LIMIT = Duration.ofMinutes(4);

    private static final int LETTERS = 'z' - 'A' + 1;

    private Rping() {}

    /** Stag pings a persistent server in the guest, with one size after the other. */
    static void stagClient(Stage stage, List<Integer> sizes, int pings, String... options) throws InterruptedException {
        guestServer(stage);
        for (int size : sizes) {
            stagPings(stage, size, pings, options).succeed(LIMIT);
        }
    }

    /** Starts a persistent server in the guest. */
    static GuestRun guestServer(Stage stage) throws InterruptedException {
        return stage.guestServer("rping -s -P -S " + LARGEST + " -p " + stage.port());
    }

    /** Starts a client of Stag. */
    static StagRun stagPings(Stage stage, int size, int pings, String... options) {
        List<String> arguments =
                new ArrayList<>(List.of("rping", "-c", "-V", "-a", stage.link().guest()));
        arguments.addAll(List.of("-p", String.valueOf(stage.port())));
        arguments.addAll(List.of("-S", String.valueOf(size), "-C", String.valueOf(pings)));
        arguments.addAll(List.of(options));
        return stage.stag(arguments.toArray(String[]::new));
    }

    /** The guest pings a persistent server of Stag, with one size after the other. */
    static void guestClient(Stage stage, List<Integer> sizes, int pings, String... options)
            throws InterruptedException {
        StagRun server = stagServer(stage, options);
        guestPings(stage, sizes, pings).succeed(LIMIT.multipliedBy(sizes.size()));
        expectNoComplaint(server);
    }

    /** Starts a persistent server of Stag. */
    static StagRun stagServer(Stage stage, String... options) throws InterruptedException {
        List<String> arguments = new ArrayList<>(List.of("rping", "-s", "-P", "-p", String.valueOf(stage.port())));
        arguments.addAll(List.of(options));
        return stage.stagServer(arguments.toArray(String[]::new));
    }

    /** Starts a client in the guest. */
    static GuestRun guestPings(Stage stage, List<Integer> sizes, int pings) {
        String list = sizes.stream().map(String::valueOf).collect(Collectors.joining(" "));
        return stage.guest(
                "for size in " + list + "; do rping -c -V -a " + stage.link().host() + " -p " + stage.port()
                        + " -S $size -C " + pings + " || { echo size $size failed; exit 1; }; done");
    }

    /** What a server prints about pings with {@code -v}. */
    static Stream<String> serverOutput(int size, int pings) {
        return IntStream.range(0, pings).mapToObj(ping -> {
            StringBuilder text = new StringBuilder("rdma-ping-" + ping + ": ");
            for (int i = 0; text.length() < size - 1; i++) {
                text.append((char) ('A' + (ping + i) % LETTERS));
            }
            return "server ping data: " + text;
        });
    }

    /** The digest that {@code sha256sum} would print for these lines. */
    static String digest(Stream<String> lines) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            lines.forEach(line -> digest.update((line + "\n").getBytes(StandardCharsets.ISO_8859_1)));
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // every JDK has it
        }
    }

    static void expectNoComplaint(StagRun server) {
        if (server.transcript().toString().contains("client ")) {
            throw new CellFailure("the server complains: " + server.transcript().tail());
        }
    }
}
