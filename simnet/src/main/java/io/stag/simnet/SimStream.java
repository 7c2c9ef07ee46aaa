package io.stag.simnet;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.util.Objects;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * One end of a connection, with the manners of a non-blocking TCP socket. Made by {@link SimNetwork#connect} and
 * {@link SimListener#accept()}.
 *
 * <p>While the connection is being made, {@link #read} and {@link #write} give 0. After a failure both throw; octets
 * and the end of the stream that arrived before a reset may still be read, unless the faults say otherwise.
 */
public final class SimStream {
    enum Failure {
        REFUSED,
        TIMED_OUT,
        RESET;

        IOException exception() {
            return switch (this) {
                case REFUSED -> new ConnectException("connection refused");
                case TIMED_OUT -> new SocketTimeoutException("connection timed out");
                case RESET -> new SocketException("connection reset");
            };
        }
    }

    private enum State {
        CONNECTING,
        OPEN,
        FAILED,
        CLOSED
    }

    private final SimNetwork network;
    private final InetSocketAddress local;
    private final InetSocketAddress remote;
    private final String name;
    private Optional<StreamPipe> input = Optional.empty();
    private Optional<StreamPipe> output = Optional.empty();
    private State state = State.CONNECTING;
    private Failure failure = Failure.RESET;
    private boolean outputShut;

    SimStream(SimNetwork network, InetSocketAddress local, InetSocketAddress remote) {
        this.network = network;
        this.local = local;
        this.remote = remote;
        this.name = SimNetwork.text(local) + ">" + SimNetwork.text(remote);
    }

    void join(SimStream peer, SplittableRandom there, SplittableRandom back, StreamFaults faults) {
        StreamPipe forward = new StreamPipe(network, this, peer, there, faults);
        StreamPipe backward = new StreamPipe(network, peer, this, back, faults);
        output = Optional.of(forward);
        input = Optional.of(backward);
        peer.output = input;
        peer.input = output;
    }

    StreamPipe output() {
        return output.orElseThrow();
    }

    StreamPipe input() {
        return input.orElseThrow();
    }

    /**
     * This end.
     *
     * @return address and port
     */
    public InetSocketAddress localAddress() {
        return local;
    }

    /**
     * The other end.
     *
     * @return address and port
     */
    public InetSocketAddress remoteAddress() {
        return remote;
    }

    /**
     * Whether the handshake is done and neither failure nor {@link #close()} nor {@link #reset()} has come.
     *
     * @return true from then on until then
     */
    public boolean isConnected() {
        return state == State.OPEN;
    }

    /**
     * Whether the connection was refused, timed out or was reset by the network or the peer.
     *
     * @return true from then on, until {@link #close()}
     */
    public boolean failed() {
        return state == State.FAILED;
    }

    /**
     * Why the connection failed.
     *
     * @return what {@link #write} would throw, or nothing when it did not fail
     */
    public Optional<IOException> failure() {
        return failed() ? Optional.of(failure.exception()) : Optional.empty();
    }

    /**
     * Whether {@link #read} would do something else than give 0.
     *
     * @return true when there are octets, the end of the stream or a failure to read
     */
    public boolean readable() {
        return switch (state) {
            case CONNECTING, CLOSED -> false;
            case OPEN -> input().available() > 0 || input().ended();
            case FAILED -> true;
        };
    }

    /**
     * Whether {@link #write} would do something else than take 0.
     *
     * @return true when the window has room, and after a failure
     */
    public boolean writable() {
        return switch (state) {
            case CONNECTING, CLOSED -> false;
            case OPEN -> !outputShut && output().space() > 0;
            case FAILED -> true;
        };
    }

    /**
     * Writes.
     *
     * @param source holds the octets; they are copied
     * @param offset of the first
     * @param length how many at most
     * @return how many were taken, 0 when the window is full
     * @throws IOException after a failure, {@link #shutdownOutput()} or {@link #close()}
     */
    public int write(MemorySegment source, long offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, source.byteSize());
        switch (state) {
            case CONNECTING -> {
                return 0;
            }
            case FAILED -> throw failure.exception();
            case CLOSED -> throw new SocketException("closed");
            case OPEN -> {
                if (outputShut) {
                    throw new SocketException("closed");
                }
            }
        }
        return output().write(source, offset, length);
    }

    /**
     * Reads.
     *
     * @param target where the octets go
     * @param offset of the first
     * @param length how many at most
     * @return how many came, 0 when there are none now, -1 at the end of the stream
     * @throws IOException after a failure ("connection reset") or {@link #close()}
     */
    public int read(MemorySegment target, long offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, target.byteSize());
        switch (state) {
            case CONNECTING -> {
                return 0;
            }
            case CLOSED -> throw new SocketException("closed");
            case OPEN -> {
                if (input().available() == 0) {
                    return input().ended() ? -1 : 0;
                }
            }
            case FAILED -> {
                if (input().available() == 0) {
                    if (input().ended()) {
                        return -1; // an end that came before the reset stays an end, as on Linux
                    }
                    throw failure.exception();
                }
            }
        }
        return input().read(target, offset, length);
    }

    /** Ends the outgoing direction behind the octets written; reading goes on. */
    public void shutdownOutput() {
        if (state == State.OPEN && !outputShut) {
            outputShut = true;
            output().sendEnd();
        }
    }

    /**
     * Gives the connection up. Octets written are still delivered, then the peer sees the end of the stream. If input
     * has arrived that was not read, or arrives later, the peer sees a reset, as with TCP.
     */
    public void close() {
        if (state == State.OPEN) {
            if (input().available() > 0) {
                reset();
                return;
            }
            shutdownOutput();
            network.note(name, "closes");
        }
        state = State.CLOSED;
    }

    /** Gives the connection up at once; the peer sees a reset, which may overtake octets under way. */
    public void reset() {
        if (state == State.OPEN) {
            network.note(name, "resets");
            output().sendReset();
        }
        state = State.CLOSED;
    }

    /**
     * Sets the faults of the outgoing direction. What is under way stays as it is; a fault at an octet that was already
     * written happens at the next write.
     *
     * @param faults from now on
     */
    public void outgoingFaults(StreamFaults faults) {
        output().faults(faults);
    }

    /**
     * Keeps the first octets written from now on, as they were before any fault.
     *
     * @param maxOctets how many at most
     */
    public void capture(int maxOctets) {
        output().capture(maxOctets);
    }

    /**
     * What {@link #capture(int)} has kept.
     *
     * @return a copy; empty without capture
     */
    public byte[] captured() {
        return output().captured();
    }

    /**
     * Octets that {@link #write} took.
     *
     * @return since the beginning
     */
    public long octetsWritten() {
        return output().written();
    }

    /**
     * Octets that arrived at the peer, read or not.
     *
     * @return since the beginning
     */
    public long octetsDelivered() {
        return output().delivered();
    }

    /**
     * Octets that {@link #read} gave.
     *
     * @return since the beginning
     */
    public long octetsRead() {
        return input().consumed();
    }

    /**
     * How often a fault was injected into the outgoing direction.
     *
     * @param fault which
     * @return the count
     */
    public long injected(Fault fault) {
        return output().injected(fault);
    }

    @Override
    public String toString() {
        return name + " " + state;
    }

    String name() {
        return name;
    }

    boolean isConnecting() {
        return state == State.CONNECTING;
    }

    boolean isClosed() {
        return state == State.CLOSED;
    }

    void opened() {
        if (state == State.CONNECTING) {
            state = State.OPEN;
            network.note(name, "connected");
        }
    }

    void fail(Failure cause) {
        if (state == State.CONNECTING || state == State.OPEN) {
            state = State.FAILED;
            failure = cause;
            input().stop();
            input().keepOrDiscardInput();
            output().stop();
            if (network.isTracing()) {
                network.note(name, "failed, " + cause);
            }
        }
    }

    void receiveReset() {
        fail(Failure.RESET);
    }
}
