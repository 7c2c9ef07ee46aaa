package io.stag.bench.compare;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A loopback of their own for the processes that measure, with the congestion control that all are to have: a system
 * whose default is BBR paces even loopback, and nothing but the system's setting reaches every library alike.
 *
 * @param prefix goes before the command of a process; empty when the system lets nobody make such a network
 */
public record PrivateNetwork(List<String> prefix) {
    private static final long LIMIT_SECONDS = 10;
    private static final String SETUP =
            "ip link set lo up && echo \"$0\" >/proc/sys/net/ipv4/tcp_congestion_control" + " && exec \"$@\"";

    // at the ingress, where fragments are still fragments; "$0" may be 0, which loses nothing
    private static final String LOSING_SETUP = "ip link set lo mtu 1500 up && nft add table netdev stag && nft 'add"
        + " chain netdev stag loss { type filter hook ingress device lo priority 0; }' && { [ \"$0\" = 0 ] || nft add"
        + " rule netdev stag loss ip protocol udp numgen random mod 100000 '<' \"$0\" drop; } && exec \"$@\"";

    /** The network of the system as it is. */
    public static PrivateNetwork none() {
        return new PrivateNetwork(List.of());
    }

    /**
     * A network of one's own if that is possible here, else {@link #none}.
     *
     * @param congestionControl a name that Linux knows
     */
    public static PrivateNetwork with(String congestionControl) {
        return Stream.of(List.of("unshare", "--net"), List.of("unshare", "--user", "--map-root-user", "--net"))
                .map(unshare -> Stream.concat(unshare.stream(), Stream.of("--", "sh", "-c", SETUP, congestionControl))
                        .toList())
                .filter(PrivateNetwork::works)
                .findFirst()
                .map(PrivateNetwork::new)
                .orElse(none());
    }

    /**
     * A loopback of one's own with the MTU of Ethernet that loses packets of UDP, IP fragments one by one; empty where the
     * system lets nobody make it, or has no nftables.
     *
     * @param percent of the packets
     */
    public static Optional<PrivateNetwork> losing(double percent) {
        String perHundredThousand = Long.toString(Math.round(percent * 1_000));
        return Stream.of(List.of("unshare", "--net"), List.of("unshare", "--user", "--map-root-user", "--net"))
                .map(unshare -> Stream.concat(
                                unshare.stream(), Stream.of("--", "sh", "-c", LOSING_SETUP, perHundredThousand))
                        .toList())
                .filter(PrivateNetwork::works)
                .findFirst()
                .map(PrivateNetwork::new);
    }

    boolean isPrivate() {
        return !prefix.isEmpty();
    }

    private static boolean works(List<String> prefix) {
        try {
            Process process = new ProcessBuilder(
                            Stream.concat(prefix.stream(), Stream.of("true")).toList())
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                return false;
            }
            return process.exitValue() == 0;
        } catch (IOException _) {
            return false;
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
