package io.stag.rnic.transport;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import io.stag.rnic.datagram.DatagramAddress;
import io.stag.rnic.datagram.DatagramInput;
import io.stag.rnic.datagram.DatagramOutput;
import io.stag.rnic.mpa.Splices;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;

/**
 * A UDP socket through system calls: many datagrams per call in both directions, and, where the kernel can, many datagrams
 * per message, cut and joined by it (UDP_SEGMENT since Linux 4.18, UDP_GRO since 5.0). Allocates nothing per datagram.
 */
final class UdpSocket {
    /** The kernel doubles the buffer it is asked for, since it counts its own needs too (socket(7)). */
    private static final int KERNEL_SHARE = 2;

    /** Datagrams that come with one call where it pays to have them joined. */
    private static final int BURST = 4;

    /** Datagrams that came alone, one after the other, until it does not pay any more. */
    private static final int CALM = 1_024;

    /** Octets that one call may bring, about: what is not taken from a cache soon has to come from memory. */
    private static final int CALL_OCTETS = 256 * 1024;

    /** Receives that failed, nearly always because nothing was there, until one is asked why. */
    private static final int FAILURES_PER_QUESTION = 256;

    /**
     * Answers that nothing waits, until a connected socket holds nothing any more that was on its way to it before. Between
     * two answers there are {@value #FAILURES_PER_QUESTION} looks: some milliseconds in all.
     */
    private static final int EMPTY_UNTIL_SETTLED = 16;

    private static final int FAILED = -1;

    private final LinuxSocket socket;
    private final DatagramTables tables;
    private final Epoll epoll;
    private final Epoll.Watch watch;
    private final boolean offload;
    private final boolean takesIpv4;
    private final DatagramAddress peer = new DatagramAddress(); // if connected
    private boolean connected;
    private boolean settled;
    private int foundEmpty; // since it was connected
    private boolean writableAwaited;
    private boolean joins; // the kernel joins datagrams that come behind each other
    private boolean bursts; // more than one datagram came lately, so asking for many at once pays
    private int slots = DatagramInput.SLOTS; // asked for at once, fewer when datagrams are long
    private int row; // datagrams taken one by one since nothing was there
    private int alone; // datagrams that came since there was a burst
    private int failures;
    private int sendError; // why the last call took fewer than it was given: a negative error number

    private UdpSocket(
            LinuxSocket socket, DatagramTables tables, Epoll epoll, boolean offload, Transport.ReadyHandler handler)
            throws IOException {
        this.socket = socket;
        this.tables = tables;
        this.epoll = epoll;
        this.offload = offload;
        // a socket for both versions of IP has the wildcard address
        takesIpv4 = socket.family() == Libc.AF_INET
                || socket.localAddress().getAddress().isAnyLocalAddress();
        watch = epoll.add(socket.descriptor(), Epoll.IN, handler);
    }

    /** A socket at the address of {@code options}. */
    static UdpSocket open(
            Epoll epoll, DatagramTables tables, DatagramPortOptions options, Transport.ReadyHandler handler)
            throws IOException {
        LinuxSocket socket = LinuxSocket.openAt(options.address(), Libc.SOCK_DGRAM);
        try {
            configure(socket, options);
            if (options.shared()) {
                socket.set(Libc.SOL_SOCKET, Libc.SO_REUSEADDR, 1);
                socket.set(Libc.SOL_SOCKET, DatagramCalls.SO_REUSEPORT, 1);
            }
            socket.set(Libc.SOL_SOCKET, DatagramCalls.SO_BROADCAST, options.broadcast() ? 1 : 0);
            socket.bind(options.address());
            return new UdpSocket(socket, tables, epoll, options.offload() && offloads(socket), handler);
        } catch (IOException | RuntimeException e) {
            socket.close();
            throw e;
        }
    }

