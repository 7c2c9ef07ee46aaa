package io.stag.rnic.transport;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import io.stag.rnic.datagram.DatagramInput;
import io.stag.rnic.datagram.DatagramOutput;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import org.jspecify.annotations.Nullable;

/**
 * A UDP socket through system calls: many datagrams per call in both directions, and, where the kernel can, many datagrams
 * per message, cut and joined by it (UDP_SEGMENT since Linux 4.18, UDP_GRO since 5.0). Allocates nothing per datagram.
 */
final class LinuxDatagramPort implements DatagramPort {
    /** Least that all kernels with UDP_SEGMENT take. */
    private static final int MOST_SEGMENTS = 64;

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

    private static final int FAILED = -1;
    private static final int IPV4_REQUEST = 12;
    private static final int IPV6_REQUEST = 20;

    private final LinuxSocket socket;
    private final DatagramTables tables;
    private final Epoll epoll;
    private final Epoll.Watch watch;
    private final InetSocketAddress address;
    private final int unfragmentedLength;
    private final int receiveBuffer;
    private final boolean offload;
    private int mostSegments;
    private boolean writableAwaited;
    private boolean joins; // the kernel joins datagrams that come behind each other
    private boolean bursts; // more than one datagram came lately, so asking for many at once pays
    private int slots = DatagramInput.SLOTS; // asked for at once, fewer when datagrams are long
    private int row; // datagrams taken one by one since nothing was there
    private int alone; // datagrams that came since there was a burst
    private int failures;

    private LinuxDatagramPort(
            LinuxSocket socket,
            DatagramTables tables,
            Epoll epoll,
            Epoll.Watch watch,
            InetSocketAddress address,
            int unfragmentedLength,
            int receiveBuffer,
            boolean offload) {
        this.socket = socket;
        this.tables = tables;
        this.epoll = epoll;
        this.watch = watch;
        this.address = address;
        this.unfragmentedLength = unfragmentedLength;
        this.receiveBuffer = receiveBuffer;
        this.offload = offload;
        mostSegments = offload ? MOST_SEGMENTS : 1;
    }

    static LinuxDatagramPort open(
            Epoll epoll, DatagramTables tables, DatagramPortOptions options, Transport.ReadyHandler handler)
            throws IOException {
        LinuxSocket socket = LinuxSocket.openAt(options.address(), Libc.SOCK_DGRAM);
        try {
            configure(socket, options);
            socket.bind(options.address());
            InetSocketAddress address = socket.localAddress();
            int unfragmented = Networks.unfragmented(address.getAddress(), options.multicastNetwork());
            forbidFragments(socket, options.datagramLength() <= unfragmented);
            boolean offload = options.offload() && offloads(socket);
            Epoll.Watch watch = epoll.add(socket.descriptor(), Epoll.IN, handler);
            int buffer = socket.get(Libc.SOL_SOCKET, DatagramCalls.SO_RCVBUF) / KERNEL_SHARE;
            return new LinuxDatagramPort(socket, tables, epoll, watch, address, unfragmented, buffer, offload);
        } catch (IOException | RuntimeException e) {
            socket.close();
            throw e;
        }
    }

