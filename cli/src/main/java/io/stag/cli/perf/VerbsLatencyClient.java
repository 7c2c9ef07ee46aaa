package io.stag.cli.perf;

import io.stag.verbs.Operation;
import io.stag.verbs.PeerRequests;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.net.InetSocketAddress;
import java.util.function.LongSupplier;

/**
 * Measuring side of the latency tests: one operation at a time, on each connection in turn. Where the peer answers, its answer
 * is all that is waited for: it shows that the request has been sent, and its memory may be used again.
 */
final class VerbsLatencyClient implements ClientTest, VerbsEnd.Handler {
    private static final VarHandle OCTET = ValueLayout.JAVA_BYTE.varHandle();

    private static final int NOBODY = -1;

    private final RunSpec spec;
    private final VerbsEnd end;
    private ControlChannel.Buffers server = ControlChannel.Buffers.NONE;
    private int next;
    private byte turn;
    private boolean answered;
    private int receiveOwed = NOBODY; // where the answer before came, whose receive is posted while the next is awaited

    VerbsLatencyClient(RunSpec spec, InetSocketAddress server) throws IOException {
        this(spec, server, System::nanoTime);
    }

    /** The same with another clock, which tells how long the peer has been silent. */
    VerbsLatencyClient(RunSpec spec, InetSocketAddress server, LongSupplier clock) throws IOException {
        this.spec = spec;
        end = new VerbsEnd(spec, DatagramEnd.addressTowards(server), VerbsEnd.FEW_RECEIVES, clock);
        try {
            end.link.connect(server);
        } catch (RuntimeException e) {
            end.close();
            throw e;
        }
    }

    @Override
    public ControlChannel.Buffers buffers() {
        return end.buffers();
    }

    @Override
    public void start(ControlChannel.Buffers buffers) {
        server = buffers;
    }

    @Override
    public int once() {
        int connection = next;
        next = connection + 1 == spec.connections() ? 0 : connection + 1;
        if (connection == 0) {
            turn++;
        }
        answered = false;
        switch (spec.test()) {
            case WRITE_LAT -> writeAndPollMemory(connection);
            case READ_LAT, ATOMIC_LAT -> {
                request(connection).into(end.region, end.receiveArea(connection), spec.size());
                end.post(connection);
                awaitAnswer();
            }
            case SEND_LAT, IMM_LAT -> {
                request(connection)
                        .from(end.region, end.sendArea(connection), spec.size())
                        .unsignaled();
                end.post(connection);
                repost();
                awaitAnswer();
                receiveOwed = connection;
            }
            default -> throw new IllegalStateException("not a latency test of the verbs: " + spec.test());
        }
        return 1;
    }

    private void repost() {
        if (receiveOwed != NOBODY) {
            end.repost(receiveOwed);
        }
    }

    /** Starts the request of the test; the caller names the memory. */
    private PeerRequests<?> request(int connection) {
        PeerRequests<?> requests = end.requests(connection);
        return switch (spec.test()) {
            case READ_LAT -> requests.read(connection, server.stag(), server.offset() + end.sendArea(connection));
            case ATOMIC_LAT ->
                requests.fetchAdd(connection, server.stag(), server.offset() + end.sendArea(connection), 1);
            case IMM_LAT ->
                requests.writeImmediate(
                        connection, server.stag(), server.offset() + end.receiveArea(connection), connection);
            default -> requests.send(connection);
        };
    }

    private void writeAndPollMemory(int connection) {
        long last = end.sendArea(connection) + spec.size() - 1;
        end.memory.set(ValueLayout.JAVA_BYTE, last, turn);
        end.requests(connection)
                .write(connection, server.stag(), server.offset() + end.receiveArea(connection))
                .from(end.region, end.sendArea(connection), spec.size())
                .unsignaled();
        end.post(connection);
        long echo = end.receiveArea(connection) + spec.size() - 1;
        while ((byte) OCTET.getAcquire(end.memory, echo) != turn) {
            pollOnce();
        }
        end.heard();
    }

    private void awaitAnswer() {
        while (!answered) {
            pollOnce();
        }
    }

    private void pollOnce() {
        if (end.poll(this) == 0) {
            end.checkSilence();
        }
    }

    @Override
    public void received(int connection, Operation operation, long immediate) {
        answered = true;
    }

    @Override
    public void sent(int connection, Operation operation) {
        answered = true; // the result of a Read or atomic operation is here
    }

    @Override
    public void drain(ControlChannel control) {}

    @Override
    public boolean isContentRight() {
        return spec.test() == PerfTest.ATOMIC_LAT || end.isContentRight();
    }

    @Override
    public void close() {
        end.close();
    }
}
