package io.stag.testkit;

import io.stag.rnic.datagram.DatagramAddress;
import io.stag.rnic.datagram.DatagramInput;
import io.stag.rnic.datagram.DatagramOutput;
import io.stag.rnic.transport.DatagramPort;
import io.stag.rnic.transport.Transport;
import io.stag.simnet.ReceivedDatagram;
import io.stag.simnet.SimDatagramSocket;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A datagram socket on a simulated network. It takes entries of several datagrams, as a system that cuts them apart does,
 * and loses, delays and damages each of them on its own.
 */
final class SimDatagramPort implements DatagramPort, SimTransport.Source {
    private static final int MOST_SEGMENTS = 8;

    private final SimTransport transport;
    private final SimDatagramSocket socket;
    private final int unfragmentedLength;
    private final Transport.ReadyHandler handler;
    private boolean writableAwaited;

    SimDatagramPort(
            SimTransport transport, SimDatagramSocket socket, int unfragmentedLength, Transport.ReadyHandler handler) {
        this.transport = transport;
        this.socket = socket;
        this.unfragmentedLength = unfragmentedLength;
        this.handler = handler;
    }

    @Override
    public boolean isReady() {
        return socket.readable() || writableAwaited;
    }

    @Override
    public Transport.ReadyHandler handler() {
        return handler;
    }

    @Override
    public InetSocketAddress localAddress() {
        return socket.localAddress();
    }

    @Override
    public int unfragmentedLength() {
        return unfragmentedLength;
    }

    @Override
    public int receiveBuffer() {
        return socket.receiveBuffer();
    }

    @Override
    public int mostSegments() {
        return MOST_SEGMENTS;
    }

    @Override
    public int receive(DatagramInput into) throws IOException {
        int filled = 0;
        while (into.count() < DatagramInput.SLOTS) {
            Optional<ReceivedDatagram> received =
                    socket.receive(into.segment(), DatagramInput.offset(into.count()), DatagramInput.SLOT_LENGTH);
            if (received.isEmpty()) {
                break;
            }
            int length = received.get().length();
            DatagramAddress source = new DatagramAddress(received.get().source());
            into.add(length, length, source.high(), source.low(), source.port(), source.scope());
            filled++;
        }
        return filled;
    }

    /** Small, so that little traffic shows both ways. */
    @Override
    public int leastInPlace() {
        return 100;
    }

    @Override
    public int send(DatagramOutput from) {
        if (!from.fillHoles()) {
            return 0;
        }
        int taken = 0;
        try {
            while (taken < from.count()) {
                sendEntry(from, taken);
                taken++;
            }
        } catch (IOException e) {
            from.refuse(e);
        }
        return taken;
    }

    private void sendEntry(DatagramOutput from, int entry) throws IOException {
        InetSocketAddress destination = from.destination(entry).object();
        int end = from.offset(entry) + from.length(entry);
        int at = from.offset(entry);
        do {
            int length = Math.min(from.segmentSize(entry), end - at);
            socket.send(from.segment(), at, length, destination);
            at += length;
        } while (at < end);
    }

    @Override
    public void awaitWritable(boolean wanted) {
        writableAwaited = wanted;
    }

    @Override
    public void join(InetAddress group, @Nullable NetworkInterface network) {
        socket.join(group);
    }

    @Override
    public void leave(InetAddress group, @Nullable NetworkInterface network) {
        socket.leave(group);
    }

    @Override
    public void close() {
        transport.remove(this);
        socket.close();
    }
}