    /**
     * Another socket at the same address to reach {@code peer} with, made like this one by {@code options}. Each must allow
     * that, and does so no longer than it takes: nobody else can get the address. Until the new one is connected, either may
     * receive a datagram.
     */
    UdpSocket openBeside(DatagramAddress peer, DatagramPortOptions options, Transport.ReadyHandler handler)
            throws IOException {
        InetSocketAddress address = localAddress();
        LinuxSocket other = LinuxSocket.open(familyOf(peer), Libc.SOCK_DGRAM);
        try {
            configure(other, options);
            socket.set(Libc.SOL_SOCKET, Libc.SO_REUSEADDR, 1);
            try {
                other.set(Libc.SOL_SOCKET, Libc.SO_REUSEADDR, 1);
                other.bind(address);
                other.set(Libc.SOL_SOCKET, Libc.SO_REUSEADDR, 0);
            } finally {
                socket.set(Libc.SOL_SOCKET, Libc.SO_REUSEADDR, 0);
            }
            return new UdpSocket(other, tables, epoll, offload, handler);
        } catch (IOException | RuntimeException e) {
            other.close();
            throw e;
        }
    }

    private static void configure(LinuxSocket socket, DatagramPortOptions options) throws IOException {
        socket.set(Libc.SOL_SOCKET, DatagramCalls.SO_RCVBUF, options.receiveBuffer());
        socket.set(Libc.SOL_SOCKET, DatagramCalls.SO_SNDBUF, options.sendBuffer());
        NetworkInterface network = options.multicastNetwork();
        takeOwnGroupsOnly(socket, DatagramCalls.IPPROTO_IP, DatagramCalls.IP_MULTICAST_ALL);
        socket.set(DatagramCalls.IPPROTO_IP, DatagramCalls.IP_MULTICAST_TTL, options.multicastHops());
        if (network != null) {
            socket.set(DatagramCalls.IPPROTO_IP, DatagramCalls.IP_MULTICAST_IF, 0, 0, network.getIndex());
        }
        if (socket.family() == Libc.AF_INET6) {
            takeOwnGroupsOnly(socket, Libc.IPPROTO_IPV6, DatagramCalls.IPV6_MULTICAST_ALL);
            socket.set(Libc.IPPROTO_IPV6, DatagramCalls.IPV6_MULTICAST_HOPS, options.multicastHops());
            if (network != null) {
                socket.set(Libc.IPPROTO_IPV6, DatagramCalls.IPV6_MULTICAST_IF, network.getIndex());
            }
        }
    }

