package io.stag.interop;

import java.util.List;

/** Stag as a peer that breaks the rules: what siw does about it, case by case. */
final class MisbehaveCells {
    /** Without the peer-to-peer model, which siw's kernel does not survive when a case ends early. */
    private static final String[] PLAIN = {"--p2p", "off"};

    private MisbehaveCells() {}

    static List<Cell> cells() {
        return List.of(
                cell(
                        "misbehave/connect",
                        "every case of stag misbehave, CRC on",
                        Role.STAG_CONNECTS,
                        stage -> Misbehaving.run(stage, _ -> true, PLAIN)),
                cell(
                        "misbehave/connect-no-crc",
                        "the cases about framing, CRC off",
                        Role.STAG_CONNECTS,
                        stage ->
                                Misbehaving.run(stage, MisbehaveCells::isAboutFraming, "--p2p", "off", "--crc", "off")),
                cell(
                        "misbehave/listen",
                        "every case of stag misbehave, CRC on",
                        Role.SIW_CONNECTS,
                        stage -> Misbehaving.run(stage, _ -> true)),
                cell(
                                "misbehave/listen-p2p",
                                "the cases about the Reply, siw asks for the peer-to-peer model",
                                Role.SIW_CONNECTS,
                                stage ->
                                        Misbehaving.run(stage, one -> one.name().startsWith("reply-")))
                        .on(Link.TAP, "p2p"));
    }

    private static Cell cell(String name, String settings, Role role, Cell.Work work) {
        return Cell.of(name, settings, role, work).on(Link.TAP, Cell.STOCK).expecting(Cell.Wire.BROKEN_OFF);
    }

    private static boolean isAboutFraming(Misbehaving.Listed one) {
        return !one.name().startsWith("request-") && one.items().stream().anyMatch(item -> item.startsWith("MPA-"));
    }
}
