package io.stag.rnic.transport;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import io.stag.rnic.mpa.Splices;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.UnresolvedAddressException;
import org.jspecify.annotations.Nullable;

/**
 * A socket that never blocks, and the owner of its descriptor: after {@link #close} every method fails, and the number,
 * which the kernel may have given to somebody else, is not used again. Used by one thread at a time; streams and listeners
 * see to that with their agent's lock.
 */
final class LinuxSocket {
    private static final System.Logger LOG = System.getLogger(LinuxSocket.class.getName());
    private static final int CLOSED = -1;

    private final MemorySegment state;
    private int descriptor;
    private int family; // of a socket that we opened
    private @Nullable TcpInfo info;

    LinuxSocket(int descriptor) {
        this.descriptor = descriptor;
        state = Libc.newState();
    }

    /** A socket to reach {@code remote} with. */
    static LinuxSocket openFor(InetSocketAddress remote) throws IOException {
        return open(family(remote), Libc.SOCK_STREAM);
    }

    /** A socket to listen with; one for the wildcard address takes IPv4 and IPv6, where there is IPv6. */
    static LinuxSocket openAndBind(InetSocketAddress local) throws IOException {
        LinuxSocket socket = openAt(local, Libc.SOCK_STREAM);
        try {
            socket.set(Libc.SOL_SOCKET, Libc.SO_REUSEADDR, 1);
            socket.bind(local);
            return socket;
        } catch (IOException | RuntimeException e) {
            socket.close();
            throw e;
        }
    }

    /** A socket that can be bound to {@code local}; one for the wildcard address takes IPv4 and IPv6, where there is IPv6. */
    static LinuxSocket openAt(InetSocketAddress local, int type) throws IOException {
        int family = family(local);
        if (local.getAddress().isAnyLocalAddress() && !Boolean.getBoolean("java.net.preferIPv4Stack")) {
            LinuxSocket dual = openDual(type);
            return dual != null ? dual : open(Libc.AF_INET, type);
        }
        return open(family, type);
    }

