package io.stag.rnic.transport;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.ValueLayout;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteOrder;

/** Addresses as the kernel takes them, {@code sockaddr_in} and {@code sockaddr_in6}. */
final class SocketAddresses {
    /** Room for either kind. */
    static final int LARGEST = 28;

    private static final int IPV4_LENGTH = 16;
    private static final int FAMILY = 0;
    private static final int PORT = 2;
    private static final int IPV4_ADDRESS = 4;
    private static final int IPV6_ADDRESS = 8;
    private static final int IPV6_SCOPE = 24;
    private static final ValueLayout.OfShort NETWORK_SHORT = JAVA_SHORT.withOrder(ByteOrder.BIG_ENDIAN);

    private SocketAddresses() {}

    /** An address for a socket of {@code family}; the wildcard address fits both, others only their own. */
    static MemorySegment encode(InetSocketAddress address, int family, SegmentAllocator allocator) {
        byte[] octets = address.getAddress().getAddress();
        boolean ipv6 = family == Libc.AF_INET6;
        MemorySegment encoded = allocator.allocate(ipv6 ? LARGEST : IPV4_LENGTH, Integer.BYTES);
        encoded.fill((byte) 0);
        encoded.set(JAVA_SHORT, FAMILY, (short) family);
        encoded.set(NETWORK_SHORT, PORT, (short) address.getPort());
        if (!address.getAddress().isAnyLocalAddress()) {
            MemorySegment.copy(octets, 0, encoded, JAVA_BYTE, ipv6 ? IPV6_ADDRESS : IPV4_ADDRESS, octets.length);
        }
        if (ipv6 && address.getAddress() instanceof Inet6Address scoped) {
            encoded.set(JAVA_INT, IPV6_SCOPE, scoped.getScopeId());
        }
        return encoded;
    }

    /** Reads what a call wrote; IPv4 addresses mapped into IPv6 come out as IPv4. */
    static InetSocketAddress decode(MemorySegment encoded) throws IOException {
        boolean ipv6 = encoded.get(JAVA_SHORT, FAMILY) == Libc.AF_INET6;
        byte[] octets = new byte[ipv6 ? 16 : 4];
        MemorySegment.copy(encoded, JAVA_BYTE, ipv6 ? IPV6_ADDRESS : IPV4_ADDRESS, octets, 0, octets.length);
        InetAddress address = InetAddress.getByAddress(octets);
        if (address instanceof Inet6Address && encoded.get(JAVA_INT, IPV6_SCOPE) != 0) {
            address = Inet6Address.getByAddress(null, octets, encoded.get(JAVA_INT, IPV6_SCOPE));
        }
        return new InetSocketAddress(address, Short.toUnsignedInt(encoded.get(NETWORK_SHORT, PORT)));
    }
}
