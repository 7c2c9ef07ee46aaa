package io.stag.cli.dump;

/** Finds the UDP datagram, or its first fragment, in an IP packet. One instance, filled for each packet. */
final class UdpDatagram {
    private static final int HEADER = 8;

    Endpoint source = Endpoint.ipv4(0, 0);
    Endpoint destination = source;
    byte[] octets = new byte[0];
    int payloadOffset;

    /** Octets of payload in this packet of the capture. */
    int payloadLength;

    /** Octets of payload as the UDP header says. */
    int fullLength;

    /** Whether the rest is in other IP packets. */
    boolean isFragment;

    /**
     * Takes a packet apart.
     *
     * @return false when there is no UDP header in it
     */
    boolean parse(IpPacket ip) {
        int udp = ip.payloadOffset;
        if (ip.protocol != IpPacket.UDP || ip.fragmentOffset != 0 || udp + HEADER > ip.captured) {
            return false;
        }
        octets = ip.octets();
        source = ip.source(ip.unsignedShort(udp));
        destination = ip.destination(ip.unsignedShort(udp + 2));
        payloadOffset = udp + HEADER;
        isFragment = ip.moreFragments;
        int length = ip.unsignedShort(udp + 4);
        int inPacket = Math.max(0, ip.end - payloadOffset);
        // 0, or less than the packet has: segmentation offload joined several datagrams behind one header
        fullLength = isFragment ? Math.max(0, length - HEADER) : inPacket;
        payloadLength = Math.clamp(ip.captured - payloadOffset, 0, inPacket);
        return true;
    }

    /** Whether every octet of it was captured, in this packet. */
    boolean isWhole() {
        return !isFragment && payloadLength == fullLength;
    }
}
