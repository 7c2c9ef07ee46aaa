package io.stag.rnic.transport;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.stag.rnic.mpa.Splices;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** The system calls for many datagrams at once, and the options of UDP. Otherwise as {@link Libc}. */
final class DatagramCalls {
    static final int SO_BROADCAST = 6;
    static final int SO_SNDBUF = 7;
    static final int SO_RCVBUF = 8;
    static final int SO_REUSEPORT = 15;
    static final int IPPROTO_IP = 0;
    static final int IP_MTU_DISCOVER = 10;
    static final int IP_MULTICAST_IF = 32;
    static final int IP_MULTICAST_TTL = 33;
    static final int IP_ADD_MEMBERSHIP = 35;
    static final int IP_DROP_MEMBERSHIP = 36;
    static final int IP_MULTICAST_ALL = 49;
    static final int IPV6_MULTICAST_IF = 17;
    static final int IPV6_MULTICAST_HOPS = 18;
    static final int IPV6_JOIN_GROUP = 20;
    static final int IPV6_LEAVE_GROUP = 21;
    static final int IPV6_MTU_DISCOVER = 23;
    static final int IPV6_MULTICAST_ALL = 29;
    static final int PMTUDISC_DONT = 0;
    static final int PMTUDISC_DO = 2;
    static final int SOL_UDP = 17;
    static final int UDP_SEGMENT = 103;
    static final int UDP_GRO = 104;

    private static final long FIONREAD = 0x541B;
    private static final int MSG_DONTWAIT = 0x40;
    private static final int MSG_NOSIGNAL = 0x4000;

    // As in Libc, what is called again and again keeps no error number. Two calls tell why others failed.
    private static final MethodHandle RECVFROM = Libc.call(
            "recvfrom",
            FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle RECVMSG =
            Libc.call("recvmsg", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_INT));
    private static final FunctionDescriptor RECEIVE_MANY =
            FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_LONG);
    private static final MethodHandle RECVMMSG = Libc.call("recvmmsg", RECEIVE_MANY);
    private static final MethodHandle RECVMMSG_OR_WHY = Libc.call("recvmmsg", RECEIVE_MANY, Libc.ERRNO);
    private static final MethodHandle IOCTL = Libc.call(
            "ioctl", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, ADDRESS), Linker.Option.firstVariadicArg(2));
    private static final MethodHandle SENDTO = Libc.call(
            "sendto", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_INT));
    private static final FunctionDescriptor SEND_MANY =
            FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_INT);
    private static final MethodHandle SENDMMSG = Libc.call("sendmmsg", SEND_MANY);
    private static final MethodHandle SENDMMSG_OR_WHY = Libc.call("sendmmsg", SEND_MANY, Libc.ERRNO);
    private static final FunctionDescriptor SEND_MANY_HOLDING =
            SEND_MANY.appendArgumentLayouts(ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS);
    private static final MethodHandle SENDMMSG_HOLDING = Libc.call("sendmmsg", SEND_MANY_HOLDING);
    private static final MethodHandle SENDMMSG_HOLDING_OR_WHY = Libc.call("sendmmsg", SEND_MANY_HOLDING, Libc.ERRNO);

    private static final int SEND_FLAGS = MSG_DONTWAIT | MSG_NOSIGNAL;
    private static final long NO_TIMEOUT = 0;

    private DatagramCalls() {}

    // None of these waits. The caller keeps the memory reachable.

    /** One datagram and its source. @return octets, or -1 */
    static int recvfrom(int socket, long address, int length, long name, long nameLength) {
        try {
            return (int) (long) RECVFROM.invokeExact(socket, address, (long) length, MSG_DONTWAIT, name, nameLength);
        } catch (Throwable e) {
            throw Libc.bug(e);
        }
    }

    /** One message of a table. @return octets, or -1 */
    static int recvmsg(int socket, long message) {
        try {
            return (int) (long) RECVMSG.invokeExact(socket, message, MSG_DONTWAIT);
        } catch (Throwable e) {
            throw Libc.bug(e);
        }
    }

    /** Many messages of a table. @return messages, or -1 */
    static int recvmmsg(int socket, long table, int count) {
        try {
            return (int) RECVMMSG.invokeExact(socket, table, count, MSG_DONTWAIT, NO_TIMEOUT);
        } catch (Throwable e) {
            throw Libc.bug(e);
        }
    }

    /** The same. @return messages, or a negative error number */
    static int recvmmsg(MemorySegment state, int socket, long table, int count) {
        try {
            return Libc.result(
                    state, (int) RECVMMSG_OR_WHY.invokeExact(state, socket, table, count, MSG_DONTWAIT, NO_TIMEOUT));
        } catch (Throwable e) {
            throw Libc.bug(e);
        }
    }

    /** Asks how long the next datagram is, or 0 if none waits. @return 0, or -1 */
    static int waiting(int socket, MemorySegment length) {
        try {
            return (int) IOCTL.invokeExact(socket, FIONREAD, length);
        } catch (Throwable e) {
            throw Libc.bug(e);
        }
    }

    /** One datagram to an address. @return octets, or -1 */
    static int sendto(int socket, long address, int length, long name, int nameLength) {
        try {
            return (int) (long) SENDTO.invokeExact(socket, address, (long) length, SEND_FLAGS, name, nameLength);
        } catch (Throwable e) {
            throw Libc.bug(e);
        }
    }

    /** Many messages of a table. @return messages, or -1 */
    static int sendmmsg(int socket, long table, int count) {
        try {
            return (int) SENDMMSG.invokeExact(socket, table, count, SEND_FLAGS);
        } catch (Throwable e) {
            throw Libc.bug(e);
        }
    }

    /** The same. @return messages, or a negative error number */
    static int sendmmsg(MemorySegment state, int socket, long table, int count) {
        try {
            return Libc.result(state, (int) SENDMMSG_OR_WHY.invokeExact(state, socket, table, count, SEND_FLAGS));
        } catch (Throwable e) {
            throw Libc.bug(e);
        }
    }

    /** Many messages of a table, some octets of which are in memory that is held meanwhile. @return messages, or -1 */
    static int sendmmsg(int socket, long table, int count, Splices held) {
        try {
            return (int) SENDMMSG_HOLDING.invokeExact(
                    socket,
                    table,
                    count,
                    SEND_FLAGS,
                    held.memory(0),
                    held.memory(1),
                    held.memory(2),
                    held.memory(3),
                    held.memory(4),
                    held.memory(5),
                    held.memory(6),
                    held.memory(7));
        } catch (Throwable e) {
            throw Libc.bug(e);
        }
    }

    /** The same. @return messages, or a negative error number */
    static int sendmmsg(MemorySegment state, int socket, long table, int count, Splices held) {
        try {
            return Libc.result(state, (int) SENDMMSG_HOLDING_OR_WHY.invokeExact(
                    state,
                    socket,
                    table,
                    count,
                    SEND_FLAGS,
                    held.memory(0),
                    held.memory(1),
                    held.memory(2),
                    held.memory(3),
                    held.memory(4),
                    held.memory(5),
                    held.memory(6),
                    held.memory(7)));
        } catch (Throwable e) {
            throw Libc.bug(e);
        }
    }
}
