package io.stag.simnet;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * A datagram socket. Made by {@link SimNetwork#bind}. Datagrams to nobody vanish; a datagram to a multicast group
 * reaches every socket with that port which has joined, the sender's own too, and each copy meets its own faults.
 */
public final class SimDatagramSocket {
    /** Octets that may wait to be received, unless told otherwise. */
    public static final int DEFAULT_RECEIVE_BUFFER = 1 << 18;

    private record Waiting(MemorySegment payload, InetSocketAddress source, InetSocketAddress destination) {
        int length() {
            return Math.toIntExact(payload.byteSize());
        }
    }

    private final SimNetwork network;
    private final InetSocketAddress address;
    private final SplittableRandom random;
    private final String name;
    private final Set<InetAddress> groups = new HashSet<>();
    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
    private final Map<InetSocketAddress, Long> lastArrivals = new HashMap<>();
    private final FaultCounts counts = new FaultCounts();
    private int receiveBufferOctets = DEFAULT_RECEIVE_BUFFER;
    private int waitingOctets;
    private boolean open = true;

    SimDatagramSocket(SimNetwork network, InetSocketAddress address, SplittableRandom random) {
        this.network = network;
        this.address = address;
        this.random = random;
        this.name = SimNetwork.text(address);
    }

    /**
     * Where this socket receives.
     *
     * @return the address, with the port that was chosen
     */
    public InetSocketAddress localAddress() {
        return address;
    }

    /**
     * Octets that may wait to be received.
     *
     * @return the limit
     */
    public int receiveBuffer() {
        return receiveBufferOctets;
    }

    /**
     * Limits what may wait to be received; what comes beyond is dropped.
     *
     * @param octets the limit
     */
    public void receiveBuffer(int octets) {
        receiveBufferOctets = octets;
    }

    /**
     * Joins a multicast group.
     *
     * @param group a multicast address
     */
    public void join(InetAddress group) {
        if (!group.isMulticastAddress()) {
            throw new IllegalArgumentException("no multicast address: " + group);
        }
        groups.add(group);
    }

    /**
     * Leaves a multicast group.
     *
     * @param group a multicast address
     */
    public void leave(InetAddress group) {
        groups.remove(group);
    }

    /**
     * Sends a datagram.
     *
     * @param source holds the payload; it is copied
     * @param offset of its first octet
     * @param length of the payload
     * @param destination a socket or a multicast group
     * @throws IOException if the payload is longer than {@link DatagramFaults#MAX_PAYLOAD} or the socket is closed
     */
    public void send(MemorySegment source, long offset, int length, InetSocketAddress destination) throws IOException {
        Objects.checkFromIndexSize(offset, length, source.byteSize());
        requireOpen();
        if (length > DatagramFaults.MAX_PAYLOAD) {
            throw new IOException("message too long: " + length + " octets");
        }
        byte[] octets = source.asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE);
        for (SimDatagramSocket receiver : network.receivers(destination)) {
            carry(octets, destination, receiver);
        }
    }

    private void carry(byte[] octets, InetSocketAddress destination, SimDatagramSocket receiver) {
        DatagramFaults faults = network.datagramFaults();
        if (octets.length > faults.mtuOctets() && !faults.fragments()) {
            inject(Fault.OVERSIZE);
            return;
        }
        int fragments = Math.max(1, Math.ceilDiv(octets.length, faults.mtuOctets()));
        for (int i = 0; i < fragments; i++) {
            if (chance(faults.lossProbability())) {
                inject(Fault.LOSS);
                return;
            }
        }
        dispatch(damage(octets, faults), destination, receiver, faults);
        if (chance(faults.duplicationProbability())) {
            inject(Fault.DUPLICATION);
            dispatch(damage(octets, faults), destination, receiver, faults);
        }
    }

    private byte[] damage(byte[] octets, DatagramFaults faults) {
        byte[] result = octets;
        if (octets.length > 0 && chance(faults.truncationProbability())) {
            inject(Fault.TRUNCATION);
            result = Arrays.copyOf(result, random.nextInt(octets.length));
        }
        if (result.length > 0 && chance(faults.corruptionProbability())) {
            inject(Fault.CORRUPTION);
            result = result.clone();
            int bit = random.nextInt(8 * result.length);
            result[bit / 8] = (byte) (result[bit / 8] ^ (1 << (bit % 8)));
        }
        return result;
    }

    private void dispatch(
            byte[] octets, InetSocketAddress destination, SimDatagramSocket receiver, DatagramFaults faults) {
        long spread = faults.maxDelayNanos() - faults.minDelayNanos();
        long delay = faults.minDelayNanos() + (spread == 0 ? 0 : random.nextLong(spread + 1));
        long nanos = network.clock().nanoTime() + delay;
        long inOrder = Math.max(nanos, lastArrivals.getOrDefault(receiver.address, 0L));
        if (faults.maxReorderNanos() > 0 && chance(faults.reorderProbability())) {
            inject(Fault.REORDERING);
            inOrder += 1 + random.nextLong(faults.maxReorderNanos());
        } else {
            lastArrivals.put(receiver.address, inOrder);
        }
        Waiting datagram = new Waiting(MemorySegment.ofArray(octets), address, destination);
        network.schedule(inOrder, () -> receiver.arrive(datagram));
    }

    private void arrive(Waiting datagram) {
        if (!open) {
            return;
        }
        if (network.isTracing()) {
            String from = SimNetwork.text(datagram.source);
            network.note(name, "gets " + datagram.length() + " from " + from);
        }
        if (waitingOctets + datagram.length() > receiveBufferOctets) {
            inject(Fault.OVERFLOW);
            return;
        }
        waitingOctets += datagram.length();
        waiting.add(datagram);
    }

    /**
     * Whether a datagram waits.
     *
     * @return true when {@link #receive} would give one
     */
    public boolean readable() {
        return !waiting.isEmpty();
    }

    /**
     * Takes the oldest datagram that waits. What does not fit into the memory is lost.
     *
     * @param target where the payload goes
     * @param offset of its first octet
     * @param length of the memory
     * @return what came, or nothing when none waits
     * @throws IOException if the socket is closed
     */
    public Optional<ReceivedDatagram> receive(MemorySegment target, long offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, target.byteSize());
        requireOpen();
        Waiting datagram = waiting.poll();
        if (datagram == null) {
            return Optional.empty();
        }
        waitingOctets -= datagram.length();
        int copied = Math.min(length, datagram.length());
        MemorySegment.copy(datagram.payload, 0, target, offset, copied);
        return Optional.of(new ReceivedDatagram(copied, datagram.length(), datagram.source, datagram.destination));
    }

    /** Gives the address free; what waits is lost. */
    public void close() {
        if (open) {
            open = false;
            waiting.clear();
            network.closed(this);
        }
    }

    /**
     * How often a fault was injected into datagrams sent by this socket; an overflow counts where it happened.
     *
     * @param fault which
     * @return the count
     */
    public long injected(Fault fault) {
        return counts.of(fault);
    }

    boolean hears(InetSocketAddress group) {
        return address.getPort() == group.getPort() && groups.contains(group.getAddress());
    }

    private void requireOpen() throws SocketException {
        if (!open) {
            throw new SocketException("closed");
        }
    }

    private boolean chance(double probability) {
        return probability > 0 && random.nextDouble() < probability;
    }

    private void inject(Fault fault) {
        counts.add(fault);
        network.count(fault);
        if (network.isTracing()) {
            network.note(name, fault.toString());
        }
    }
}
