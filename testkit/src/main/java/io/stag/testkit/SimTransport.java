package io.stag.testkit;

import io.stag.rnic.transport.DatagramPort;
import io.stag.rnic.transport.DatagramPortOptions;
import io.stag.rnic.transport.Transport;
import io.stag.rnic.transport.TransportListener;
import io.stag.rnic.transport.TransportStream;
import io.stag.simnet.SimNetwork;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntSupplier;

/**
 * One host's streams on a simulated network. Belongs to the thread of the network.
 *
 * <p>{@link #select} never blocks, since nothing happens by itself in simulated time. When a caller wants to wait, it
 * first lets the simulation go on for a moment, so that blocking calls of a program come back as they do in real life.
 *
 * <p>Addresses are only names here: a listener at any literal address is reached by whoever connects to that address.
 * The wildcard address stands for the host's own.
 */
final class SimTransport implements Transport {

    /** Lets simulated time pass while a program waits. */
    interface Pause {
        /** Lets the next things happen, or time pass if nothing does; never beyond {@code nanos} from now. */
        void pass(long nanos);
    }

    /** What {@link #select} looks at. */
    interface Source {
        boolean isReady();

        ReadyHandler handler();
    }

    /** What an Ethernet frame leaves to UDP over IPv6. */
    private static final int UNFRAGMENTED_LENGTH = 1452;

    private final SimNetwork network;
    private final InetAddress host4;
    private final InetAddress host6;
    private final IntSupplier segmentSize;
    private final Pause pause;
    private final List<Source> sources = new ArrayList<>();

    /**
     * A host on a network.
     *
     * @param host number of the host, 0 to 255: it has the addresses 10.0.0.host and fd00::host
     * @param segmentSize payload of a TCP segment now, from which the size of FPDUs follows
     * @param pause what to do while a program waits
     */
    SimTransport(SimNetwork network, int host, IntSupplier segmentSize, Pause pause) {
        this.network = network;
        this.host4 = SimNetwork.address(host, 0).getAddress();
        this.host6 = InetAddress.ofLiteral("fd00::" + Integer.toHexString(host));
        this.segmentSize = segmentSize;
        this.pause = pause;
    }

    @Override
    public void select(long timeoutNanos, ReadySet ready) {
        if (!collect(ready) && timeoutNanos > 0) {
            pause.pass(timeoutNanos);
            collect(ready);
        }
    }

    private boolean collect(ReadySet ready) {
        boolean some = false;
        for (Source source : sources) {
            if (source.isReady()) {
                ready.add(source.handler());
                some = true;
            }
        }
        return some;
    }

    @Override
    public void wakeup() {
        // nobody sleeps
    }

    /** Always: an agent may leave out the selector for some cycles, but a cycle without progress ends a simulated instant. */
    @Override
    public boolean needsSelect() {
        return true;
    }

    @Override
    public TransportStream connect(InetSocketAddress remote, ReadyHandler handler) {
        InetAddress host = remote.getAddress() instanceof Inet6Address ? host6 : host4;
        SimTransportStream stream =
                new SimTransportStream(network.connect(new InetSocketAddress(host, 0), remote), segmentSize, false);
        stream.watch(this, handler);
        return stream;
    }

    @Override
    public TransportListener listen(InetSocketAddress address, int backlog, ReadyHandler handler) throws IOException {
        InetSocketAddress own =
                address.getAddress().isAnyLocalAddress() ? new InetSocketAddress(host4, address.getPort()) : address;
        SimTransportListener listener =
                new SimTransportListener(this, network.listen(own, backlog), segmentSize, handler);
        add(listener);
        return listener;
    }

    @Override
    public void adopt(TransportStream stream, ReadyHandler handler) {
        ((SimTransportStream) stream).watch(this, handler);
    }

    @Override
    public DatagramPort openDatagramPort(DatagramPortOptions options, ReadyHandler handler) throws IOException {
        InetSocketAddress wanted = options.address();
        InetSocketAddress own =
                wanted.getAddress().isAnyLocalAddress() ? new InetSocketAddress(host4, wanted.getPort()) : wanted;
        SimDatagramPort port = new SimDatagramPort(this, network.bind(own), UNFRAGMENTED_LENGTH, handler);
        add(port);
        return port;
    }

    @Override
    public void close() {
        sources.clear();
    }

    void add(Source source) {
        sources.add(source);
    }

    void remove(Source source) {
        sources.remove(source);
    }
}
