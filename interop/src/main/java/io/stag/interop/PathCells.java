package io.stag.interop;

import io.stag.verbs.Operation;
import io.stag.verbs.cm.ConnectionConfig;
import java.util.List;

/** TCP end to end over paths that are slow, lossy, or wide. */
final class PathCells {
    private static final int PINGS = 100;
    private static final int LARGE = 65_535;
    private static final int JUMBO = 9_000;
    private static final int ORDINARY = 1_500;
    private static final int OVERLAY = 1_450;
    private static final int SENDS = 2_000;
    private static final int SEND_SIZE = 337; // FPDUs of 364 octets: cuts come to lie at every even offset in them

    private PathCells() {}

    static List<Cell> cells() {
        return List.of(
                cell("path/mtu-9000/client", "MTU 9000, CRC on", Role.STAG_CONNECTS, PathCells::jumbo),
                cell("path/mtu-9000/server", "MTU 9000, CRC on", Role.SIW_CONNECTS, PathCells::jumbo),
                cell(
                        "fault/crc-cut",
                        "MTU 1450, CRC on, " + SENDS + " Sends at once",
                        Role.STAG_CONNECTS,
                        PathCells::overlay),
                netem("path/delay/client", "5 ms ± 2 ms each way", Role.STAG_CONNECTS, "delay 5ms 2ms"),
                netem("path/delay/server", "5 ms ± 2 ms each way", Role.SIW_CONNECTS, "delay 5ms 2ms"),
                netem("path/loss/client", "1 % loss each way", Role.STAG_CONNECTS, "loss 1%"),
                netem("path/loss/server", "1 % loss each way", Role.SIW_CONNECTS, "loss 1%"),
                netem("path/worst/client", "3 ms, 1 % loss, 2 % reordered, 1 % doubled", Role.STAG_CONNECTS, WORST),
                netem("path/worst/server", "3 ms, 1 % loss, 2 % reordered, 1 % doubled", Role.SIW_CONNECTS, WORST));
    }

    private static final String WORST = "delay 3ms loss 1% reorder 2% 25% duplicate 1%";

    private static Cell cell(String name, String settings, Role role, Cell.Work work) {
        return Cell.of(name, settings, role, work).on(Link.TAP, Cell.STOCK);
    }

    private static Cell netem(String name, String settings, Role role, String netem) {
        return cell(name, settings, role, stage -> {
            // what comes in is turned round to a device where it goes out, and can be delayed
            stage.rig()
                    .run("set -e; d=" + stage.link().guestDevice() + "; tc qdisc add dev $d root netem limit 10000 "
                            + netem
                            + "; ip link add ifb0 type ifb 2>/dev/null || :; ip link set ifb0 up"
                            + "; tc qdisc add dev $d ingress"
                            + "; tc filter add dev $d parent ffff: matchall action mirred egress redirect dev ifb0"
                            + "; tc qdisc add dev ifb0 root netem limit 10000 " + netem);
            try {
                return pings(stage);
            } finally {
                stage.rig()
                        .run("d=" + stage.link().guestDevice()
                                + "; tc qdisc del dev $d root; tc qdisc del dev $d ingress; tc qdisc del dev"
                                + " ifb0 root");
            }
        });
    }

    private static Outcome jumbo(Stage stage) throws Exception {
        setMtu(stage, JUMBO);
        try {
            return pings(stage);
        } finally {
            setMtu(stage, ORDINARY);
        }
    }

    /**
     * TCP segments that are no multiple of four octets could cut the CRC field of an FPDU, which siw does not survive.
     * Large Reads fill many segments in a row; pipelined Sends of an odd size lie anywhere.
     */
    private static Outcome overlay(Stage stage) throws Exception {
        setMtu(stage, OVERLAY);
        // else the guest joins segments before siw sees them
        stage.rig().run("ethtool -K " + stage.link().guestDevice() + " gro off");
        try {
            GuestRun server = stage.guestServer("ucmatose -C " + SENDS + " -S " + SEND_SIZE + " -p " + stage.port());
            try (VerbsPeer peer = new VerbsPeer(SENDS, SEND_SIZE)) {
                peer.postReceives(SENDS);
                peer.connect(stage.guestAddress(), ConnectionConfig.defaults());
                peer.await(Operation.RECEIVE, SENDS);
                peer.send(SENDS);
                peer.await(Operation.SEND, SENDS);
                server.succeed(Rping.LIMIT); // it takes flushed receives for messages, so we look ourselves
                if (peer.queuePair().snapshot().counters().terminatesReceived() > 0) {
                    throw new CellFailure("siw ended the stream: "
                            + peer.queuePair()
                                    .firstCause()
                                    .map(Object::toString)
                                    .orElse(""));
                }
            }
            return Outcome.green(2L * SENDS, "");
        } finally {
            stage.rig().run("ethtool -K " + stage.link().guestDevice() + " gro on");
            setMtu(stage, ORDINARY);
        }
    }

    private static void setMtu(Stage stage, int mtu) throws InterruptedException {
        stage.rig().run("ip link set " + stage.link().guestDevice() + " mtu " + mtu);
        new GuestRun("ip link", new ProcessBuilder("ip", "link", "set", "stag-rig", "mtu", String.valueOf(mtu)))
                .succeed(Rping.LIMIT);
    }

    private static Outcome pings(Stage stage) throws Exception {
        List<Integer> sizes = List.of(64, 1_409, LARGE);
        if (stage.role() == Role.STAG_CONNECTS) {
            Rping.stagClient(stage, sizes, PINGS);
        } else {
            Rping.guestClient(stage, sizes, PINGS);
        }
        return Outcome.green((long) sizes.size() * PINGS, "");
    }
}
