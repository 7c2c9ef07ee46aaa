package io.stag.cli.dump;

import java.nio.ByteBuffer;

/** Finds the TCP segment in a captured packet: link layer, IPv4 or IPv6, TCP. One instance, filled for each packet. */
final class TcpSegment {
    static final int FIN = 0x01;
    static final int SYN = 0x02;
    static final int RST = 0x04;
    static final int ACK = 0x10;

    private static final int LINK_NULL = 0;
    private static final int LINK_ETHERNET = 1;
    private static final int LINK_RAW_OPENBSD = 12;
    private static final int LINK_RAW = 101;
    private static final int LINK_LOOP = 108;
    private static final int LINK_LINUX_SLL = 113;
    private static final int LINK_IPV4 = 228;
    private static final int LINK_IPV6 = 229;
    private static final int LINK_LINUX_SLL2 = 276;

    private static final int ETHER_IPV4 = 0x0800;
    private static final int ETHER_IPV6 = 0x86DD;
    private static final int ETHER_VLAN = 0x8100;
    private static final int ETHER_SERVICE_VLAN = 0x88A8;

    private static final int IPV4_HEADER = 20;
    private static final int IPV6_HEADER = 40;
    private static final int TCP_HEADER = 20;
    private static final int PROTOCOL_TCP = 6;
    private static final int NO_IP = -1;

    /** One end of a connection: address (IPv4 mapped into IPv6) and port. */
    record Endpoint(long addressHigh, long addressLow, int port) implements Comparable<Endpoint> {
        private static final long MAPPED = 0xFFFFL << 32;

        static Endpoint ipv4(int address, int port) {
            return new Endpoint(0, MAPPED | Integer.toUnsignedLong(address), port);
        }

        @Override
        public int compareTo(Endpoint other) {
            int order = Long.compareUnsigned(addressHigh, other.addressHigh);
            order = order != 0 ? order : Long.compareUnsigned(addressLow, other.addressLow);
            return order != 0 ? order : Integer.compare(port, other.port);
        }

        @Override
        public String toString() {
            if (addressHigh == 0 && addressLow >>> 32 == 0xFFFF) {
                int address = (int) addressLow;
                return (address >>> 24) + "." + (address >>> 16 & 0xFF) + "." + (address >>> 8 & 0xFF) + "."
                        + (address & 0xFF) + ":" + port;
            }
            return "[" + IPv6Text.of(addressHigh, addressLow) + "]:" + port;
        }
    }

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

    private ByteBuffer packet = ByteBuffer.allocate(0);

    /**
     * Takes a packet apart.
     *
     * @return false when it holds no TCP segment that can be read, for instance an IP fragment
     */
    boolean parse(CapturedPacket captured) {
        packet = captured.buffer;
        octets = packet.array();
        int ip = findIp(captured.linkType, captured.length);
        if (ip == NO_IP || ip >= captured.length) {
            return false;
        }
        return switch (packet.get(ip) >>> 4 & 0xF) {
            case 4 -> parseIpv4(ip, captured.length);
            case 6 -> parseIpv6(ip, captured.length);
            default -> false;
        };
    }

    static boolean isSupportedLink(int linkType) {
        return switch (linkType) {
            case LINK_NULL,
                    LINK_ETHERNET,
                    LINK_RAW_OPENBSD,
                    LINK_RAW,
                    LINK_LOOP,
                    LINK_LINUX_SLL,
                    LINK_IPV4,
                    LINK_IPV6,
                    LINK_LINUX_SLL2 -> true;
            default -> false;
        };
    }

    private int findIp(int linkType, int length) {
        return switch (linkType) {
            case LINK_ETHERNET -> afterEtherType(12, length);
            case LINK_LINUX_SLL -> afterEtherType(14, length);
            case LINK_LINUX_SLL2 -> length >= 20 && isIp(packet.getShort(0)) ? 20 : NO_IP;
            case LINK_NULL, LINK_LOOP -> 4; // the address family; the version in the IP header says the same
            case LINK_RAW, LINK_RAW_OPENBSD, LINK_IPV4, LINK_IPV6 -> 0;
            default -> NO_IP;
        };
    }

    private int afterEtherType(int at, int length) {
        int offset = at;
        while (offset + 2 <= length) {
            int type = Short.toUnsignedInt(packet.getShort(offset));
            if (type != ETHER_VLAN && type != ETHER_SERVICE_VLAN) {
                return isIp((short) type) ? offset + 2 : NO_IP;
            }
            offset += 4;
        }
        return NO_IP;
    }

    private static boolean isIp(short etherType) {
        int type = Short.toUnsignedInt(etherType);
        return type == ETHER_IPV4 || type == ETHER_IPV6;
    }

    private boolean parseIpv4(int ip, int length) {
        if (ip + IPV4_HEADER > length || packet.get(ip + 9) != PROTOCOL_TCP) {
            return false;
        }
        int headerLength = (packet.get(ip) & 0xF) * 4;
        boolean fragment = (packet.getShort(ip + 6) & 0x3FFF) != 0;
        int tcp = ip + headerLength;
        if (fragment || headerLength < IPV4_HEADER || tcp + TCP_HEADER > length) {
            return false;
        }
        int total = Short.toUnsignedInt(packet.getShort(ip + 2));
        int end = total == 0 ? length : ip + total; // 0: a packet larger than 64 KiB that segmentation offload made
        source = Endpoint.ipv4(packet.getInt(ip + 12), port(tcp));
        destination = Endpoint.ipv4(packet.getInt(ip + 16), port(tcp + 2));
        return parseTcp(tcp, end, length);
    }

    private boolean parseIpv6(int ip, int length) {
        if (ip + IPV6_HEADER > length) {
            return false;
        }
        int payload = Short.toUnsignedInt(packet.getShort(ip + 4));
        int end = payload == 0 ? length : ip + IPV6_HEADER + payload;
        int next = Byte.toUnsignedInt(packet.get(ip + 6));
        int at = ip + IPV6_HEADER;
        while (next == 0 || next == 43 || next == 60) { // hop-by-hop, routing, destination options
            if (at + 8 > length) {
                return false;
            }
            next = Byte.toUnsignedInt(packet.get(at));
            at += 8 + 8 * Byte.toUnsignedInt(packet.get(at + 1));
        }
        if (next != PROTOCOL_TCP || at + TCP_HEADER > length) {
            return false;
        }
        source = new Endpoint(packet.getLong(ip + 8), packet.getLong(ip + 16), port(at));
        destination = new Endpoint(packet.getLong(ip + 24), packet.getLong(ip + 32), port(at + 2));
        return parseTcp(at, end, length);
    }

    private boolean parseTcp(int tcp, int end, int length) {
        int headerLength = (packet.get(tcp + 12) >>> 4 & 0xF) * 4;
        if (headerLength < TCP_HEADER) {
            return false;
        }
        sequence = packet.getInt(tcp + 4);
        flags = packet.get(tcp + 13);
        payloadOffset = tcp + headerLength;
        int payload = Math.max(0, end - payloadOffset);
        payloadLength = Math.clamp(length - payloadOffset, 0, payload);
        payloadCut = payload - payloadLength;
        return true;
    }

    private int port(int at) {
        return Short.toUnsignedInt(packet.getShort(at));
    }
}
