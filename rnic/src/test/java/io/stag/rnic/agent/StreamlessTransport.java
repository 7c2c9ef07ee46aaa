package io.stag.rnic.agent;

import io.stag.rnic.transport.Transport;
import io.stag.rnic.transport.TransportListener;
import io.stag.rnic.transport.TransportStream;
import java.net.InetSocketAddress;

/** A transport that brings no streams: tests decide what its selector reports. */
abstract class StreamlessTransport implements Transport {
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
