package io.stag.simnet;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.SplittableRandom;

/**
 * A network that is a function of its seed. Belongs to one thread.
 *
 * <p>Everything that takes time is an event in one queue, ordered by virtual time and then by the order in which the
 * events were made. {@link #step()} moves the clock to the next event and lets it happen; between two steps nothing
 * changes except by the calls of the test. The usual loop lets all endpoints work until none makes progress, then
 * steps:
 *
 * <pre>{@code
 * do {
 *     while (client.doWork() + server.doWork() > 0) {}
 * } while (network.step());
 * }</pre>
 *
 * <p>An endpoint with a deadline moves time with {@link #advanceTo(long)} to the smaller of its deadline and
 * {@link #nextEventNanos()}, or puts the deadline into the queue with {@link #schedule(long, Runnable)}.
 */
public final class SimNetwork {
    /** Connections that wait to be accepted, unless told otherwise. */
    public static final int DEFAULT_BACKLOG = 128;

    private static final int FIRST_EPHEMERAL_PORT = 49_152;
    private static final int LAST_PORT = 65_535;
    private static final long FIRST_RETRY_NANOS = 1_000_000_000L;
    private static final int CONNECT_ATTEMPTS = 5;

    private final VirtualClock clock;
    private final SplittableRandom random;
    private final PriorityQueue<Event> events = new PriorityQueue<>();
    // Hash tables are only asked by key; whatever is walked through is a list.
    private final Map<InetSocketAddress, SimListener> listeners = new HashMap<>();
    private final Map<InetSocketAddress, SimDatagramSocket> sockets = new HashMap<>();
    private final List<SimDatagramSocket> socketsInOrder = new ArrayList<>();
    private final FaultCounts counts = new FaultCounts();
    private StreamFaults streamFaults;
    private DatagramFaults datagramFaults;
    private SimTrace trace = (nanos, where, what) -> {};
    private boolean tracing;
    private long sequence;
    private int nextPort = FIRST_EPHEMERAL_PORT;

