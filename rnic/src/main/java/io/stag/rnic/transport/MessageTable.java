package io.stag.rnic.transport;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import io.stag.rnic.datagram.DatagramAddress;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * An array of {@code mmsghdr}, each with one {@code iovec}, room for an address and for one control message, as
 * {@code sendmmsg} and {@code recvmmsg} take it. The layouts are those of x86-64 and aarch64.
 */
final class MessageTable {
    private static final long HEADER = 64;
    private static final long NAME_LENGTH = 8;
    private static final long CONTROL = 32;
    private static final long CONTROL_LENGTH = 40;
    private static final long MESSAGE_LENGTH = 56;
    private static final long PLACE = 16;
    private static final long NAME = 32;
    private static final int IPV4_NAME = 16;
    private static final int IPV6_NAME = 28;
    private static final long CONTROL_ROOM = 32;
    private static final long CONTROL_LEVEL = 8;
    private static final long CONTROL_TYPE = 12;
    private static final long CONTROL_DATA = 16;
    private static final ValueLayout.OfShort NETWORK_SHORT = JAVA_SHORT.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfInt NETWORK_INT = JAVA_INT.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfLong NETWORK_LONG = JAVA_LONG.withOrder(ByteOrder.BIG_ENDIAN);

    private final MemorySegment memory;
    private final long places;
    private final long names;
    private final long controls;

    /** Memory that is freed when it is no longer reachable. */
    MessageTable(int messages) {
        places = messages * HEADER;
        names = places + messages * PLACE;
        controls = names + messages * NAME;
        memory = Arena.ofAuto().allocate(controls + messages * CONTROL_ROOM, HEADER);
        for (int i = 0; i < messages; i++) {
            long header = i * HEADER;
            memory.set(JAVA_LONG, header, memory.address() + names + i * NAME);
            memory.set(JAVA_LONG, header + 16, memory.address() + places + i * PLACE);
            memory.set(JAVA_LONG, header + 24, 1);
            memory.set(JAVA_LONG, header + CONTROL, memory.address() + controls + i * CONTROL_ROOM);
        }
    }

    /** Where message {@code index} is. */
    long address(int index) {
        return memory.address() + index * HEADER;
    }

    /** Sets where the octets of a message are. */
    void place(int index, long address, long length) {
        memory.set(JAVA_LONG, places + index * PLACE, address);
        memory.set(JAVA_LONG, places + index * PLACE + Long.BYTES, length);
    }

    /** Makes a message ready to be received: room for an address, and for a control message. */
    void expect(int index) {
        long header = index * HEADER;
        memory.set(JAVA_INT, header + NAME_LENGTH, IPV6_NAME);
        memory.set(JAVA_LONG, header + CONTROL_LENGTH, CONTROL_ROOM);
    }

    /** Notes octets that were received, where the kernel gave them in another way. */
    void received(int index, int octets) {
        memory.set(JAVA_INT, index * HEADER + MESSAGE_LENGTH, octets);
    }

    /** Octets that were received. */
    int received(int index) {
        return memory.get(JAVA_INT, index * HEADER + MESSAGE_LENGTH);
    }

    /** Octets of each datagram that the kernel joined to this message, or 0 when it did not. */
    int joinedLength(int index) {
        long control = controls + index * CONTROL_ROOM;
        if (memory.get(JAVA_LONG, index * HEADER + CONTROL_LENGTH) < CONTROL_DATA + Integer.BYTES
                || memory.get(JAVA_INT, control + CONTROL_LEVEL) != DatagramCalls.SOL_UDP
                || memory.get(JAVA_INT, control + CONTROL_TYPE) != DatagramCalls.UDP_GRO) {
            return 0;
        }
        return memory.get(JAVA_INT, control + CONTROL_DATA);
    }

    boolean isIpv4(int index) {
        return memory.get(JAVA_SHORT, names + index * NAME) == Libc.AF_INET;
    }

    /** First half of the address of a received message. */
    long high(int index) {
        return isIpv4(index) ? 0 : memory.get(NETWORK_LONG, names + index * NAME + 8);
    }

    /** Second half of the address of a received message. */
    long low(int index) {
        long name = names + index * NAME;
        return isIpv4(index)
                ? DatagramAddress.ipv4Low(memory.get(NETWORK_INT, name + 4))
                : memory.get(NETWORK_LONG, name + 16);
    }

    /** Port of a received message. */
    int port(int index) {
        return Short.toUnsignedInt(memory.get(NETWORK_SHORT, names + index * NAME + 2));
    }

    /** Interface of a received message from a link-local address. */
    int scope(int index) {
        return isIpv4(index) ? 0 : memory.get(JAVA_INT, names + index * NAME + 24);
    }

    /** Sets where a message goes, for a socket of {@code family}. */
    void destination(int index, DatagramAddress to, int family) {
        long name = names + index * NAME;
        memory.set(JAVA_SHORT, name, (short) family);
        memory.set(NETWORK_SHORT, name + 2, (short) to.port());
        if (family == Libc.AF_INET) {
            memory.set(NETWORK_INT, name + 4, (int) to.low());
            memory.set(JAVA_LONG, name + 8, 0);
        } else {
            memory.set(JAVA_INT, name + 4, 0);
            memory.set(NETWORK_LONG, name + 8, to.high());
            memory.set(NETWORK_LONG, name + 16, to.low());
            memory.set(JAVA_INT, name + 24, to.scope());
        }
        memory.set(JAVA_INT, index * HEADER + NAME_LENGTH, family == Libc.AF_INET ? IPV4_NAME : IPV6_NAME);
    }

    /** Where the address of a message is. */
    long nameAddress(int index) {
        return memory.address() + names + index * NAME;
    }

    /** Where the length of the address of a message is. */
    long nameLengthAddress(int index) {
        return address(index) + NAME_LENGTH;
    }

    /** Octets of the address of a message. */
    int nameLength(int index) {
        return memory.get(JAVA_INT, index * HEADER + NAME_LENGTH);
    }

    /** Asks the kernel to cut a message into datagrams of this length, or not to cut it when 0. */
    void cut(int index, int length) {
        long header = index * HEADER;
        if (length == 0) {
            memory.set(JAVA_LONG, header + CONTROL_LENGTH, 0);
            return;
        }
        long control = controls + index * CONTROL_ROOM;
        memory.set(JAVA_LONG, control, CONTROL_DATA + Short.BYTES);
        memory.set(JAVA_INT, control + CONTROL_LEVEL, DatagramCalls.SOL_UDP);
        memory.set(JAVA_INT, control + CONTROL_TYPE, DatagramCalls.UDP_SEGMENT);
        memory.set(JAVA_LONG, control + CONTROL_DATA, 0);
        memory.set(JAVA_SHORT, control + CONTROL_DATA, (short) length);
        memory.set(JAVA_LONG, header + CONTROL_LENGTH, CONTROL_DATA + Long.BYTES);
    }
}
