package io.stag.rnic.transport;

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
     * interface, so it gets what Ethernet takes, with the longer headers of IPv6.
     */
    static int unfragmented(InetAddress local) throws IOException {
        if (local.isAnyLocalAddress()) {
            return ETHERNET - IPV6_AND_UDP;
        }
        NetworkInterface network = NetworkInterface.getByInetAddress(local);
        int mtu = network == null || network.getMTU() <= 0 ? ETHERNET : Math.min(network.getMTU(), LONGEST_PACKET);
        return mtu - (local instanceof Inet6Address ? IPV6_AND_UDP : IPV4_AND_UDP);
    }

    /** The network to join a group on: the one asked for, else that of the local address, else the first that can. */
    static NetworkInterface networkFor(InetAddress group, @Nullable NetworkInterface asked, InetAddress local)
            throws IOException {
        if (asked != null) {
            return asked;
        }
        NetworkInterface own = local.isAnyLocalAddress() ? null : NetworkInterface.getByInetAddress(local);
        if (own != null) {
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
}