    private static void configure(LinuxSocket socket, DatagramPortOptions options) throws IOException {
        if (options.shared()) {
            socket.set(Libc.SOL_SOCKET, Libc.SO_REUSEADDR, 1);
            socket.set(Libc.SOL_SOCKET, DatagramCalls.SO_REUSEPORT, 1);
        }
        socket.set(Libc.SOL_SOCKET, DatagramCalls.SO_BROADCAST, options.broadcast() ? 1 : 0);
        socket.set(Libc.SOL_SOCKET, DatagramCalls.SO_RCVBUF, options.receiveBuffer());
        socket.set(Libc.SOL_SOCKET, DatagramCalls.SO_SNDBUF, options.sendBuffer());
        NetworkInterface network = options.multicastNetwork();
        // else a socket gets what any other socket of this machine has joined
        socket.set(DatagramCalls.IPPROTO_IP, DatagramCalls.IP_MULTICAST_ALL, 0);
        socket.set(DatagramCalls.IPPROTO_IP, DatagramCalls.IP_MULTICAST_TTL, options.multicastHops());
        if (network != null) {
            socket.set(DatagramCalls.IPPROTO_IP, DatagramCalls.IP_MULTICAST_IF, 0, 0, network.getIndex());
        }
        if (socket.family() == Libc.AF_INET6) {
            socket.set(Libc.IPPROTO_IPV6, DatagramCalls.IPV6_MULTICAST_ALL, 0);
            socket.set(Libc.IPPROTO_IPV6, DatagramCalls.IPV6_MULTICAST_HOPS, options.multicastHops());
            if (network != null) {
                socket.set(Libc.IPPROTO_IPV6, DatagramCalls.IPV6_MULTICAST_IF, network.getIndex());
            }
        }
    }

