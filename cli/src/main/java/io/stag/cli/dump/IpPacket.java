package io.stag.cli.dump;

import java.nio.ByteBuffer;

/** Finds the IPv4 or IPv6 packet in a captured packet of any link layer. One instance, filled for each packet. */
final class IpPacket {
    static final int TCP = 6;
    static final int UDP = 17;

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
    private static final int IPV6_FRAGMENT = 44;
    private static final int NO_IP = -1;

    ByteBuffer packet = ByteBuffer.allocate(0);

    /** What the packet carries, as a protocol number. */
    int protocol;

    /** Where that begins. */
    int payloadOffset;

    /** Where the IP packet ends; beyond {@link #captured} if the capture cut it off. */
    int end;

    /** Octets that were captured, from the start of {@link #packet}. */
    int captured;

    /** Where in the payload of the whole packet this fragment begins. */
    int fragmentOffset;

    boolean moreFragments;
    private int ip;

    boolean isFragment() {
        return fragmentOffset != 0 || moreFragments;
    }

    /**
     * Takes a packet apart.
     *
     * @return false when it holds no IP packet that can be read
     */
    boolean parse(CapturedPacket captive) {
        packet = captive.buffer;
        captured = captive.length;
        fragmentOffset = 0;
        moreFragments = false;
        ip = findIp(captive.linkType, captive.length);
        if (ip == NO_IP || ip >= captured) {
            return false;
        }
        return switch (packet.get(ip) >>> 4 & 0xF) {
            case 4 -> parseIpv4(captured);
            case 6 -> parseIpv6(captured);
            default -> false;
        };
    }

    /** The sender, with a port. */
    Endpoint source(int port) {
        return isIpv4()
                ? Endpoint.ipv4(packet.getInt(ip + 12), port)
                : new Endpoint(packet.getLong(ip + 8), packet.getLong(ip + 16), port);
    }

    /** The receiver, with a port. */
    Endpoint destination(int port) {
        return isIpv4()
                ? Endpoint.ipv4(packet.getInt(ip + 16), port)
                : new Endpoint(packet.getLong(ip + 24), packet.getLong(ip + 32), port);
    }

    /** The array behind {@link #packet}. */
    byte[] octets() {
        return packet.array();
    }

    int unsignedShort(int at) {
        return Short.toUnsignedInt(packet.getShort(at));
    }

    private boolean isIpv4() {
        return (packet.get(ip) >>> 4 & 0xF) == 4;
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

    private boolean parseIpv4(int length) {
        int headerLength = (packet.get(ip) & 0xF) * 4;
        if (ip + IPV4_HEADER > length || headerLength < IPV4_HEADER) {
            return false;
        }
        int total = unsignedShort(ip + 2);
        end = total == 0 ? length : ip + total; // 0: a packet larger than 64 KiB that segmentation offload made
        int fragment = unsignedShort(ip + 6);
        fragmentOffset = (fragment & 0x1FFF) * 8;
        moreFragments = (fragment & 0x2000) != 0;
        protocol = Byte.toUnsignedInt(packet.get(ip + 9));
        payloadOffset = ip + headerLength;
        return true;
    }

    private boolean parseIpv6(int length) {
        if (ip + IPV6_HEADER > length) {
            return false;
        }
        int payload = unsignedShort(ip + 4);
        end = payload == 0 ? length : ip + IPV6_HEADER + payload;
        int next = Byte.toUnsignedInt(packet.get(ip + 6));
        int at = ip + IPV6_HEADER;
        while (next == 0 || next == 43 || next == 60 || next == IPV6_FRAGMENT) { // hop-by-hop, routing, destination
            if (at + 8 > length) {
                return false;
            }
            int header = next;
            next = Byte.toUnsignedInt(packet.get(at));
            if (header == IPV6_FRAGMENT) {
                fragmentOffset = unsignedShort(at + 2) & ~7;
                moreFragments = (packet.get(at + 3) & 1) != 0;
                at += 8;
            } else {
                at += 8 + 8 * Byte.toUnsignedInt(packet.get(at + 1));
            }
        }
        protocol = next;
        payloadOffset = at;
        return true;
    }
}
