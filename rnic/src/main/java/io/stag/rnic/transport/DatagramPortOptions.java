package io.stag.rnic.transport;

import io.stag.verbs.DatagramQueuePairConfig;
import io.stag.verbs.ReliableQueuePairConfig;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import org.jspecify.annotations.Nullable;

/**
 * How a datagram port is made.
 *
 * @param address where; port 0 lets the system choose
 * @param shared whether other sockets may have the same address, as members of a multicast group do
 * @param broadcast whether it may send to broadcast addresses
 * @param datagramLength the longest datagram that will be sent, or 0 for as long as goes without IP fragments; only one that
 *     is longer than the interface takes may be cut into fragments
 * @param offload whether the system may join and cut datagrams, where it can
 * @param receiveBuffer octets that may wait to be received; the system may allow less
 * @param sendBuffer octets that may wait to be sent; the system may allow less
 * @param multicastNetwork network that multicasts leave by; null leaves it to the system
 * @param multicastHops routers that multicasts may pass, plus one
 */
public record DatagramPortOptions(
        InetSocketAddress address,
        boolean shared,
        boolean broadcast,
        int datagramLength,
        boolean offload,
        int receiveBuffer,
        int sendBuffer,
        @Nullable NetworkInterface multicastNetwork,
        int multicastHops) {

    /** The port of a datagram queue pair. */
    public static DatagramPortOptions of(DatagramQueuePairConfig config) {
        return new DatagramPortOptions(
                config.address(),
                config.sharedAddress(),
                config.allowBroadcast(),
                config.datagramLength(),
                config.offload(),
                config.receiveBuffer(),
                config.sendBuffer(),
                config.multicastNetwork().orElse(null),
                config.multicastHops());
    }

    /** The port of a reliable datagram queue pair. */
    public static DatagramPortOptions of(ReliableQueuePairConfig config) {
        return new DatagramPortOptions(
                config.address(),
                false,
                false,
                config.datagramLength(),
                config.offload(),
                config.receiveBuffer(),
                config.sendBuffer(),
                null,
                1);
    }
}
