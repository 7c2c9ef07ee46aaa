package io.stag.rnic.datagram;

import io.stag.verbs.AddressHandle;
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
}
