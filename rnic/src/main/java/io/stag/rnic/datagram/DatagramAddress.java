package io.stag.rnic.datagram;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import org.jspecify.annotations.Nullable;

/**
 * An address and port as numbers, so that the data path compares and keeps them without allocating. IPv4 addresses are
 * those mapped into IPv6. One may be filled again and again; whoever shares one does not.
 */
public final class DatagramAddress {
    private static final long IPV4_MAPPED = 0x0000_FFFF_0000_0000L;
    private static final long LIMITED_BROADCAST = IPV4_MAPPED | 0xFFFF_FFFFL;
    private static final int IPV6_LENGTH = 16;

    private long high;
    private long low;
    private int port;
    private int scope;
    private @Nullable InetSocketAddress object; // made when asked for

    /** The unspecified address. */
    public DatagramAddress() {}

    /** The same as {@code address}, which must be resolved. */
    public DatagramAddress(InetSocketAddress address) {
        byte[] octets = address.getAddress().getAddress();
        if (octets.length == IPV6_LENGTH) {
            high = number(octets, 0, Long.BYTES);
            low = number(octets, Long.BYTES, Long.BYTES);
            scope = scope((Inet6Address) address.getAddress());
        } else {
            low = IPV4_MAPPED | number(octets, 0, Integer.BYTES);
        }
        port = address.getPort();
        object = address;
    }

    /** Java gives every address of an interface its number; the network tells it of addresses that need it (RFC 4007, section 6). */
    private static int scope(Inet6Address address) {
        boolean needed = address.isLinkLocalAddress() || address.isMCLinkLocal() || address.isMCNodeLocal();
        return needed ? address.getScopeId() : 0;
    }

    private static long number(byte[] octets, int from, int count) {
        long number = 0;
        for (int i = 0; i < count; i++) {
            number = number << Byte.SIZE | Byte.toUnsignedLong(octets[from + i]);
        }
        return number;
    }

    /** Takes another value. */
    public void set(long newHigh, long newLow, int newPort, int newScope) {
        high = newHigh;
        low = newLow;
        port = newPort;
        scope = newScope;
        object = null;
    }

    /** Takes the value of another. */
    public void set(DatagramAddress other) {
        set(other.high, other.low, other.port, other.scope);
    }

    /** The low half of an IPv4 address; the high half is 0. */
    public static long ipv4Low(int address) {
        return IPV4_MAPPED | Integer.toUnsignedLong(address);
    }

    /** Whether these halves are an IPv4 address. */
    public static boolean isIpv4(long high, long low) {
        return high == 0 && low >>> Integer.SIZE == IPV4_MAPPED >>> Integer.SIZE;
    }

    /** The first eight octets of the address. */
    public long high() {
        return high;
    }

    /** The last eight octets of the address. */
    public long low() {
        return low;
    }

    /** The port. */
    public int port() {
        return port;
    }

    /** The interface of a link-local address, or 0. */
    public int scope() {
        return scope;
    }

    /** Whether it is an IPv4 address. */
    public boolean isIpv4() {
        return isIpv4(high, low);
    }

    /** Whether it is a multicast group. */
    public boolean isMulticast() {
        return isIpv4() ? (low >>> 28 & 0xF) == 0xE : high >>> 56 == 0xFF;
    }

    /** Whether what goes there is for many: a multicast group, or everybody on the network (255.255.255.255). */
    public boolean meansMany() {
        return isMulticast() || (high == 0 && low == LIMITED_BROADCAST);
    }

    /** A number that equal addresses share. */
    int hashOfNumbers() {
        long mixed = (high ^ Long.rotateLeft(low, 16) ^ port) * 0x9E37_79B9_7F4A_7C15L;
        return (int) (mixed >>> 32);
    }

    /** Whether it is the place with these numbers. */
    public boolean is(long otherHigh, long otherLow, int otherPort, int otherScope) {
        return low == otherLow && port == otherPort && high == otherHigh && scope == otherScope;
    }

    /** Whether it is the same place. */
    public boolean isSame(DatagramAddress other) {
        return high == other.high && low == other.low && port == other.port && scope == other.scope;
    }

    /** The address for those who need an object; allocates the first time. */
    public InetSocketAddress object() {
        InetSocketAddress made = object;
        if (made == null) {
            made = object(high, low, port, scope);
            object = made;
        }
        return made;
    }

    /** An address and port as an object. */
    public static InetSocketAddress object(long high, long low, int port, int scope) {
        byte[] octets = new byte[isIpv4(high, low) ? Integer.BYTES : IPV6_LENGTH];
        for (int i = 0; i < octets.length; i++) {
            int shift = Byte.SIZE * (octets.length - 1 - i);
            octets[i] = (byte) (shift >= Long.SIZE ? high >>> (shift - Long.SIZE) : low >>> shift);
        }
        try {
            InetAddress address = octets.length == IPV6_LENGTH && scope != 0
                    ? Inet6Address.getByAddress(null, octets, scope)
                    : InetAddress.getByAddress(octets);
            return new InetSocketAddress(address, port);
        } catch (UnknownHostException e) {
            throw new IllegalStateException("an address of " + octets.length + " octets", e);
        }
    }

    @Override
    public String toString() {
        return object().toString();
    }
}
