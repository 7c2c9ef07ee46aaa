package io.stag.testkit;

import io.stag.rnic.transport.Transport;
import io.stag.rnic.transport.TransportListener;
import io.stag.rnic.transport.TransportStream;
import io.stag.simnet.SimListener;
import io.stag.simnet.SimStream;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/** A place on a simulated network where peers connect. */
final class SimTransportListener implements TransportListener, SimTransport.Source {
    private final SimTransport transport;
    private final SimListener listener;
    private final IntSupplier segmentSize;
    private final Transport.ReadyHandler handler;
    private boolean peersAwaited = true;

    SimTransportListener(
            SimTransport transport, SimListener listener, IntSupplier segmentSize, Transport.ReadyHandler handler) {
        this.transport = transport;
        this.listener = listener;
        this.segmentSize = segmentSize;
        this.handler = handler;
    }

    @Override
    public boolean isReady() {
        return peersAwaited && listener.acceptable();
    }

    @Override
    public Transport.ReadyHandler handler() {
        return handler;
    }

    @Override
    public InetSocketAddress address() {
        return listener.localAddress();
    }

    @Override
    public @Nullable TransportStream accept() {
        Optional<SimStream> accepted = listener.accept();
        return accepted.isPresent() ? new SimTransportStream(accepted.get(), segmentSize, true) : null;
    }

    @Override
    public void awaitPeers(boolean wanted) {
        peersAwaited = wanted;
    }

    @Override
    public void close() {
        transport.remove(this);
        listener.close();
    }
}
