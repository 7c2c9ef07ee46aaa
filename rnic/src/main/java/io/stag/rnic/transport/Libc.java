package io.stag.rnic.transport;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.stag.rnic.mpa.Splices;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;

/**
 * The system calls that {@link LinuxTransport} uses, through the C library. A call returns what it returns in C, but with a
 * {@code state} a failure as the negative error number, as the kernel itself does. The state keeps that number for a moment,
 * so two threads must not use the same at once.
 *
 * <p>Constants and layouts are those of x86-64 and aarch64, which are alike but for {@link Epoll}'s event.
 */
final class Libc {
    static final int AF_UNIX = 1;
    static final int AF_INET = 2;
    static final int AF_INET6 = 10;
    static final int SOCK_STREAM = 1;
    static final int SOCK_DGRAM = 2;
    static final int SOCK_NONBLOCK = 0x800;
    static final int SOCK_CLOEXEC = 0x8_0000;
    static final int SOL_SOCKET = 1;
    static final int SO_REUSEADDR = 2;
    static final int SO_ERROR = 4;
    static final int SO_LINGER = 13;
    static final int IPPROTO_TCP = 6;
    static final int TCP_NODELAY = 1;
    static final int TCP_MAXSEG = 2;
    static final int TCP_INFO = 11;
    static final int IPPROTO_IPV6 = 41;
    static final int IPV6_V6ONLY = 26;
    static final int SHUT_WR = 1;
    static final int EPOLL_CTL_ADD = 1;
    static final int EPOLL_CTL_DEL = 2;
    static final int EPOLL_CTL_MOD = 3;

    private static final int MSG_DONTWAIT = 0x40;
    private static final int MSG_EOR = 0x80;
    private static final int MSG_NOSIGNAL = 0x4000;
    private static final int CLOEXEC_AND_NONBLOCK = 0x8_0800; // of eventfd; the same values as for sockets

    private static final Linker LINKER = Linker.nativeLinker();
    static final Linker.Option ERRNO = Linker.Option.captureCallState("errno");
    private static final StructLayout STATE = Linker.Option.captureStateLayout();
    private static final long ERRNO_OFFSET = STATE.byteOffset(MemoryLayout.PathElement.groupElement("errno"));

    // No call is "critical": that saved 0 to 8 of 190 ns, and a thread inside such a call holds up the garbage
    // collector

    // What is called again and again keeps no error number, and what fails is just -1: the JDK makes a slice of the
    // number's place for each call, which is allocated wherever the JIT does not see through the call.