    /** Else it gets what any other socket of this machine has joined. For IPv6 the kernel can do that since Linux 4.20. */
    private static void takeOwnGroupsOnly(LinuxSocket socket, int level, int option) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            int result = socket.set(level, option, arena.allocateFrom(JAVA_INT, 0));
            if (result != -Errno.ENOPROTOOPT) {
                Errno.check("setsockopt", result);
            }
        }
    }

    /** Whether the kernel knows how to join datagrams, and how to cut them. */
    private static boolean offloads(LinuxSocket socket) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            return socket.set(DatagramCalls.SOL_UDP, DatagramCalls.UDP_GRO, arena.allocateFrom(JAVA_INT, 0)) == 0
                    && socket.set(DatagramCalls.SOL_UDP, DatagramCalls.UDP_SEGMENT, arena.allocateFrom(JAVA_INT, 0))
                            == 0;
        }
    }

    /** Whether datagrams may leave in IP fragments. */
    void forbidFragments(boolean forbidden) throws IOException {
        int discovery = forbidden ? DatagramCalls.PMTUDISC_DO : DatagramCalls.PMTUDISC_DONT;
        socket.set(DatagramCalls.IPPROTO_IP, DatagramCalls.IP_MTU_DISCOVER, discovery);
        if (socket.family() == Libc.AF_INET6) {
            socket.set(Libc.IPPROTO_IPV6, DatagramCalls.IPV6_MTU_DISCOVER, discovery);
        }
    }

    /** The socket itself, for its options. */
    LinuxSocket options() {
        return socket;
    }

    InetSocketAddress localAddress() throws IOException {
        return socket.localAddress();
    }

    /** Octets of datagrams that may wait here. */
    int receiveBuffer() throws IOException {
        return socket.get(Libc.SOL_SOCKET, DatagramCalls.SO_RCVBUF) / KERNEL_SHARE;
    }

    /** Whether the kernel joins and cuts datagrams when it is told to. */
    boolean offloads() {
        return offload;
    }

    boolean reaches(DatagramAddress destination) {
        return destination.isIpv4() ? takesIpv4 : socket.family() == Libc.AF_INET6;
    }

    /** Whether it can be {@linkplain #connect connected} to {@code peer}. */
    boolean isOfFamily(DatagramAddress peer) {
        return socket.family() == familyOf(peer);
    }

    private static int familyOf(DatagramAddress peer) {
        return peer.isIpv4() ? Libc.AF_INET : Libc.AF_INET6;
    }

    /**
     * From now on sends to {@code newPeer} only, and receives what comes from there; what waits already is kept. When this fails,
     * the socket is not connected.
     */
    void connect(DatagramAddress newPeer) throws IOException {
        settled = false;
        foundEmpty = 0;
        if (connected) {
            connected = false;
            socket.disconnect(); // or its source address would stay as it was chosen for the former peer
        }
        socket.connect(newPeer.object());
        peer.set(newPeer);
        connected = true;
    }

    /** Whether it is connected for so long that all that comes is from its peer. */
    boolean isSettled() {
        return settled;
    }

    /**
     * Fills slots. One datagram is taken in the cheapest way there is. When a second one waits already, many are asked for at
     * once. When many come, the kernel is told to join them: from then on every message must be asked for the length of its
     * datagrams, so that is done for as long as it pays.
     *
     * @return slots filled
     */
    int receive(DatagramInput into) throws IOException {
        return bursts || joins || !receiveLone(into) ? receiveMessages(into) : 1;
    }

    /** @return false when nothing came, for a reason that is not known */
    private boolean receiveLone(DatagramInput into) throws IOException {
        if (!(settled ? receiveFromPeer(into) : receiveFromAnyone(into))) {
            return false;
        }
        into.moreMayWait();
        bursts = ++row > 1;
        return true;
    }

    /** Asking who sent a datagram is a fifteenth of the time that it takes from program to program. */
    private boolean receiveFromPeer(DatagramInput into) throws IOException {
        int octets = receiveOne(into, 0, 0);
        if (octets < 0) {
            return false;
        }
        into.add(octets, octets, peer.high(), peer.low(), peer.port(), peer.scope());
        return true;
    }

    private boolean receiveFromAnyone(DatagramInput into) throws IOException {
        MessageTable table = tables.input;
        int slot = into.count();
        table.expectName(slot);
        int octets = receiveOne(into, table.nameAddress(slot), table.nameLengthAddress(slot));
        if (octets < 0) {
            return false;
        }
        tables.inputUsed = Math.max(tables.inputUsed, slot + 1);
        table.addTo(into, slot, octets, octets);
        settled = foundEmpty >= EMPTY_UNTIL_SETTLED && into.isFrom(slot, peer);
        return true;
    }

    private int receiveOne(DatagramInput into, long name, long nameLength) throws IOException {
        return DatagramCalls.recvfrom(
                socket.descriptor(),
                into.address() + DatagramInput.offset(into.count()),
                DatagramInput.SLOT_LENGTH,
                name,
                nameLength);
    }

    private int receiveMessages(DatagramInput into) throws IOException {
        MessageTable table = tables.input;
        int first = into.count();
        boolean many = bursts;
        int count = FAILED;
        if (many || joins) {
            prepare(into);
            count = many ? receiveMany(table, first) : receiveJoined(table, first);
        }
        if (count < 0) {
            count = whyNothing(into, table, first);
        }
        if (count == 0) {
            bursts = false;
            row = 0;
            if (alone >= CALM) {
                calm();
            }
            return 0;
        }
        int longest = 1;
        for (int i = first; i < first + count; i++) {
            int length = table.received(i);
            longest = Math.max(longest, length);
            int joined = joins ? table.joinedLength(i) : 0;
            table.addTo(into, i, length, joined > 0 ? joined : length);
        }
        tables.inputUsed = first + count;
        if (many) {
            if (count == slots) {
                into.moreMayWait();
            }
            slots = Math.clamp(CALL_OCTETS / longest, 2, DatagramInput.SLOTS);
            bursts = count > 1;
            row = 1;
            if (count >= BURST) {
                join(true);
            }
        } else {
            into.moreMayWait();
            bursts = ++row > 1;
            alone = !joins || into.segmentSize(first) < into.length(first) ? 0 : alone + 1;
        }
        return count;
    }

    private int receiveMany(MessageTable table, int first) throws IOException {
        return DatagramCalls.recvmmsg(
                socket.descriptor(), table.address(first), Math.min(slots, DatagramInput.SLOTS - first));
    }

    private int receiveJoined(MessageTable table, int slot) throws IOException {
        int octets = DatagramCalls.recvmsg(socket.descriptor(), table.address(slot));
        if (octets < 0) {
            return FAILED;
        }
        table.received(slot, octets);
        return 1;
    }

    /** @return messages that came after all, or 0 */
    private int whyNothing(DatagramInput into, MessageTable table, int first) throws IOException {
        if (++failures % FAILURES_PER_QUESTION != 0) {
            return 0;
        }
        if (isEmpty()) {
            if (connected && foundEmpty < EMPTY_UNTIL_SETTLED) {
                foundEmpty++;
            }
            return 0;
        }
        prepare(into);
        int count = DatagramCalls.recvmmsg(
                socket.state(), socket.descriptor(), table.address(first), DatagramInput.SLOTS - first);
        boolean nothing = count == -Errno.EAGAIN || count == -Errno.EINTR;
        // a connected socket is told what became of datagrams it sent; others never know, and the peer may come back
        return nothing || (connected && count < 0) ? 0 : Errno.check("recvmmsg", count);
    }

    private boolean isEmpty() throws IOException {
        return DatagramCalls.waiting(socket.descriptor(), tables.waiting) == 0 && tables.waiting.get(JAVA_INT, 0) == 0;
    }

    /** Of what was joined before nobody would tell the length of its datagrams any more, so nothing may wait. */
    private void calm() throws IOException {
        join(false);
        if (!isEmpty()) {
            join(true);
        }
    }

    private void join(boolean wanted) throws IOException {
        alone = 0;
        if (joins != wanted && offload) {
            joins = wanted;
            socket.set(DatagramCalls.SOL_UDP, DatagramCalls.UDP_GRO, wanted ? 1 : 0);
        }
    }

    /** The kernel writes over what the table says of a message, so what it filled the last time is set anew. */
    private void prepare(DatagramInput into) {
        long memory = into.address();
        if (tables.inputAddress != memory) {
            for (int i = 0; i < DatagramInput.SLOTS; i++) {
                tables.input.place(i, memory + DatagramInput.offset(i), DatagramInput.SLOT_LENGTH);
            }
            tables.inputAddress = memory;
        }
        for (int i = 0; i < tables.inputUsed; i++) {
            tables.input.expect(i);
        }
        tables.inputUsed = 0;
    }

    /** Sends entries {@code first} to {@code end}. @return entries taken; if not all, {@link #sendError} says why */
    int send(DatagramOutput from, int first, int end) throws IOException {
        boolean lone =
                end - first == 1 && from.segments(first) == 1 && from.pieces().count() == 0;
        return lone && sendLone(from, first) ? 1 : sendMessages(from, first, end, lone);
    }

    /** Why fewer entries were taken than there were: a negative error number. */
    int sendError() {
        return sendError;
    }

    /** Like {@link #receiveLone}. @return false when it was not taken, for a reason that is not known */
    private boolean sendLone(DatagramOutput from, int entry) throws IOException {
        MessageTable table = tables.output;
        long name = 0;
        int nameLength = 0;
        if (!connected) { // else the kernel would look for the way all the same
            table.name(0, from.destination(entry), socket.family());
            name = table.nameAddress(0);
            nameLength = MessageTable.nameLength(socket.family());
        }
        int octets = DatagramCalls.sendto(
                socket.descriptor(), from.address() + from.offset(entry), from.length(entry), name, nameLength);
        return octets >= 0;
    }

    /** @param failed whether the first was tried already, and is now to be asked why it failed */
    private int sendMessages(DatagramOutput from, int first, int end, boolean failed) throws IOException {
        MessageTable table = tables.output;
        int count = end - first;
        int place = 0;
        for (int i = 0; i < count; i++) {
            int entry = first + i;
            place = addPlaces(table, i, place, from, entry);
            if (connected) {
                table.noDestination(i);
            } else {
                table.destination(i, from.destination(entry), socket.family());
            }
            table.cut(i, from.segments(entry) > 1 ? from.segmentSize(entry) : 0);
        }
        int taken = 0;
        boolean ask = failed;
        while (taken < count) {
            int result = call(table.address(taken), count - taken, from.pieces(), ask);
            if (result > 0) {
                taken += result;
            } else if (ask && result != -Errno.EINTR) {
                sendError = result;
                break;
            }
            ask = result <= 0; // the same again, but this time it tells why
        }
        return taken;
    }

    /** Sets where the octets of an entry are: around its pieces in the output, and in their own memory. @return the next place */
    private static int addPlaces(MessageTable table, int message, int firstPlace, DatagramOutput from, int entry) {
        Splices pieces = from.pieces();
        int place = firstPlace;
        int at = from.offset(entry);
        int end = at + from.length(entry);
        for (int i = 0; i < pieces.count(); i++) {
            int hole = pieces.position(i);
            if (hole >= at && hole < end) {
                table.place(place++, from.address() + at, hole - at);
                table.place(place++, pieces.address(i), pieces.length(i));
                at = hole + pieces.length(i);
            }
        }
        table.place(place++, from.address() + at, end - at);
        table.messagePlaces(message, firstPlace, place - firstPlace);
        return place;
    }

    /** @param ask whether to tell why nothing was taken */
    private int call(long messages, int count, Splices pieces, boolean ask) throws IOException {
        if (pieces.count() > 0) {
            return callHolding(messages, count, pieces, ask);
        }
        return ask
                ? DatagramCalls.sendmmsg(socket.state(), socket.descriptor(), messages, count)
                : DatagramCalls.sendmmsg(socket.descriptor(), messages, count);
    }

    private int callHolding(long messages, int count, Splices pieces, boolean ask) throws IOException {
        try {
            return ask
                    ? DatagramCalls.sendmmsg(socket.state(), socket.descriptor(), messages, count, pieces)
                    : DatagramCalls.sendmmsg(socket.descriptor(), messages, count, pieces);
        } catch (IllegalStateException e) {
            if (pieces.firstGone() == pieces.count()) {
                throw e;
            }
            return -Errno.EAGAIN; // who fills the output again finds out
        }
    }

    void awaitWritable(boolean wanted) {
        if (wanted != writableAwaited && socket.isOpen()) {
            writableAwaited = wanted;
            epoll.change(watch, wanted ? Epoll.IN | Epoll.OUT : Epoll.IN);
        }
    }

    void pollsInput(boolean polled) {
        if (socket.isOpen()) {
            epoll.polled(watch, polled);
        }
    }

    void close() {
        if (socket.isOpen()) {
            epoll.remove(watch);
            socket.close();
        }
    }
}
