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

/** A datagram port of UDP sockets through system calls: one for everybody, and a line to the peer it talks to most. */
final class LinuxDatagramPort implements DatagramPort {
    /** Least that all kernels with UDP_SEGMENT take. */
    private static final int MOST_SEGMENTS = 64;

    /**
     * Between two turns of the socket that brings less, the other is looked at so often: the first number while both bring
     * something, twice as often after each turn that was in vain, up to the second. That is as long as an agent that polls leaves
     * everybody else unasked.
     */
    private static final int FEWEST_LOOKS = 8;

    private static final int MOST_LOOKS = 64;

    /** A look that brings something counts as so many, since it takes longer. */
    private static final int BUSY_LOOK = 8;

    /** Turns at which that socket had something, and the other nothing in between, until they change places. */
    private static final int TURNS_TO_CHANGE = 2;

    /** Below, the kernel takes longer for the many places of a row than the copy takes. */
    private static final int LEAST_IN_PLACE = 16 * 1024;

    private static final int IPV4_REQUEST = 12;
    private static final int IPV6_REQUEST = 20;

    private final UdpSocket main;
    private final DirectLine line;
    private final InetSocketAddress address;
    private final int unfragmentedLength;
    private final int receiveBuffer;
    private int mostSegments;
    private boolean polled;
    private boolean lineIsFull; // of the two sockets it was the line that took nothing more
    private boolean lineIsBusy; // of the two sockets it is the line that brings more
    private int looksPerTurn = FEWEST_LOOKS;
    private int looks; // since the last turn
    private int turnsUsed;
    private boolean lull; // the last look brought something: the next message may be an answer, which takes a while

    private LinuxDatagramPort(
            UdpSocket main,
            DatagramPortOptions options,
            InetSocketAddress address,
            int unfragmentedLength,
            int receiveBuffer,
            Transport.ReadyHandler handler)
            throws IOException {
        this.main = main;
        this.address = address;
        this.unfragmentedLength = unfragmentedLength;
        this.receiveBuffer = receiveBuffer;
        boolean forbidsFragments = options.datagramLength() <= unfragmentedLength;
        main.forbidFragments(forbidsFragments);
        line = new DirectLine(main, options, forbidsFragments, handler);
        mostSegments = main.offloads() ? MOST_SEGMENTS : 1;
    }