    private static final FunctionDescriptor TRANSFER =
            FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT);
    private static final FunctionDescriptor WITH_ADDRESS = ints(JAVA_INT, ADDRESS, JAVA_INT);
    private static final FunctionDescriptor ASK_ADDRESS = ints(JAVA_INT, ADDRESS, ADDRESS);
    private static final FunctionDescriptor ASK_OPTION = ints(JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS, ADDRESS);
    private static final FunctionDescriptor WAIT = ints(JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT);
    private static final FunctionDescriptor CHANGE = ints(JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS);

    private static final MethodHandle RECV = call("recv", TRANSFER);
    private static final MethodHandle RECV_OR_WHY = call("recv", TRANSFER, ERRNO);
    private static final MethodHandle SEND = call("send", TRANSFER);
    private static final FunctionDescriptor MESSAGE = FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_INT);
    private static final MethodHandle SENDMSG = call(
            "sendmsg",
            MESSAGE.appendArgumentLayouts(ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS));
    private static final MethodHandle SENDMSG_OF_ONE = call("sendmsg", MESSAGE.appendArgumentLayouts(ADDRESS));
    private static final MethodHandle EPOLL_WAIT = call("epoll_wait", WAIT);
    private static final MethodHandle EPOLL_WAIT_OR_WHY = call("epoll_wait", WAIT, ERRNO);
    private static final MethodHandle EPOLL_CTL = call("epoll_ctl", CHANGE);
    private static final MethodHandle EPOLL_CTL_OR_WHY = call("epoll_ctl", CHANGE, ERRNO);
    private static final MethodHandle EVENTFD_WRITE = call("eventfd_write", ints(JAVA_INT, JAVA_LONG));
    private static final MethodHandle SOCKET = call("socket", ints(JAVA_INT, JAVA_INT, JAVA_INT), ERRNO);
    private static final MethodHandle SOCKETPAIR =
            call("socketpair", ints(JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS), ERRNO);
    private static final MethodHandle BIND = call("bind", WITH_ADDRESS, ERRNO);
    private static final MethodHandle LISTEN = call("listen", ints(JAVA_INT, JAVA_INT), ERRNO);
    private static final MethodHandle ACCEPT4 = call("accept4", ints(JAVA_INT, ADDRESS, ADDRESS, JAVA_INT), ERRNO);
    private static final MethodHandle CONNECT = call("connect", WITH_ADDRESS, ERRNO);
    private static final MethodHandle SHUTDOWN = call("shutdown", ints(JAVA_INT, JAVA_INT), ERRNO);
    private static final MethodHandle CLOSE = call("close", ints(JAVA_INT), ERRNO);
    private static final MethodHandle GETSOCKNAME = call("getsockname", ASK_ADDRESS, ERRNO);
    private static final MethodHandle GETPEERNAME = call("getpeername", ASK_ADDRESS, ERRNO);
    private static final MethodHandle SETSOCKOPT =
            call("setsockopt", ints(JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT), ERRNO);
    private static final MethodHandle GETSOCKOPT = call("getsockopt", ASK_OPTION);
    private static final MethodHandle GETSOCKOPT_OR_WHY = call("getsockopt", ASK_OPTION, ERRNO);
    private static final MethodHandle EPOLL_CREATE1 = call("epoll_create1", ints(JAVA_INT), ERRNO);
    private static final MethodHandle EVENTFD = call("eventfd", ints(JAVA_INT, JAVA_INT), ERRNO);
    private static final MethodHandle STRERROR = call("strerror", FunctionDescriptor.of(ADDRESS, JAVA_INT));

    private Libc() {}

    private static FunctionDescriptor ints(MemoryLayout... arguments) {
        return FunctionDescriptor.of(JAVA_INT, arguments);
    }

    @SuppressWarnings("restricted") // the probe has asked whether native access is allowed
    static MethodHandle call(String name, FunctionDescriptor descriptor, Linker.Option... options) {
        MemorySegment function = LINKER.defaultLookup()
                .find(name)
                .orElseThrow(() -> new UnsupportedOperationException("the C library has no " + name));
        return LINKER.downcallHandle(function, descriptor, options);
    }

    /** Memory for the error number of calls; freed when it is no longer reachable. */
    static MemorySegment newState() {
        return Arena.ofAuto().allocate(STATE);
    }

    private static int errorNumber(MemorySegment state) {
        return state.get(JAVA_INT, ERRNO_OFFSET);
    }

    static int result(MemorySegment state, int returned) {
        return returned >= 0 ? returned : -errorNumber(state);
    }

    /** A call has no way to throw: this is a bug of ours in its descriptor. */
    static IllegalStateException bug(Throwable cause) {
        if (cause instanceof Error error) {
            throw error;
        }
        return new IllegalStateException("a native call failed before it was made", cause);
    }

    /** Never waits. The caller keeps the memory reachable. @return octets, or -1 */
    static int recv(int socket, long address, int length) {
        try {
            return (int) (long) RECV.invokeExact(socket, address, (long) length, MSG_DONTWAIT);
        } catch (Throwable e) {
            throw bug(e);
        }
    }

    /** The same. @return octets, or a negative error number */
    static int recv(MemorySegment state, int socket, long address, int length) {
        try {
            long count = (long) RECV_OR_WHY.invokeExact(state, socket, address, (long) length, MSG_DONTWAIT);
            return result(state, (int) count);
        } catch (Throwable e) {
            throw bug(e);
        }
    }

    /** Never waits for the peer and raises no signal. The caller keeps the memory reachable. @return octets, or -1 */
    static int send(int socket, long address, int length, boolean endOfSegment) {
        int flags = MSG_DONTWAIT | MSG_NOSIGNAL | (endOfSegment ? MSG_EOR : 0);
        try {
            return (int) (long) SEND.invokeExact(socket, address, (long) length, flags);
        } catch (Throwable e) {
            throw bug(e);
        }
    }

    /**
     * Like {@link #send}, from several places at once.
     *
     * @param message address of a {@code msghdr}, which the caller keeps reachable, whose places are in memory that the caller
     *     keeps reachable, or in that of {@code held}
     * @param held is not closed during the call, since it is passed to it, mostly one memory; C functions do not look at
     *     arguments that they do not know
     */
    static int sendmsg(int socket, long message, Splices held) {
        int flags = MSG_DONTWAIT | MSG_NOSIGNAL;
        try {
            if (held.memories() == 1) {
                return (int) (long) SENDMSG_OF_ONE.invokeExact(socket, message, flags, held.memory(0));
            }
            return (int) (long) SENDMSG.invokeExact(
                    socket,
                    message,
                    flags,
                    held.memory(0),
                    held.memory(1),
                    held.memory(2),
                    held.memory(3),
                    held.memory(4),
                    held.memory(5),
                    held.memory(6),
                    held.memory(7));
        } catch (Throwable e) {
            throw bug(e);
        }
    }

    /** Waits. @return events, or -1 */
    static int epollWait(int epoll, MemorySegment events, int most, int timeoutMillis) {
        try {
            return (int) EPOLL_WAIT.invokeExact(epoll, events, most, timeoutMillis);
        } catch (Throwable e) {
            throw bug(e);
        }
    }

    /** The same. @return events, or a negative error number */
    static int epollWait(MemorySegment state, int epoll, MemorySegment events, int most, int timeoutMillis) {
        try {
            return result(state, (int) EPOLL_WAIT_OR_WHY.invokeExact(state, epoll, events, most, timeoutMillis));
        } catch (Throwable e) {
            throw bug(e);
        }
    }

    /** Changes what is watched. @return 0, or -1 */
    static int epollCtl(int epoll, int operation, int descriptor, MemorySegment event) {
        try {
            return (int) EPOLL_CTL.invokeExact(epoll, operation, descriptor, event);
        } catch (Throwable e) {
            throw bug(e);
        }
    }

    /** The same. @return 0, or a negative error number */
    static int epollCtl(MemorySegment state, int epoll, int operation, int descriptor, MemorySegment event) {
        try {
            return result(state, (int) EPOLL_CTL_OR_WHY.invokeExact(state, epoll, operation, descriptor, event));
        } catch (Throwable e) {
            throw bug(e);
        }
    }

    static int epollCreate(MemorySegment state) {
        try {
            return result(state, (int) EPOLL_CREATE1.invokeExact(state, SOCK_CLOEXEC));
        } catch (Throwable e) {
            throw bug(e);
        }
    }

    static int eventfd(MemorySegment state) {
        try {
            return result(state, (int) EVENTFD.invokeExact(state, 0, CLOEXEC_AND_NONBLOCK));
        } catch (Throwable e) {
            throw bug(e);
        }
    }

    /** Makes {@code eventfd} ready. @return 0, or -1 */
    static int eventfdWrite(int eventfd) {
        try {
            return (int) EVENTFD_WRITE.invokeExact(eventfd, 1L);
        } catch (Throwable e) {
            throw bug(e);
        }
    }

    /** A socket that never blocks and is not inherited by child processes. */
    static int socket(MemorySegment state, int family, int type) {
        try {
            return result(state, (int) SOCKET.invokeExact(state, family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
        } catch (Throwable e) {
            throw bug(e);
        }
    }

    /** Two connected sockets of this machine; {@code pair} takes two ints. */
    static int socketpair(MemorySegment state, MemorySegment pair) {
        try {
            int type = SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC;
            return result(state, (int) SOCKETPAIR.invokeExact(state, AF_UNIX, type, 0, pair));
        } catch (Throwable e) {
            throw bug(e);
        }
    }

    static int bind(MemorySegment state, int socket, MemorySegment address) {
        try {
            return result(state, (int) BIND.invokeExact(state, socket, address, (int) address.byteSize()));
        } catch (Throwable e) {
            throw bug(e);
        }
    }

    static int listen(MemorySegment state, int socket, int backlog) {
        try {
            return result(state, (int) LISTEN.invokeExact(state, socket, backlog));
        } catch (Throwable e) {
            throw bug(e);
        }
    }

    /** The accepted socket never blocks and is not inherited by child processes. */
    static int accept(MemorySegment state, int socket, MemorySegment address, MemorySegment length) {
        try {
            return result(
                    state, (int) ACCEPT4.invokeExact(state, socket, address, length, SOCK_NONBLOCK | SOCK_CLOEXEC));
        } catch (Throwable e) {
            throw bug(e);
        }
    }

    static int connect(MemorySegment state, int socket, MemorySegment address) {
        try {
            return result(state, (int) CONNECT.invokeExact(state, socket, address, (int) address.byteSize()));
        } catch (Throwable e) {
            throw bug(e);
        }
    }

    static int shutdown(MemorySegment state, int socket, int how) {
        try {
            return result(state, (int) SHUTDOWN.invokeExact(state, socket, how));
        } catch (Throwable e) {
            throw bug(e);
        }
    }

    /** The descriptor is gone whatever is returned (Linux frees it even when interrupted): never repeat it. */
    static int close(MemorySegment state, int descriptor) {
        try {
            return result(state, (int) CLOSE.invokeExact(state, descriptor));
        } catch (Throwable e) {
            throw bug(e);
        }
    }

    static int getsockname(MemorySegment state, int socket, MemorySegment address, MemorySegment length) {
        try {
            return result(state, (int) GETSOCKNAME.invokeExact(state, socket, address, length));
        } catch (Throwable e) {
            throw bug(e);
        }
    }

    static int getpeername(MemorySegment state, int socket, MemorySegment address, MemorySegment length) {
        try {
            return result(state, (int) GETPEERNAME.invokeExact(state, socket, address, length));
        } catch (Throwable e) {
            throw bug(e);
        }
    }

    static int setsockopt(MemorySegment state, int socket, int level, int name, MemorySegment value) {
        try {
            return result(
                    state, (int) SETSOCKOPT.invokeExact(state, socket, level, name, value, (int) value.byteSize()));
        } catch (Throwable e) {
            throw bug(e);
        }
    }

    /** Asks for an option; {@code length} has the room for it, then its length. @return 0, or -1 */
    static int getsockopt(int socket, int level, int name, MemorySegment value, MemorySegment length) {
        try {
            return (int) GETSOCKOPT.invokeExact(socket, level, name, value, length);
        } catch (Throwable e) {
            throw bug(e);
        }
    }

    /** The same. @return 0, or a negative error number */
    static int getsockopt(
            MemorySegment state, int socket, int level, int name, MemorySegment value, MemorySegment length) {
        try {
            return result(state, (int) GETSOCKOPT_OR_WHY.invokeExact(state, socket, level, name, value, length));
        } catch (Throwable e) {
            throw bug(e);
        }
    }

    /** The system's text for an error number. */
    @SuppressWarnings("restricted") // a C string of unknown length
    static String text(int errorNumber) {
        try {
            MemorySegment text = (MemorySegment) STRERROR.invokeExact(errorNumber);
            return text.address() == 0
                    ? "error " + errorNumber
                    : text.reinterpret(Long.MAX_VALUE).getString(0);
        } catch (Throwable e) {
            throw bug(e);
        }
    }
}
