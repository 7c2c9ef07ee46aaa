package io.stag.cli;

import java.net.InetSocketAddress;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads {@code HOST:PORT}, with IPv6 addresses in brackets; {@code :PORT} means any address. */
public final class Endpoints implements ITypeConverter<InetSocketAddress> {
    private static final int MAX_PORT = 65_535;

    /** For picocli. */
    public Endpoints() {}

    @Override
    public InetSocketAddress convert(String value) {
        int colon = value.lastIndexOf(':');
        if (colon < 0) {
            throw new TypeConversionException("'" + value + "' is not HOST:PORT");
        }
        int port = port(value.substring(colon + 1), value);
        String host = value.substring(0, colon);
        if (host.startsWith("[") && host.endsWith("]")) {
            host = host.substring(1, host.length() - 1);
        } else if (host.indexOf(':') >= 0) {
            throw new TypeConversionException("'" + value + "': write an IPv6 address in brackets, like [::1]:7174");
        }
        return host.isEmpty() ? new InetSocketAddress(port) : new InetSocketAddress(host, port);
    }

    private static int port(String digits, String value) {
        try {
            int port = Integer.parseInt(digits);
            if (port >= 0 && port <= MAX_PORT) {
                return port;
            }
        } catch (NumberFormatException _) {
            // the same complaint as for a number out of range
        }
        throw new TypeConversionException("'" + value + "': the port is not a number from 0 to " + MAX_PORT);
    }

    /**
     * The address as a user writes it.
     *
     * @param address an address
     */
    public static String text(InetSocketAddress address) {
        String host = address.isUnresolved()
                ? address.getHostString()
                : address.getAddress().getHostAddress();
        return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + address.getPort();
    }
}
