package io.stag.rnic.transport;

import io.stag.rnic.mpa.Splices;
import io.stag.rnic.mpa.StagingBuffer;
import java.io.IOException;
import java.lang.ref.Reference;
import java.net.InetSocketAddress;
import java.net.SocketException;
import org.jspecify.annotations.Nullable;

/** A TCP connection through system calls. */
final class LinuxStream implements GatheringStream {
    private static final System.Logger LOG = System.getLogger(LinuxStream.class.getName());
    private static final int LEAST_GATHERED = 4096;
    private static final int DEFAULT_SEGMENT_SIZE = 1448; // Ethernet, IPv4, time stamps
    /** Of so many looks for input one asks why there was none: whatever it was, it is not kept secret for ever. */
    private static final int LOOKS_PER_QUESTION = 1 << 20;

    private final LinuxSocket socket;
    private final InetSocketAddress remote;
    private @Nullable InetSocketAddress local;
    private @Nullable Epoll epoll;
    private Epoll.@Nullable Watch watch;
    private @Nullable MessageHeader header;
    private int interest;
    private boolean connected;
    private boolean inputEnded;
    private boolean outputEnded;
    private int looks;
    private int failure; // a negative error number: the kernel tells it once, we always

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
        boolean asks = outputEnded || ++looks % LOOKS_PER_QUESTION == 0;
        int count;
        try {
            long place = into.address() + into.end();
            count = asks ? socket.receiveOrWhy(place, room) : socket.receive(place, room);
        } finally {
            Reference.reachabilityFence(into);
        }
        if (count > 0) {
            into.append(count);
            return count;
        }
        if (count == 0) {
            return end();
        }
        if (asks && count != -Errno.EAGAIN && count != -Errno.EINTR) {
            failure = count;
            throw Errno.failure("recv", count);
        }
        return 0; // if the connection failed, the next look finds an end
    }

    private int end() throws IOException {
        // While we may send, the end of the peer's output leaves the connection there. If it is gone, it failed: before
        // that end, which was told to a look that did not ask; or after it, which nobody was told yet.
        TcpInfo gone = inputEnded || outputEnded ? null : gone();
        if (gone != null && socket.takeError() == 0) {
            throw lost("recv", gone);
        }
        inputEnded = true;
        awaitInterest(interest & ~Epoll.IN); // which would be reported again and again
        return -1;
    }

    /** What is known of a connection that is not there any more, or null while it is. */
    private @Nullable TcpInfo gone() throws IOException {
        TcpInfo info = socket.info();
        return info != null && info.isClosed() ? info : null;
    }

    private static IOException lost(String call, TcpInfo gone) {
        int unanswered = gone.unanswered();
        String alternative = unanswered == 0 ? "" : ", or " + unanswered + " attempts to reach it were not answered";
        return new SocketException(call + ": " + Libc.text(Errno.ECONNRESET) + alternative);
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
        return count < 0 ? nothingTaken("send") : count;
    }

    /** Finds out whether there was no room, or why there will never be any. */
    private int nothingTaken(String call) throws IOException {
        if (outputEnded) {
            throw Errno.failure(call, -Errno.EPIPE);
        }
        TcpInfo gone = gone();
        if (gone != null) {
            throw lost(call, gone);
        }
        return 0;
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
        return count < 0 ? nothingTaken("sendmsg") : count;
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
        outputEnded |= socket.shutdownOutput();
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