    static LinuxDatagramPort open(
            Epoll epoll, DatagramTables tables, DatagramPortOptions options, Transport.ReadyHandler handler)
            throws IOException {
        UdpSocket main = UdpSocket.open(epoll, tables, options, handler);
        try {
            InetSocketAddress address = main.localAddress();
            int unfragmented = Networks.unfragmented(address.getAddress(), options.multicastNetwork());
            return new LinuxDatagramPort(main, options, address, unfragmented, main.receiveBuffer(), handler);
        } catch (IOException | RuntimeException e) {
            main.close();
            throw e;
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

    @Override
    public int leastInPlace() {
        return LEAST_IN_PLACE;
    }

    /** The line, which may not be there. */
    DirectLine line() {
        return line;
    }

    @Override
    public int receive(DatagramInput into) throws IOException {
        try {
            UdpSocket direct = line.socket();
            if (direct == null) {
                return main.receive(into);
            }
            return lineIsBusy ? receive(into, direct, main) : receive(into, main, direct);
        } finally {
            Reference.reachabilityFence(into);
        }
    }

    /**
     * Who polls asks the busier socket nearly always; the other has its turn first, so that it is never starved. Its turn comes
     * as much as twice as early if that is behind a message: later, the next one might have to wait for it.
     */
    private int receive(DatagramInput into, UdpSocket busy, UdpSocket other) throws IOException {
        int due = lull ? looksPerTurn / 2 : looksPerTurn;
        lull = false;
        if (++looks >= due) {
            looks = 0;
            int count = receiveFromOther(into, other);
            looksPerTurn = count > 0 ? FEWEST_LOOKS : Math.min(2 * looksPerTurn, MOST_LOOKS);
            return count > 0 ? count : receiveFromBusy(into, busy);
        }
        int count = receiveFromBusy(into, busy);
        if (count == 0 && polled) {
            into.moreMayWait();
            return 0;
        }
        return into.mayHaveMore() ? count : count + receiveFromOther(into, other);
    }

    private int receiveFromBusy(DatagramInput into, UdpSocket busy) throws IOException {
        int count = busy.receive(into);
        if (count > 0) {
            looks += BUSY_LOOK - 1;
            lull = true;
            turnsUsed = 0;
        }
        return count;
    }

    private int receiveFromOther(DatagramInput into, UdpSocket other) throws IOException {
        int count = other.receive(into);
        if (count > 0) {
            into.moreMayWait();
            if (++turnsUsed == TURNS_TO_CHANGE) {
                turnsUsed = 0;
                lineIsBusy = !lineIsBusy;
            }
        }
        return count;
    }

    @Override
    public int send(DatagramOutput from) throws IOException {
        int count = from.count();
        int taken = 0;
        boolean goesOn = true;
        try {
            while (goesOn && taken < count) {
                UdpSocket direct = line.socketTo(from.destination(taken));
                int end = taken + 1;
                while (end < count && line.socketTo(from.destination(end)) == direct) {
                    end++;
                }
                taken += direct == null ? sendFromMain(from, taken, end) : sendDirectly(direct, from, taken, end);
                goesOn = taken == end;
            }
            return taken;
        } finally {
            Reference.reachabilityFence(from);
        }
    }

    private int sendDirectly(UdpSocket direct, DatagramOutput from, int first, int end) throws IOException {
        line.used();
        int sent = direct.send(from, first, end);
        if (first + sent == end) {
            return sent;
        }
        lineIsFull = direct.sendError() == -Errno.EAGAIN;
        if (lineIsFull) {
            return sent;
        }
        line.hangUp("sendmmsg: " + Libc.text(-direct.sendError()));
        return sent + sendFromMain(from, first + sent, end);
    }

    private int sendFromMain(DatagramOutput from, int first, int end) throws IOException {
        int reachable = first;
        while (reachable < end && main.reaches(from.destination(reachable))) {
            reachable++;
        }
        if (reachable == first) {
            from.refuse(new IOException(from.destination(first).object() + " cannot be reached from " + address
                    + ", which has the other version of IP"));
            return 0;
        }
        line.consider(from.destination(first));
        int sent = main.send(from, first, reachable);
        if (first + sent < reachable) {
            lineIsFull = false;
            handle(main.sendError(), from, first + sent);
        }
        return sent;
    }

    private void handle(int error, DatagramOutput from, int entry) {
        if (error == -Errno.EAGAIN) {
            return;
        }
        if (from.segments(entry) > 1 && isRefusedRow(error)) {
            mostSegments = 1; // the way to this peer does not allow it: the same again, one by one
            return;
        }
        from.refuse(Networks.refusal(from.destination(entry), Errno.failure("sendmmsg", error)));
    }

    /** Of segments that are longer than the path's packets the kernel says EINVAL, and EMSGSIZE since Linux 6.14. */
    private static boolean isRefusedRow(int error) {
        return error == -Errno.EINVAL || error == -Errno.EMSGSIZE || error == -Errno.EIO;
    }

    @Override
    public void awaitWritable(boolean wanted) {
        UdpSocket direct = line.socket();
        boolean forLine = lineIsFull && direct != null;
        main.awaitWritable(wanted && !forLine);
        if (direct != null) {
            direct.awaitWritable(wanted && forLine);
        }
    }

    @Override
    public void pollsInput(boolean nowPolled) {
        polled = nowPolled;
        main.pollsInput(nowPolled);
        line.pollsInput(nowPolled);
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
            Errno.check("setsockopt", main.options().set(level, isIpv4 ? ipv4 : ipv6, request));
        }
    }

    @Override
    public void close() {
        line.close();
        main.close();
    }
}
