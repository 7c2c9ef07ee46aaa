package io.stag.rnic.transport;

import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketException;

/** Error numbers of Linux (x86-64 and aarch64 alike), and the exceptions that NIO throws for them. */
final class Errno {
    static final int EINTR = 4;
    static final int EIO = 5;
    static final int EAGAIN = 11;
    static final int EACCES = 13;
    static final int EINVAL = 22;
    static final int EPIPE = 32;
    static final int EMSGSIZE = 90;
    static final int ENOPROTOOPT = 92;
    static final int EAFNOSUPPORT = 97;
    static final int EADDRINUSE = 98;
    static final int EADDRNOTAVAIL = 99;
    static final int ECONNABORTED = 103;
    static final int ECONNRESET = 104;
    static final int ENOTCONN = 107;
    static final int ETIMEDOUT = 110;
    static final int ECONNREFUSED = 111;
    static final int EHOSTUNREACH = 113;
    static final int EINPROGRESS = 115;

    private Errno() {}

    /** The exception for {@code result}, a negative error number. */
    static IOException failure(String call, int result) {
        String text = call + ": " + Libc.text(-result);
        return switch (-result) {
            case ECONNREFUSED, ETIMEDOUT, ENOTCONN -> new ConnectException(text);
            case EHOSTUNREACH -> new NoRouteToHostException(text);
            case EADDRINUSE, EADDRNOTAVAIL, EACCES -> new BindException(text);
            default -> new SocketException(text);
        };
    }

    /** Passes on what is not an error. */
    static int check(String call, int result) throws IOException {
        if (result < 0) {
            throw failure(call, result);
        }
        return result;
    }
}
