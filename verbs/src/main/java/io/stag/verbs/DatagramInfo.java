package io.stag.verbs;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Objects;

/**
 * What a completion of a datagram queue pair tells besides the usual: where the message came from and, for a Write-Record,
 * where it was placed and which parts of it. Belongs to a {@link WorkCompletions}, whose next poll overwrites it; nothing but
 * {@link #source} allocates.
 */
public final class DatagramInfo {
    /** Octets that one bit of a validity map stands for. */
    public static final int BLOCK = 64;

    private static final long IPV4_MAPPED = 0xFFFF;
    private static final long[] NO_BITS = {};

    private long high;
    private long low;
    private int port;
    private int scope;
    private int stag;
    private long taggedOffset;
    private long messageLength;
    private long validOctets;
    private long[] bits = NO_BITS;

    /** For providers: empty. */
    public DatagramInfo() {}

    /** The first eight octets of the source's address; 0 for IPv4. */
    public long sourceHigh() {
        return high;
    }

    /** The last eight octets of the source's address; for IPv4 the last four, behind {@code 0000ffff}. */
    public long sourceLow() {
        return low;
    }

    /** Whether the source has an IPv4 address. */
    public boolean isSourceIpv4() {
        return high == 0 && low >>> Integer.SIZE == IPV4_MAPPED;
    }

    /** The port of the source. */
    public int sourcePort() {
        return port;
    }

    /** The interface of a link-local source, or 0. */
    public int sourceScope() {
        return scope;
    }

    /** The source as an object; allocates. */
    public InetSocketAddress source() {
        byte[] octets = new byte[isSourceIpv4() ? 4 : 16];
        for (int i = 0; i < octets.length; i++) {
            int shift = Byte.SIZE * (octets.length - 1 - i);
            octets[i] = (byte) (shift >= Long.SIZE ? high >>> (shift - Long.SIZE) : low >>> shift);
        }
        try {
            InetAddress address =
                    scope != 0 ? Inet6Address.getByAddress(null, octets, scope) : InetAddress.getByAddress(octets);
            return new InetSocketAddress(address, port);
        } catch (UnknownHostException e) {
            throw new IllegalStateException("an address of " + octets.length + " octets", e);
        }
    }

    /** Write-Record: the STag that it named. */
    public int stag() {
        return stag;
    }

    /** Write-Record: where in the memory of that STag its first octet belongs. */
    public long taggedOffset() {
        return taggedOffset;
    }

    /** Octets of the whole message. */
    public long messageLength() {
        return messageLength;
    }

    /** Octets of it that are in memory. */
    public long validOctets() {
        return validOctets;
    }

    /** Whether every octet of the message is in memory; always so for receives. */
    public boolean isComplete() {
        return validOctets == messageLength;
    }

    /** Whether octet {@code offset} of the message is in memory. */
    public boolean isValid(long offset) {
        Objects.checkIndex(offset, messageLength);
        return isComplete() || isSet(offset / BLOCK);
    }

    /** The first offset from {@code from} on that is in memory, or {@link #messageLength}. */
    public long nextValid(long from) {
        return next(from, true);
    }

    /** The first offset from {@code from} on that is not in memory, or {@link #messageLength}. */
    public long nextInvalid(long from) {
        return next(from, false);
    }

    private long next(long from, boolean valid) {
        Objects.checkIndex(from, messageLength + 1);
        if (isComplete()) {
            return valid ? from : messageLength;
        }
        for (long at = from; at < messageLength; at = (at / BLOCK + 1) * BLOCK) {
            if (isSet(at / BLOCK) == valid) {
                return at;
            }
        }
        return messageLength;
    }

    private boolean isSet(long block) {
        return (bits[(int) (block / Long.SIZE)] >>> block % Long.SIZE & 1) != 0;
    }

    /** For providers: sets the source. */
    public void setSource(long newHigh, long newLow, int newPort, int newScope) {
        high = newHigh;
        low = newLow;
        port = newPort;
        scope = newScope;
    }

    /** For providers: sets what is said of the message. */
    public void setMessage(int newStag, long newTaggedOffset, long newMessageLength, long newValidOctets) {
        stag = newStag;
        taggedOffset = newTaggedOffset;
        messageLength = newMessageLength;
        validOctets = newValidOctets;
    }

    /** For providers: exchanges the array that has a bit per block of a message that is not complete. */
    @SuppressWarnings("ReferenceEquality") // only whether there is something to store
    public long[] exchangeBits(long[] newBits) {
        long[] old = bits;
        if (old != newBits) { // mostly both are none: then a look spares the garbage collector's bookkeeping of a store
            bits = newBits;
        }
        return old;
    }

    /** For providers: takes everything from {@code other}, also its array; that of this one is gone. */
    public void takeFrom(DatagramInfo other) {
        setSource(other.high, other.low, other.port, other.scope);
        setMessage(other.stag, other.taggedOffset, other.messageLength, other.validOctets);
        exchangeBits(other.exchangeBits(NO_BITS));
    }
}
