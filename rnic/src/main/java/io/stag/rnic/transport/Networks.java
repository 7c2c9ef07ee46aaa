package io.stag.rnic.transport;

import io.stag.rnic.datagram.DatagramAddress;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.util.Collections;
import org.jspecify.annotations.Nullable;

/** What the networks of this machine say about datagrams. */
final class Networks {
    private static final int IPV4_AND_UDP = 28;
    private static final int IPV6_AND_UDP = 48;
    private static final int ETHERNET = 1500;
    private static final int LONGEST_PACKET = 65_535;

    private Networks() {}

    /**
     * The longest payload of UDP that leaves by the interface of {@code local} in one packet. The wildcard address has no
     * interface, so it gets what Ethernet takes, or less if multicasts leave by a network that takes less, with the longer
     * headers of IPv6.
     */
    static int unfragmented(InetAddress local, @Nullable NetworkInterface multicastNetwork) throws IOException {
        if (local.isAnyLocalAddress()) {
            int least = multicastNetwork == null || multicastNetwork.getMTU() <= 0
                    ? ETHERNET
                    : Math.min(ETHERNET, multicastNetwork.getMTU());
            return least - IPV6_AND_UDP;
        }
        NetworkInterface network = NetworkInterface.getByInetAddress(local);
        int mtu = network == null || network.getMTU() <= 0 ? ETHERNET : Math.min(network.getMTU(), LONGEST_PACKET);
        return mtu - (local instanceof Inet6Address ? IPV6_AND_UDP : IPV4_AND_UDP);
    }

    /** The network to join a group on: the one asked for, else that of the local address, else the first that can. */
    static NetworkInterface networkFor(InetAddress group, @Nullable NetworkInterface asked, InetAddress local)
            throws IOException {
        NetworkInterface own =
                asked != null || local.isAnyLocalAddress() ? asked : NetworkInterface.getByInetAddress(local);
        if (own != null) {
            checkTakes(group, own);
            return own;
        }
        for (NetworkInterface network : Collections.list(NetworkInterface.getNetworkInterfaces())) {
            if (network.isUp() && network.supportsMulticast() && !network.isLoopback()) {
                return network;
            }
        }
        throw new IOException("no network of this machine takes multicasts to " + group.getHostAddress()
                + "; name one, for instance the loopback");
    }

    /** Linux carries IPv4 multicasts over the loopback, but no IPv6 ones, which it would refuse only when they are sent. */
    private static void checkTakes(InetAddress group, NetworkInterface network) throws IOException {
        if (group instanceof Inet6Address && !network.supportsMulticast()) {
            throw new IOException("IPv6 multicasts do not pass the network " + network.getName()
                    + (network.isLoopback() ? ", the loopback" : "") + "; name one that takes them");
        }
    }

    /** What a port says of a datagram that it cannot send, with what can be done about it. */
    static IOException refusal(DatagramAddress destination, IOException why) {
        String text = String.valueOf(why.getMessage());
        return destination.isMulticast() && text.contains("unreachable")
                ? new IOException(text + "; no network takes multicasts there, name one with multicastNetwork", why)
                : why;
    }
}
