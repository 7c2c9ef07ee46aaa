package io.stag.simnet;

import java.net.InetSocketAddress;

/**
 * A datagram that was received.
 *
 * @param length octets written to the receiver's memory
 * @param datagramLength octets that arrived; more than {@code length} when the memory was too small
 * @param source who sent it
 * @param destination whom it was sent to: the address of the socket, or a multicast group
 */
public record ReceivedDatagram(
        int length, int datagramLength, InetSocketAddress source, InetSocketAddress destination) {}
