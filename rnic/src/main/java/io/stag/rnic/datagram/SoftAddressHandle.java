package io.stag.rnic.datagram;

import io.stag.verbs.AddressHandle;
import io.stag.verbs.VerbsError;
import io.stag.verbs.VerbsException;
import java.net.Inet4Address;
import java.net.InetSocketAddress;

/**
 * An address for requests.
 *
 * @param address the address, resolved
 * @param numbers the same as numbers; not to be changed
 */
public record SoftAddressHandle(InetSocketAddress address, DatagramAddress numbers) implements AddressHandle {
    /** Takes an address apart. */
    public SoftAddressHandle(InetSocketAddress address) {
        this(address, new DatagramAddress(address));
    }

    /** A handle for {@code address}, unless it cannot be reached from {@code local}. */
    public static SoftAddressHandle reachableFrom(InetSocketAddress local, InetSocketAddress address) {
        if (address.isUnresolved()) {
            throw refused("the address " + address + " is not resolved");
        }
        boolean ipv4 = address.getAddress() instanceof Inet4Address;
        if (!local.getAddress().isAnyLocalAddress() && ipv4 != local.getAddress() instanceof Inet4Address) {
            throw refused(address + " cannot be reached from " + local + ", which has the other version of IP");
        }
        return new SoftAddressHandle(address);
    }

    /** The handle, if it is one of ours. */
    public static SoftAddressHandle own(AddressHandle handle) {
        if (handle instanceof SoftAddressHandle soft) {
            return soft;
        }
        throw refused("the address handle belongs to another provider");
    }

    private static VerbsException refused(String why) {
        return new VerbsException(VerbsError.INVALID_ARGUMENT, why);
    }
}
