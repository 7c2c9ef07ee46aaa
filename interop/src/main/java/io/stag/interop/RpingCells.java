package io.stag.interop;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** rping of both sides: Read, Write and Sends, every octet compared by the client. */
final class RpingCells {
    /** rdma-core refuses more, although its message says 65536. */
    private static final int LARGEST = 65_535;

    /** From the least size to the largest: odd ones, and those around what fits into a TCP segment. */
    private static final List<Integer> SIZES = List.of(23, 24, 25, 64, 255, 1_407, 1_408, 1_409, 4_097, 16_383, LARGEST);

    private static final int PINGS = 200;
    private static final Duration LIMIT = Duration.ofMinutes(5);

    private RpingCells() {}

    static List<Cell> cells() {
        List<Cell> cells = new ArrayList<>();
        cells.add(client("rping/client/crc-off", "CRC off, sizes " + SIZES, "--crc", "off"));
        cells.add(server("rping/server/crc-off", "CRC off, sizes " + SIZES, "--crc", "off"));
        cells.add(client("rping/client/crc-on", "Stag asks for CRC").on(Link.TAP, Cell.STOCK));
        cells.add(server("rping/server/crc-on", "Stag asks for CRC").on(Link.TAP, Cell.STOCK));
        cells.add(client("rping/client/siw-crc", "siw asks for CRC", "--crc", "off").on(Link.TAP, "crc"));
        cells.add(server("rping/server/siw-crc", "siw asks for CRC", "--crc", "off").on(Link.TAP, "crc"));
        return cells;
    }

    private static Cell client(String name, String settings, String... options) {
        return Cell.of(name, settings, Role.STAG_CONNECTS, stage -> {
            stage.guestServer("rping -s -P -S " + LARGEST + " -p " + stage.port());
            for (int size : SIZES) {
                pingOnce(stage, size, PINGS, options).succeed(LIMIT);
            }
            return Outcome.green((long) SIZES.size() * PINGS, "");
        });
    }

    private static StagRun pingOnce(Stage stage, int size, int count, String... options) {
        List<String> arguments = new ArrayList<>(List.of(
                "rping",
                "-c",
                "-V",
                "-a",
                stage.link().guest(),
                "-p",
                String.valueOf(stage.port()),
                "-S",
                String.valueOf(size),
                "-C",
                String.valueOf(count)));
        arguments.addAll(List.of(options));
        return stage.stag(arguments.toArray(String[]::new));
    }

    private static Cell server(String name, String settings, String... options) {
        return Cell.of(name, settings, Role.SIW_CONNECTS, stage -> {
            List<String> arguments = new ArrayList<>(List.of("rping", "-s", "-P", "-p", String.valueOf(stage.port())));
            arguments.addAll(List.of(options));
            StagRun server = stage.stagServer(arguments.toArray(String[]::new));
            String sizes = SIZES.stream().map(String::valueOf).collect(Collectors.joining(" "));
            stage.guest("for size in " + sizes + "; do rping -c -V -a " + stage.link().host() + " -p " + stage.port()
                            + " -S $size -C " + PINGS + " || { echo size $size failed; exit 1; }; done")
                    .succeed(LIMIT);
            if (server.transcript().toString().contains("client ")) {
                throw new CellFailure("the server complains: " + server.transcript().tail());
            }
            return Outcome.green((long) SIZES.size() * PINGS, "");
        });
    }
}
