package io.stag.rnic.datagram;

import io.stag.verbs.AddressHandle;
import io.stag.verbs.VerbsError;
import io.stag.verbs.VerbsException;
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

    /** The handle, if it is one of ours. */
    public static SoftAddressHandle own(AddressHandle handle) {
        if (handle instanceof SoftAddressHandle soft) {
            return soft;
        }
        throw new VerbsException(VerbsError.INVALID_ARGUMENT, "the address handle belongs to another provider");
    }
}
