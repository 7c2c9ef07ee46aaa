package io.stag.rnic.transport;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
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

    private static final int MSG_DONTWAIT = 0x40;
    private static final int MSG_NOSIGNAL = 0x4000;

    // the table is passed as an address: a slice of it for every call would be an object for every call
    private static final MethodHandle RECVMMSG = Libc.call(
            "recvmmsg", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_INT, ADDRESS), Libc.ERRNO);
    private static final MethodHandle SENDMMSG =
            Libc.call("sendmmsg", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_INT), Libc.ERRNO);

    private static final MethodHandle RECVMSG =
            Libc.call("recvmsg", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_INT), Libc.ERRNO);
    private static final MethodHandle SENDTO = Libc.call(
            "sendto",
            FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_INT),
            Libc.ERRNO);

    private DatagramCalls() {}

    /** Like {@link #recvmmsg} with one message, which costs less. @return octets, or a negative error number */
    static int recvmsg(MemorySegment state, int socket, long message) {
        try {
            return Libc.result(state, (int) (long) RECVMSG.invokeExact(state, socket, message, MSG_DONTWAIT));
        } catch (Throwable e) {
            throw Libc.bug(e);
        }
    }

    /** Like {@link #sendmmsg} with one datagram, which costs less. @return octets, or a negative error number */
    static int sendto(MemorySegment state, int socket, long address, int length, long name, int nameLength) {
        try {
            long count = (long) SENDTO.invokeExact(
                    state, socket, address, (long) length, MSG_DONTWAIT | MSG_NOSIGNAL, name, nameLength);
            return Libc.result(state, (int) count);
        } catch (Throwable e) {
            throw Libc.bug(e);
        }
    }

    /** Never waits. The caller keeps the table and what it names reachable. @return messages, or a negative error number */
    static int recvmmsg(MemorySegment state, int socket, long table, int count) {
        try {
            return Libc.result(
                    state, (int) RECVMMSG.invokeExact(state, socket, table, count, MSG_DONTWAIT, MemorySegment.NULL));
        } catch (Throwable e) {
            throw Libc.bug(e);
        }
    }

    /** Never waits. The caller keeps the table and what it names reachable. @return messages, or a negative error number */
    static int sendmmsg(MemorySegment state, int socket, long table, int count) {
        try {
            return Libc.result(
                    state, (int) SENDMMSG.invokeExact(state, socket, table, count, MSG_DONTWAIT | MSG_NOSIGNAL));
        } catch (Throwable e) {
            throw Libc.bug(e);
        }
    }
}
