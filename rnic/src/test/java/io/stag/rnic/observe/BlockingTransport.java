package io.stag.rnic.observe;

import io.stag.rnic.transport.Transport;
import io.stag.rnic.transport.TransportListener;
import io.stag.rnic.transport.TransportStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.CountDownLatch;

/** A transport whose select can be made to hang, while the agent holds its lock. */
final class BlockingTransport implements Transport {
    private final Transport below;
    private final CountDownLatch inside = new CountDownLatch(1);
    private final CountDownLatch released = new CountDownLatch(1);
    private volatile boolean blocking;

    BlockingTransport(Transport below) {
        this.below = below;
    }

    void block() {
        blocking = true;
    }

    void awaitBlocked() throws InterruptedException {
        inside.await();
    }

    void unblock() {
        blocking = false;
        released.countDown();
    }

    @Override
    public void select(long timeoutNanos, ReadySet ready) throws IOException {
        if (blocking) {
            inside.countDown();
            try {
                released.await();
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
        }
        below.select(timeoutNanos, ready);
    }

    @Override
    public void wakeup() {
        below.wakeup();
    }

    @Override
    public boolean needsSelect() {
        return true;
    }

    @Override
    public TransportStream connect(InetSocketAddress remote, ReadyHandler handler) throws IOException {
        return below.connect(remote, handler);
    }

    @Override
    public TransportListener listen(InetSocketAddress address, int backlog, ReadyHandler handler) throws IOException {
        return below.listen(address, backlog, handler);
    }

    @Override
    public void adopt(TransportStream stream, ReadyHandler handler) throws IOException {
        below.adopt(stream, handler);
    }

    @Override
    public void close() throws IOException {
        below.close();
    }
}
