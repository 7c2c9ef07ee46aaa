package io.stag.rnic.transport;

import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import org.jspecify.annotations.Nullable;

/**
 * How a datagram port is made.
 *
 * @param address where; port 0 lets the system choose
 * @param shared whether other sockets may have the same address, as members of a multicast group do
 * @param broadcast whether it may send to broadcast addresses
 * @param fragments whether longer datagrams than the path takes are cut into IP fragments rather than refused
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
        boolean fragments,
        boolean offload,
        int receiveBuffer,
        int sendBuffer,
        @Nullable NetworkInterface multicastNetwork,
        int multicastHops) {}