    void bind(InetSocketAddress local) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            Errno.check("bind", Libc.bind(state, descriptor(), SocketAddresses.encode(local, family, arena)));
        }
    }

    /** {@code AF_INET} or {@code AF_INET6}. */
    int family() {
        return family;
    }

    private static int family(InetSocketAddress address) {
        if (address.isUnresolved()) {
            throw new UnresolvedAddressException();
        }
        return address.getAddress() instanceof Inet6Address ? Libc.AF_INET6 : Libc.AF_INET;
    }

    private static @Nullable LinuxSocket openDual(int type) throws IOException {
        int result = Libc.socket(Libc.newState(), Libc.AF_INET6, type);
        return result == -Errno.EAFNOSUPPORT ? null : configured(Errno.check("socket", result), Libc.AF_INET6);
    }

    /** A socket of a family. */
    static LinuxSocket open(int family, int type) throws IOException {
        return configured(Errno.check("socket", Libc.socket(Libc.newState(), family, type)), family);
    }

    private static LinuxSocket configured(int descriptor, int family) throws IOException {
        LinuxSocket socket = new LinuxSocket(descriptor);
        socket.family = family;
        try {
            if (family == Libc.AF_INET6) {
                socket.set(Libc.IPPROTO_IPV6, Libc.IPV6_V6ONLY, 0); // the default is the administrator's
            }
            return socket;
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    /** The number, for a call to be made now. */
    int descriptor() throws ClosedChannelException {
        if (descriptor == CLOSED) {
            throw new ClosedChannelException();
        }
        return descriptor;
    }

    boolean isOpen() {
        return descriptor != CLOSED;
    }

    void listen(int backlog) throws IOException {
        Errno.check("listen", Libc.listen(state, descriptor(), backlog));
    }

    /** The next peer's socket and address, or null when none waits. */
    @Nullable
    Accepted accept() throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment address = arena.allocate(SocketAddresses.LARGEST, Integer.BYTES);
            MemorySegment length = arena.allocateFrom(JAVA_INT, SocketAddresses.LARGEST);
            int result;
            do {
                result = Libc.accept(state, descriptor(), address, length);
            } while (result == -Errno.EINTR || result == -Errno.ECONNABORTED); // that peer gave up: the next one
            if (result == -Errno.EAGAIN) {
                return null;
            }
            LinuxSocket socket = new LinuxSocket(Errno.check("accept", result));
            try {
                return new Accepted(socket, SocketAddresses.decode(address));
            } catch (IOException | RuntimeException e) {
                socket.close();
                throw e;
            }
        }
    }

    record Accepted(LinuxSocket socket, InetSocketAddress remote) {}

    /** Begins to connect. @return true when that was all; otherwise the attempt goes on */
    boolean connect(InetSocketAddress remote) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment address = SocketAddresses.encode(remote, family(remote), arena);
            int result = Libc.connect(state, descriptor(), address);
            if (result == -Errno.EINPROGRESS || result == -Errno.EINTR) { // interrupted, it goes on all the same
                return false;
            }
            Errno.check("connect", result);
            return true;
        }
    }

    /** A UDP socket forgets its peer, and the source address too if that was chosen for the peer. */
    void disconnect() throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment unspecified = arena.allocate(SocketAddresses.LARGEST, Integer.BYTES);
            Errno.check("connect", Libc.connect(state, descriptor(), unspecified));
        }
    }

    /** The error that was met outside of a call, which is then forgotten; 0 when there is none. */
    int takeError() throws IOException {
        return get(Libc.SOL_SOCKET, Libc.SO_ERROR);
    }

    /** False while an attempt to connect goes on, or when it failed. */
    boolean hasPeer() throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment address = arena.allocate(SocketAddresses.LARGEST, Integer.BYTES);
            MemorySegment length = arena.allocateFrom(JAVA_INT, SocketAddresses.LARGEST);
            int result = Libc.getpeername(state, descriptor(), address, length);
            if (result != -Errno.ENOTCONN) {
                Errno.check("getpeername", result);
            }
            return result == 0;
        }
    }

    /** Where calls for this socket leave their error number. */
    MemorySegment state() {
        return state;
    }

    /** Reads to memory that the caller keeps reachable. @return octets, 0 at the end of the stream, or -1 */
    int receive(long address, int length) throws ClosedChannelException {
        return Libc.recv(descriptor(), address, length);
    }

    /** The same. @return octets, 0 at the end of the stream, or a negative error number */
    int receiveOrWhy(long address, int length) throws ClosedChannelException {
        return Libc.recv(state, descriptor(), address, length);
    }

    /**
     * Writes from memory that the caller keeps reachable.
     *
     * @param endOfSegment whether what is written later must begin another TCP segment
     * @return octets, or -1
     */
    int send(long address, int length, boolean endOfSegment) throws ClosedChannelException {
        return Libc.send(descriptor(), address, length, endOfSegment);
    }

    /** Writes from memory that the caller keeps reachable, and from pieces. @return octets, or -1 */
    int send(MessageHeader header, Splices splices) throws ClosedChannelException {
        try {
            return Libc.sendmsg(descriptor(), header.fill(), splices);
        } finally {
            Reference.reachabilityFence(header);
        }
    }

    /** Ends our output. @return false when there is no connection any more: the peer's reset came first */
    boolean shutdownOutput() throws IOException {
        int result = Libc.shutdown(state, descriptor(), Libc.SHUT_WR);
        if (result == -Errno.ENOTCONN) {
            return false;
        }
        Errno.check("shutdown", result);
        return true;
    }

    void noDelay() throws IOException {
        set(Libc.IPPROTO_TCP, Libc.TCP_NODELAY, 1);
    }

    /** {@link #close} then resets the connection. */
    void resetOnClose() throws IOException {
        set(Libc.SOL_SOCKET, Libc.SO_LINGER, 1, 0); // on, zero seconds
    }

    void set(int level, int name, int... value) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            Errno.check(
                    "setsockopt",
                    Libc.setsockopt(state, descriptor(), level, name, arena.allocateFrom(JAVA_INT, value)));
        }
    }

    int get(int level, int name) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment value = arena.allocate(JAVA_INT);
            MemorySegment length = arena.allocateFrom(JAVA_INT, Integer.BYTES);
            Errno.check("getsockopt", Libc.getsockopt(state, descriptor(), level, name, value, length));
            return value.get(JAVA_INT, 0);
        }
    }

    /** Like {@link #set(int, int, int...)} with a structure. @return 0, or a negative error number */
    int set(int level, int name, MemorySegment value) throws IOException {
        return Libc.setsockopt(state, descriptor(), level, name, value);
    }

    /** What the kernel says of the connection now, or null if it does not tell. */
    @Nullable
    TcpInfo info() throws IOException {
        if (info == null) {
            info = new TcpInfo();
        }
        return info.ask(descriptor()) ? info : null;
    }

    /** Payload of a segment, without the options that every segment carries. */
    int segmentSize() throws IOException {
        TcpInfo now = info();
        return now != null && now.segmentSize() > 0 ? now.segmentSize() : get(Libc.IPPROTO_TCP, Libc.TCP_MAXSEG);
    }

    InetSocketAddress localAddress() throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment address = arena.allocate(SocketAddresses.LARGEST, Integer.BYTES);
            MemorySegment length = arena.allocateFrom(JAVA_INT, SocketAddresses.LARGEST);
            Errno.check("getsockname", Libc.getsockname(state, descriptor(), address, length));
            return SocketAddresses.decode(address);
        }
    }

    void close() {
        int last = descriptor;
        descriptor = CLOSED;
        if (last != CLOSED) {
            int result = Libc.close(state, last);
            if (result < 0) {
                LOG.log(System.Logger.Level.DEBUG, "close: {0}", Libc.text(-result));
            }
        }
    }
}
