package io.stag.rnic.transport;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import io.stag.rnic.datagram.DatagramAddress;
import io.stag.rnic.datagram.DatagramInput;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * An array of {@code mmsghdr}, each with room for an address and for one control message, and of {@code iovec}s, as
 * {@code sendmmsg} and {@code recvmmsg} take them. The layouts are those of x86-64 and aarch64.
 */
final class MessageTable {
    private static final long HEADER = 64;
    private static final long NAME_LENGTH = 8;
    private static final long PLACES = 16;
    private static final long PLACES_COUNT = 24;
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
    /** The first octets of an address, read at once: family, the only number that has its low octet first, and port. */
    private static final int FAMILY_SHIFT = 56;

    private static final ValueLayout.OfLong NETWORK_LONG = JAVA_LONG.withOrder(ByteOrder.BIG_ENDIAN);

    private final MemorySegment memory;
    private final long address;
    private final long places;
    private final long names;
    private final long controls;

    /** Memory that is freed when it is no longer reachable: for so many messages, whose octets are in so many places. */
    MessageTable(int messages, int mostPlaces) {
        places = messages * HEADER;
        names = places + mostPlaces * PLACE;
        controls = names + messages * NAME;
        memory = Arena.ofAuto().allocate(controls + messages * CONTROL_ROOM, HEADER);
        address = memory.address();
        for (int i = 0; i < messages; i++) {
            long header = i * HEADER;
            memory.set(JAVA_LONG, header, address + names + i * NAME);
            messagePlaces(i, i, 1);
            memory.set(JAVA_LONG, header + CONTROL, address + controls + i * CONTROL_ROOM);
        }
    }

    /** Where message {@code index} is. */
    long address(int index) {
        return address + index * HEADER;
    }

    /** The octets of a message are in so many places, from place {@code first} on. */
    final void messagePlaces(int index, int first, int count) {
        memory.set(JAVA_LONG, index * HEADER + PLACES, address + places + first * PLACE);
        memory.set(JAVA_LONG, index * HEADER + PLACES_COUNT, count);
    }

    /** Sets a place: that of the message with this number, unless {@link #messagePlaces} says otherwise. */
    void place(int place, long address, long length) {
        memory.set(JAVA_LONG, places + place * PLACE, address);
        memory.set(JAVA_LONG, places + place * PLACE + Long.BYTES, length);
    }

    /** Makes a message ready to be received: room for an address, and for a control message. */
    void expect(int index) {
        expectName(index);
        memory.set(JAVA_LONG, index * HEADER + CONTROL_LENGTH, CONTROL_ROOM);
    }

    /** Makes room for an address only. */
    void expectName(int index) {
        memory.set(JAVA_INT, index * HEADER + NAME_LENGTH, IPV6_NAME);
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

    /** Adds a received message, or a row of joined ones, to {@code input}, with its source. */
    void addTo(DatagramInput input, int index, int length, int segmentSize) {
        long name = names + index * NAME;
        long beginning = memory.get(NETWORK_LONG, name);
        int port = (int) (beginning >>> Integer.SIZE) & 0xFFFF;
        if (beginning >>> FAMILY_SHIFT == Libc.AF_INET) {
            input.add(length, segmentSize, 0, DatagramAddress.ipv4Low((int) beginning), port, 0);
        } else {
            long high = memory.get(NETWORK_LONG, name + 8);
            long low = memory.get(NETWORK_LONG, name + 16);
            input.add(length, segmentSize, high, low, port, memory.get(JAVA_INT, name + 24));
        }
    }

    /** Sets where a message goes, for a socket of {@code family}. */
    void destination(int index, DatagramAddress to, int family) {
        name(index, to, family);
        memory.set(JAVA_INT, index * HEADER + NAME_LENGTH, nameLength(family));
    }

    /** A message goes where its socket is connected to. */
    void noDestination(int index) {
        memory.set(JAVA_INT, index * HEADER + NAME_LENGTH, 0);
    }

    /** Sets the address of a message only. */
    void name(int index, DatagramAddress to, int family) {
        long name = names + index * NAME;
        long beginning = (long) family << FAMILY_SHIFT | (long) to.port() << Integer.SIZE;
        if (family == Libc.AF_INET) {
            memory.set(NETWORK_LONG, name, beginning | (to.low() & 0xFFFF_FFFFL)); // what follows does not count
        } else {
            memory.set(NETWORK_LONG, name, beginning);
            memory.set(NETWORK_LONG, name + 8, to.high());
            memory.set(NETWORK_LONG, name + 16, to.low());
            memory.set(JAVA_INT, name + 24, to.scope());
        }
    }

    /** Octets of an address for a socket of {@code family}. */
    static int nameLength(int family) {
        return family == Libc.AF_INET ? IPV4_NAME : IPV6_NAME;
    }

    /** Where the address of a message is. */
    long nameAddress(int index) {
        return address + names + index * NAME;
    }

    /** Where the length of the address of a message is. */
    long nameLengthAddress(int index) {
        return address(index) + NAME_LENGTH;
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
