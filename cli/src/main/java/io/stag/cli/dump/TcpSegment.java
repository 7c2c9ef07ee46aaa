package io.stag.cli.dump;

import java.nio.ByteBuffer;

/** Finds the TCP segment in an IP packet. One instance, filled for each packet. */
final class TcpSegment {
    static final int FIN = 0x01;
    static final int SYN = 0x02;
    static final int RST = 0x04;
    static final int ACK = 0x10;

    private static final int HEADER = 20;

    Endpoint source = Endpoint.ipv4(0, 0);
    Endpoint destination = source;
    int sequence;
    int flags;
    byte[] octets = new byte[0];
    int payloadOffset;

    /** Octets of payload in the capture. */
    int payloadLength;

    /** Octets of payload that were cut off by the capture's snap length. */
    int payloadCut;

    /**
     * Takes a packet apart.
     *
     * @return false when it holds no TCP segment that can be read, for instance an IP fragment
     */
    boolean parse(IpPacket ip) {
        int tcp = ip.payloadOffset;
        if (ip.protocol != IpPacket.TCP || ip.isFragment() || tcp + HEADER > ip.captured) {
            return false;
        }
        ByteBuffer packet = ip.packet;
        int headerLength = (packet.get(tcp + 12) >>> 4 & 0xF) * 4;
        if (headerLength < HEADER) {
            return false;
        }
        octets = ip.octets();
        source = ip.source(ip.unsignedShort(tcp));
        destination = ip.destination(ip.unsignedShort(tcp + 2));
        sequence = packet.getInt(tcp + 4);
        flags = packet.get(tcp + 13);
        payloadOffset = tcp + headerLength;
        int payload = Math.max(0, ip.end - payloadOffset);
        payloadLength = Math.clamp(ip.captured - payloadOffset, 0, payload);
        payloadCut = payload - payloadLength;
        return true;
    }
}