    private static void forbidFragments(LinuxSocket socket, boolean forbidden) throws IOException {
        int discovery = forbidden ? DatagramCalls.PMTUDISC_DO : DatagramCalls.PMTUDISC_DONT;
        socket.set(DatagramCalls.IPPROTO_IP, DatagramCalls.IP_MTU_DISCOVER, discovery);
        if (socket.family() == Libc.AF_INET6) {
            socket.set(Libc.IPPROTO_IPV6, DatagramCalls.IPV6_MTU_DISCOVER, discovery);
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

    @Override
    public InetSocketAddress localAddress() {
        return address;
    }

    @Override
    public int unfragmentedLength() {
        return unfragmentedLength;
    }

    @Override
    public int receiveBuffer() {
        return receiveBuffer;
    }

    @Override
    public int mostSegments() {
        return mostSegments;
    }

    /**
     * One datagram is taken in the cheapest way there is. When a second one waits already, many are asked for at once. When
     * many come, the kernel is told to join them: from then on every message must be asked for the length of its datagrams,
     * so that is done for as long as it pays.
     */
    @Override
    public int receive(DatagramInput into) throws IOException {
        try {
            return bursts || joins || !receiveLone(into) ? receiveMessages(into) : 1;
        } finally {
            Reference.reachabilityFence(into);
        }
    }

    /** @return false when nothing came, for a reason that is not known */
    private boolean receiveLone(DatagramInput into) throws IOException {
        MessageTable table = tables.input;
        int slot = into.count();
        table.expectName(slot);
        int octets = DatagramCalls.recvfrom(
                socket.descriptor(),
                into.address() + DatagramInput.offset(slot),
                DatagramInput.SLOT_LENGTH,
                table.nameAddress(slot),
                table.nameLengthAddress(slot));
        if (octets < 0) {
            return false;
        }
        tables.inputUsed = Math.max(tables.inputUsed, slot + 1);
        table.addTo(into, slot, octets, octets);
        into.moreMayWait();
        bursts = ++row > 1;
        return true;
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
                join(false); // nothing waits that was joined
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
        prepare(into);
        int count = DatagramCalls.recvmmsg(
                socket.state(), socket.descriptor(), table.address(first), DatagramInput.SLOTS - first);
        return count == -Errno.EAGAIN || count == -Errno.EINTR ? 0 : Errno.check("recvmmsg", count);
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

    @Override
    public int send(DatagramOutput from) throws IOException {
        int count = reachable(from);
        if (count == 0) {
            if (from.count() > 0) {
                from.refuse(new IOException("an IPv6 address cannot be reached from " + address));
            }
            return 0;
        }
        try {
            boolean lone = count == 1 && from.segments(0) == 1;
            return lone && sendLone(from) ? 1 : sendMessages(from, count, lone);
        } finally {
            Reference.reachabilityFence(from);
        }
    }

    /** Entries up to the first that the socket cannot reach. */
    private int reachable(DatagramOutput from) {
        int count = 0;
        while (count < from.count()
                && (socket.family() == Libc.AF_INET6 || from.destination(count).isIpv4())) {
            count++;
        }
        return count;
    }

    /** Like {@link #receiveLone}. @return false when it was not taken, for a reason that is not known */
    private boolean sendLone(DatagramOutput from) throws IOException {
        MessageTable table = tables.output;
        table.name(0, from.destination(0), socket.family());
        int octets = DatagramCalls.sendto(
                socket.descriptor(),
                from.address(),
                from.length(0),
                table.nameAddress(0),
                MessageTable.nameLength(socket.family()));
        return octets >= 0;
    }

    /** @param failed whether the first was tried already, and is now to be asked why it failed */
    private int sendMessages(DatagramOutput from, int count, boolean failed) throws IOException {
        MessageTable table = tables.output;
        for (int i = 0; i < count; i++) {
            table.place(i, from.address() + from.offset(i), from.length(i));
            table.destination(i, from.destination(i), socket.family());
            table.cut(i, from.segments(i) > 1 ? from.segmentSize(i) : 0);
        }
        int taken = 0;
        boolean ask = failed;
        while (taken < count) {
            int result = ask
                    ? DatagramCalls.sendmmsg(socket.state(), socket.descriptor(), table.address(taken), count - taken)
                    : DatagramCalls.sendmmsg(socket.descriptor(), table.address(taken), count - taken);
            if (result > 0) {
                taken += result;
            } else if (ask && result != -Errno.EINTR) {
                handle(result, from, taken);
                break;
            }
            ask = result <= 0; // the same again, but this time it tells why
        }
        return taken;
    }

    private void handle(int result, DatagramOutput from, int entry) {
        if (result == -Errno.EAGAIN) {
            return;
        }
        if (from.segments(entry) > 1 && (result == -Errno.EINVAL || result == -Errno.EIO)) {
            mostSegments = 1; // the way to this peer does not allow it: the same again, one by one
            return;
        }
        from.refuse(Networks.refusal(from.destination(entry), Errno.failure("sendmmsg", result)));
    }

    @Override
    public void awaitWritable(boolean wanted) {
        if (wanted != writableAwaited && socket.isOpen()) {
            writableAwaited = wanted;
            epoll.change(watch, wanted ? Epoll.IN | Epoll.OUT : Epoll.IN);
        }
    }

    @Override
    public void pollsInput(boolean polled) {
        if (socket.isOpen()) {
            epoll.polled(watch, polled);
        }
    }

    @Override
    public void join(InetAddress group, @Nullable NetworkInterface network) throws IOException {
        change(group, network, DatagramCalls.IP_ADD_MEMBERSHIP, DatagramCalls.IPV6_JOIN_GROUP);
    }

    @Override
    public void leave(InetAddress group, @Nullable NetworkInterface network) throws IOException {
        change(group, network, DatagramCalls.IP_DROP_MEMBERSHIP, DatagramCalls.IPV6_LEAVE_GROUP);
    }

    private void change(InetAddress group, @Nullable NetworkInterface network, int ipv4, int ipv6) throws IOException {
        int index = Networks.networkFor(group, network, address.getAddress()).getIndex();
        byte[] octets = group.getAddress();
        boolean isIpv4 = group instanceof Inet4Address;
        try (Arena arena = Arena.ofConfined()) {
            // ip_mreqn: group, address, interface; ipv6_mreq: group, interface
            MemorySegment request = arena.allocate(isIpv4 ? IPV4_REQUEST : IPV6_REQUEST, Integer.BYTES);
            MemorySegment.copy(octets, 0, request, JAVA_BYTE, 0, octets.length);
            request.set(JAVA_INT, request.byteSize() - Integer.BYTES, index);
            int level = isIpv4 ? DatagramCalls.IPPROTO_IP : Libc.IPPROTO_IPV6;
            Errno.check("setsockopt", socket.set(level, isIpv4 ? ipv4 : ipv6, request));
        }
    }

    @Override
    public void close() {
        if (socket.isOpen()) {
            epoll.remove(watch);
            socket.close();
        }
    }
}
