package io.stag.rnic.transport;

import io.stag.rnic.mpa.Splices;
import io.stag.rnic.mpa.StagingBuffer;
import java.io.IOException;
import java.lang.ref.Reference;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/** A TCP connection through system calls. */
final class LinuxStream implements GatheringStream {
    private static final System.Logger LOG = System.getLogger(LinuxStream.class.getName());
    private static final int LEAST_GATHERED = 4096;
    private static final int DEFAULT_SEGMENT_SIZE = 1448; // Ethernet, IPv4, time stamps

    private final LinuxSocket socket;
    private final InetSocketAddress remote;
    private @Nullable InetSocketAddress local;
    private @Nullable Epoll epoll;
    private Epoll.@Nullable Watch watch;
    private @Nullable MessageHeader header;
    private int interest;
    private boolean connected;
    private boolean inputEnded;
    private int failure; // of connecting or reading, a negative error number: the kernel tells it once, we always

    LinuxStream(LinuxSocket socket, InetSocketAddress remote, boolean connected) {
        this.socket = socket;
        this.remote = remote;
        this.connected = connected;
    }

    /** Until {@link #finishConnect} says true, what is awaited is that the stream can be written. */
    void watch(Epoll newEpoll, MessageHeader newHeader, boolean connecting, Transport.ReadyHandler handler)
            throws IOException {
        release();
        header = newHeader;
        interest = connecting ? Epoll.OUT : Epoll.IN;
        watch = newEpoll.add(socket.descriptor(), interest, handler);
        epoll = newEpoll;
    }

    @Override
    public boolean finishConnect() throws IOException {
        if (failure != 0) {
            throw Errno.failure("connect", failure);
        }
        if (!connected) {
            failure = -socket.takeError();
            if (failure != 0) {
                throw Errno.failure("connect", failure);
            }
            connected = socket.hasPeer();
        }
        if (connected) {
            awaitWritable(false);
        }
        return connected;
    }

    @Override
    public int read(StagingBuffer into) throws IOException {
        int room = into.room();
        if (room == 0) {
            return 0;
        }
        if (failure != 0) {
            throw Errno.failure("recv", failure);
        }
        int count;
        try {
            // from here, so that the JIT inlines all of it: what it does not see is allocated for each call
            count = Libc.recv(socket.state(), socket.descriptor(), into.address() + into.end(), room);
        } finally {
            Reference.reachabilityFence(into);
        }
        if (count > 0) {
            into.append(count);
            return count;
        }
        if (count == 0) {
            inputEnded = true;
            awaitInterest(interest & ~Epoll.IN); // which would be reported again and again
            return -1;
        }
        if (count != -Errno.EAGAIN && count != -Errno.EINTR) {
            failure = count;
            throw Errno.failure("recv", count);
        }
        return 0;
    }

    private MessageHeader places() {
        MessageHeader places = header;
        if (places == null) {
            throw new IllegalStateException("no transport watches the stream");
        }
        places.clear();
        return places;
    }

    @Override
    public int write(StagingBuffer from) throws IOException {
        int total = 0;
        boolean goesOn = true;
        while (goesOn && from.size() > 0) {
            int length = from.untilBreak();
            int count = send(from, length);
            from.consume(count);
            total += count;
            goesOn = count == length;
        }
        return total;
    }

    private int send(StagingBuffer from, int length) throws IOException {
        int count;
        try {
            count = socket.send(from.address() + from.start(), length, from.hasBreak());
        } finally {
            Reference.reachabilityFence(from);
        }
        return count == -Errno.EAGAIN || count == -Errno.EINTR ? 0 : Errno.check("send", count);
    }

    @Override
    public int leastGathered() {
        return LEAST_GATHERED;
    }

    @Override
    public int write(StagingBuffer from, Splices splices) throws IOException {
        MessageHeader places = places();
        long staging = from.address();
        int at = from.start();
        for (int i = 0; i < splices.count(); i++) {
            places.add(staging + at, splices.position(i) - at);
            places.add(splices.address(i), splices.length(i));
            at = splices.position(i);
        }
        places.add(staging + at, from.end() - at);
        int count;
        try {
            count = socket.send(places, splices);
        } catch (IllegalStateException e) {
            if (splices.firstGone() < splices.count()) {
                return GONE;
            }
            throw e;
        } finally {
            Reference.reachabilityFence(from);
        }
        return count == -Errno.EAGAIN || count == -Errno.EINTR ? 0 : Errno.check("sendmsg", count);
    }

    @Override
    public void awaitWritable(boolean wanted) {
        awaitInterest((inputEnded ? 0 : Epoll.IN) | (wanted ? Epoll.OUT : 0));
    }

    private void awaitInterest(int newInterest) {
        if (epoll != null && watch != null && interest != newInterest) {
            epoll.change(watch, newInterest);
            interest = newInterest;
        }
    }

    @Override
    public void pollsInput(boolean polled) {
        if (epoll != null && watch != null) {
            epoll.polled(watch, polled);
        }
    }

    @Override
    public void finishOutput() throws IOException {
        socket.shutdownOutput();
    }

    @Override
    public void close() {
        if (socket.isOpen() && connected) {
            try {
                // with input unread, closing alone would reset, and the peer might miss what was written
                socket.shutdownOutput();
            } catch (IOException e) {
                LOG.log(System.Logger.Level.DEBUG, "closing the stream to " + remote, e);
            }
        }
        closeSocket();
    }

    @Override
    public void abort() {
        if (socket.isOpen()) {
            try {
                socket.resetOnClose();
            } catch (IOException e) {
                LOG.log(System.Logger.Level.DEBUG, "resetting the stream to " + remote, e);
            }
        }
        closeSocket();
    }

    private void closeSocket() {
        release();
        socket.close();
    }

    @Override
    public void release() {
        if (epoll != null && watch != null) {
            epoll.remove(watch);
        }
        epoll = null;
        watch = null;
        header = null;
    }

    @Override
    public int segmentSize() {
        try {
            return socket.segmentSize();
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "segment size of the stream to " + remote, e);
            return DEFAULT_SEGMENT_SIZE;
        }
    }

    @Override
    public InetSocketAddress localAddress() {
        if (local != null) {
            return local;
        }
        try {
            InetSocketAddress now = socket.localAddress();
            if (connected) {
                local = now;
            }
            return now;
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "local address of a closed stream", e);
            return new InetSocketAddress(0);
        }
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return remote;
    }
}
