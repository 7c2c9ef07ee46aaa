package io.stag.rnic.flight;

import java.net.Inet6Address;
import java.net.InetSocketAddress;

/** Addresses as text, never asking a name server. */
public final class Addresses {
    private Addresses() {}

    /** {@code 192.0.2.1:7174} or {@code [2001:db8::1]:7174}. */
    public static String text(InetSocketAddress address) {
        if (address.isUnresolved()) {
            return address.getHostString() + ":" + address.getPort();
        }
        String host = address.getAddress().getHostAddress();
        return (address.getAddress() instanceof Inet6Address ? "[" + host + "]" : host) + ":" + address.getPort();
    }
}