    private record Event(long atNanos, long sequence, Runnable action) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            int byTime = Long.compare(atNanos, other.atNanos);
            return byTime != 0 ? byTime : Long.compare(sequence, other.sequence);
        }
    }

    /**
     * A network without anybody on it.
     *
     * @param clock the time of this network; moved by it
     * @param seed decides about every fault and delay
     * @param streamFaults for both directions of every connection, until {@link #streamFaults(StreamFaults)}
     * @param datagramFaults for every datagram, until {@link #datagramFaults(DatagramFaults)}
     */
    public SimNetwork(VirtualClock clock, long seed, StreamFaults streamFaults, DatagramFaults datagramFaults) {
        this.clock = clock;
        this.random = new SplittableRandom(seed);
        this.streamFaults = streamFaults;
        this.datagramFaults = datagramFaults;
    }

    /**
     * An address for tests: 10.0.0.{@code host}.
     *
     * @param host 0 to 255
     * @param port 0 lets the network choose
     * @return the address
     */
    public static InetSocketAddress address(int host, int port) {
        return new InetSocketAddress(InetAddress.ofLiteral("10.0.0." + host), port);
    }

    /**
     * The clock of this network.
     *
     * @return the one given to the constructor
     */
    public VirtualClock clock() {
        return clock;
    }

    /**
     * Moves the clock to the next event and lets it happen.
     *
     * @return false when there is no event
     */
    public boolean step() {
        Event event = events.poll();
        if (event == null) {
            return false;
        }
        clock.advanceTo(Math.max(clock.nanoTime(), event.atNanos));
        event.action.run();
        return true;
    }

    /**
     * When the next event happens.
     *
     * @return virtual time, {@link Long#MAX_VALUE} when there is no event
     */
    public long nextEventNanos() {
        Event event = events.peek();
        return event == null ? Long.MAX_VALUE : event.atNanos;
    }

    /**
     * Lets all events up to an instant happen, those too that they cause, and moves the clock to it.
     *
     * @param nanos the instant; not before now
     */
    public void advanceTo(long nanos) {
        while (nextEventNanos() <= nanos) {
            step();
        }
        clock.advanceTo(nanos);
    }

    /**
     * Puts an action of the test among the events.
     *
     * @param atNanos when; an instant that has passed means the next step
     * @param action what to do
     */
    public void schedule(long atNanos, Runnable action) {
        events.add(new Event(Math.max(atNanos, clock.nanoTime()), sequence++, action));
    }

    /**
     * Listens with the default back-log.
     *
     * @param address where; port 0 lets the network choose one, the wildcard address takes connections to any address
     * @return the listener
     * @throws IOException if somebody listens there already
     */
    public SimListener listen(InetSocketAddress address) throws IOException {
        return listen(address, DEFAULT_BACKLOG);
    }

    /**
     * Listens.
     *
     * @param address where; port 0 lets the network choose one, the wildcard address takes connections to any address
     * @param backlog how many connections may wait to be accepted; one more is tried again later, as TCP does
     * @return the listener
     * @throws IOException if somebody listens there already
     */
    public SimListener listen(InetSocketAddress address, int backlog) throws IOException {
        Ranges.notBelow("backlog", backlog, 1);
        InetSocketAddress local = withPort(address);
        if (listeners.containsKey(local)) {
            throw new BindException("address already in use: " + text(local));
        }
        SimListener listener = new SimListener(this, local, backlog);
        listeners.put(local, listener);
        return listener;
    }

    /**
     * Connects from 10.0.0.1 and a port that the network chooses.
     *
     * @param remote whom to
     * @return a stream that is not yet connected
     */
    public SimStream connect(InetSocketAddress remote) {
        return connect(address(1, 0), remote);
    }

    /**
     * Connects. The stream becomes connected, or {@linkplain SimStream#failed() fails} with "connection refused", when
     * the events of the handshake have happened.
     *
     * @param local where from; port 0 lets the network choose one
     * @param remote whom to
     * @return a stream that is not yet connected
     */
    public SimStream connect(InetSocketAddress local, InetSocketAddress remote) {
        requireResolved(remote);
        SimStream client = new SimStream(this, withPort(local), remote);
        SimStream server = new SimStream(this, remote, client.localAddress());
        client.join(server, random.split(), random.split(), streamFaults);
        sendSyn(client, server, 1);
        return client;
    }

    private void sendSyn(SimStream client, SimStream server, int attempt) {
        note(client.name(), "connects");
        schedule(clock.nanoTime() + client.output().drawDelay(), () -> receiveSyn(client, server, attempt));
    }

    private void receiveSyn(SimStream client, SimStream server, int attempt) {
        if (!client.isConnecting()) {
            return;
        }
        InetSocketAddress wanted = client.remoteAddress();
        SimListener listener = listeners.get(wanted);
        if (listener == null) {
            listener = listeners.get(new InetSocketAddress(wanted.getPort()));
        }
        long answerAt = clock.nanoTime() + server.output().drawDelay();
        if (listener == null) {
            schedule(answerAt, () -> client.fail(SimStream.Failure.REFUSED));
        } else if (listener.offer(server)) {
            server.opened();
            server.output().nothingArrivesBefore(answerAt);
            schedule(answerAt, () -> finishConnect(client, server));
        } else if (attempt < CONNECT_ATTEMPTS) {
            // A full back-log drops the SYN; TCP sends it again after one second, then two, four, …
            long retryAt = clock.nanoTime() + (FIRST_RETRY_NANOS << (attempt - 1));
            schedule(retryAt, () -> sendSyn(client, server, attempt + 1));
        } else {
            client.fail(SimStream.Failure.TIMED_OUT);
        }
    }

    private static void finishConnect(SimStream client, SimStream server) {
        if (client.isConnecting()) {
            client.opened();
        } else {
            server.receiveReset();
        }
    }

    /**
     * Opens a datagram socket.
     *
     * @param address where; port 0 lets the network choose one
     * @return the socket
     * @throws IOException if there is a socket already
     */
    public SimDatagramSocket bind(InetSocketAddress address) throws IOException {
        InetSocketAddress local = withPort(address);
        if (sockets.containsKey(local)) {
            throw new BindException("address already in use: " + text(local));
        }
        SimDatagramSocket socket = new SimDatagramSocket(this, local, random.split());
        sockets.put(local, socket);
        socketsInOrder.add(socket);
        return socket;
    }

    /**
     * Sets the faults of connections made from now on.
     *
     * @param faults for both directions
     */
    public void streamFaults(StreamFaults faults) {
        streamFaults = faults;
    }

    /**
     * Sets the faults of datagrams sent from now on.
     *
     * @param faults for all sockets
     */
    public void datagramFaults(DatagramFaults faults) {
        datagramFaults = faults;
    }

    /**
     * Tells somebody of everything that happens from now on.
     *
     * @param listener is called on the thread of the network
     */
    public void trace(SimTrace listener) {
        trace = listener;
        tracing = true;
    }

    /**
     * How often a fault was injected, over all streams and datagrams.
     *
     * @param fault which
     * @return the count
     */
    public long injected(Fault fault) {
        return counts.of(fault);
    }

    DatagramFaults datagramFaults() {
        return datagramFaults;
    }

    void count(Fault fault) {
        counts.add(fault);
    }

    boolean isTracing() {
        return tracing;
    }

    /** A caller that has to put a text together asks {@link #isTracing()} first. */
    void note(String where, String what) {
        trace.event(clock.nanoTime(), where, what);
    }

    void closed(SimListener listener) {
        listeners.remove(listener.localAddress(), listener);
    }

    void closed(SimDatagramSocket socket) {
        sockets.remove(socket.localAddress(), socket);
        socketsInOrder.remove(socket);
    }

    /** The sockets that a datagram reaches, in the order in which they were opened. */
    List<SimDatagramSocket> receivers(InetSocketAddress destination) {
        if (destination.getAddress().isMulticastAddress()) {
            return socketsInOrder.stream().filter(s -> s.hears(destination)).toList();
        }
        SimDatagramSocket socket = sockets.get(destination);
        if (socket == null) {
            socket = sockets.get(new InetSocketAddress(destination.getPort()));
        }
        return socket == null ? List.of() : List.of(socket);
    }

    static String text(InetSocketAddress address) {
        return address.getAddress().getHostAddress() + ":" + address.getPort();
    }

    private static void requireResolved(InetSocketAddress address) {
        if (address.isUnresolved()) {
            throw new IllegalArgumentException("unresolved address " + address);
        }
    }

    private InetSocketAddress withPort(InetSocketAddress address) {
        requireResolved(address);
        if (address.getPort() != 0) {
            return address;
        }
        InetSocketAddress candidate;
        do {
            candidate = new InetSocketAddress(address.getAddress(), nextPort);
            nextPort = nextPort == LAST_PORT ? FIRST_EPHEMERAL_PORT : nextPort + 1;
        } while (listeners.containsKey(candidate) || sockets.containsKey(candidate));
        return candidate;
    }
}
