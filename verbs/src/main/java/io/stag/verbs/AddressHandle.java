package io.stag.verbs;

import java.net.InetSocketAddress;

/**
 * Where datagrams go: made once by {@link DatagramQueuePair#address} or {@link ReliableQueuePair#address}, named by any number
 * of requests. Immutable.
 */
public interface AddressHandle {

    /** The address and port. */
    InetSocketAddress address();
}
