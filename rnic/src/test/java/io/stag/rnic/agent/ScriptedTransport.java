package io.stag.rnic.agent;

import io.stag.rnic.transport.Transport;
import io.stag.rnic.transport.TransportListener;
import io.stag.rnic.transport.TransportStream;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;

/** A transport without streams. Whoever waits in it wakes up with the next handler that the test says is ready. */
final class ScriptedTransport implements Transport {
    private final LinkedBlockingQueue<Optional<ReadyHandler>> wakeups = new LinkedBlockingQueue<>();
    private final Runnable whileWaiting;

    ScriptedTransport(Runnable whileWaiting) {
        this.whileWaiting = whileWaiting;
    }

    void becomeReady(ReadyHandler handler) {
        wakeups.add(Optional.of(handler));
    }

    @Override
    public void select(long timeoutNanos, ReadySet ready) {
        if (timeoutNanos == 0) {
            return;
        }
        whileWaiting.run();
        try {
            wakeups.take().ifPresent(ready::add);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public void wakeup() {
        wakeups.add(Optional.empty());
    }

    @Override
    public boolean needsSelect() {
        return false;
    }

    @Override
    public TransportStream connect(InetSocketAddress remote, ReadyHandler handler) {
        throw new UnsupportedOperationException();
    }

    @Override
    public TransportListener listen(InetSocketAddress address, int backlog, ReadyHandler handler) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void adopt(TransportStream stream, ReadyHandler handler) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close() {}
}
