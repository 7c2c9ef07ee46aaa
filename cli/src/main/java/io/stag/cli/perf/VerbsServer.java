package io.stag.cli.perf;

import io.stag.cli.CommandFailure;
import io.stag.verbs.Operation;
import io.stag.verbs.VerbsException;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.net.InetAddress;

/** Answering side of the verbs tests. */
final class VerbsServer implements ServerTest, VerbsEnd.Handler {
    private static final VarHandle OCTET = ValueLayout.JAVA_BYTE.varHandle();

    private final RunSpec spec;
    private final VerbsEnd end;
    private final int port;
    private final long[] taken;
    private final long[] acknowledged;
    private ControlChannel.Buffers client = ControlChannel.Buffers.NONE;
    private volatile boolean stopped;

    VerbsServer(RunSpec spec, InetAddress address) {
        this.spec = spec;
        taken = new long[spec.connections()];
        acknowledged = new long[spec.connections()];
        int receives = spec.test() == PerfTest.SEND_BW ? VerbsBandwidthClient.window(spec) + 1 : VerbsEnd.FEW_RECEIVES;
        end = new VerbsEnd(spec, address, receives);
        try {
            port = end.link.listen(address);
        } catch (RuntimeException e) {
            end.close();
            throw e;
        }
    }

    @Override
    public int port() {
        return port;
    }

    @Override
    public void accept() {
        if (end.link.accept()) {
            end.repost(0);
        }
    }

    @Override
    public ControlChannel.Buffers buffers() {
        return end.buffers();
    }

    @Override
    public void start(ControlChannel.Buffers buffers) {
        client = buffers;
    }

    @Override
    public void run() {
        try {
            if (spec.test() == PerfTest.WRITE_LAT) {
                answerWrites();
            } else {
                while (!stopped) {
                    end.poll(this);
                }
            }
        } catch (CommandFailure | VerbsException e) {
            if (!stopped) { // a client that is done disconnects, and what is posted is flushed
                throw e;
            }
        }
    }

    private void answerWrites() {
        byte turn = 0;
        while (!stopped) {
            turn++;
            for (int connection = 0; connection < spec.connections() && !stopped; connection++) {
                awaitOctet(end.receiveArea(connection) + spec.size() - 1, turn);
                if (!stopped) {
                    answerWrite(connection, turn);
                }
            }
        }
    }

    private void awaitOctet(long offset, byte turn) {
        while ((byte) OCTET.getAcquire(end.memory, offset) != turn && !stopped) {
            end.poll(this);
        }
    }

    private void answerWrite(int connection, byte turn) {
        end.memory.set(ValueLayout.JAVA_BYTE, end.sendArea(connection) + spec.size() - 1, turn);
        end.requests(connection)
                .write(connection, client.stag(), client.offset() + end.receiveArea(connection))
                .from(end.region, end.sendArea(connection), spec.size())
                .unsignaled(); // the client's next Write shows that it has this one
        end.post(connection);
    }

    @Override
    public void received(int connection, Operation operation, long immediate) {
        switch (spec.test()) {
            case SEND_LAT -> {
                end.requests(connection)
                        .send(connection)
                        .from(end.region, end.sendArea(connection), spec.size())
                        .unsignaled();
                end.post(connection);
            }
            case IMM_LAT -> {
                end.requests(connection)
                        .writeImmediate(
                                connection, client.stag(), client.offset() + end.receiveArea(connection), connection)
                        .from(end.region, end.sendArea(connection), spec.size())
                        .unsignaled();
                end.post(connection);
            }
            default -> acknowledge(connection, operation);
        }
        end.repost(connection); // behind the answer, which somebody waits for
    }

    /** Gives credit for Sends, and answers the question whether everything has come. */
    private void acknowledge(int connection, Operation operation) {
        boolean drain = operation == Operation.RECEIVE_IMMEDIATE;
        taken[connection] += drain ? 0 : 1;
        boolean due = taken[connection] - acknowledged[connection] >= VerbsBandwidthClient.window(spec) / 4;
        if (due || (drain && spec.test() == PerfTest.SEND_BW)) {
            acknowledged[connection] = taken[connection];
            end.requests(connection).immediate(connection, taken[connection]);
            end.post(connection);
        }
        if (drain) {
            end.requests(connection).immediate(connection, VerbsBandwidthClient.DRAIN);
            end.post(connection);
        }
    }

    @Override
    public void sent(int connection, Operation operation) {}

    @Override
    public long received() {
        return 0;
    }

    @Override
    public void stop() {
        stopped = true;
    }

    @Override
    public boolean isContentRight() {
        return switch (spec.test()) {
            case READ_LAT, READ_BW, ATOMIC_LAT -> true; // nothing is written here
            default -> end.isContentRight();
        };
    }

    @Override
    public void close() {
        stopped = true;
        end.close();
    }
}
