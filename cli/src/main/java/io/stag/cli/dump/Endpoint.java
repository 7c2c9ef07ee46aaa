package io.stag.cli.dump;

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
