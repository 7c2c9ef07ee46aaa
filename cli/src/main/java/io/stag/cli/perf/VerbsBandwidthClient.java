package io.stag.cli.perf;

import io.stag.verbs.Operation;
import io.stag.verbs.PeerRequests;
import java.io.IOException;
import java.net.InetSocketAddress;

/**
 * Measuring side of the bandwidth tests: requests in batches, of which the last asks for a completion, up to the depth on
 * each connection. Sends also need credit: the server says in immediate data how many it has taken.
 */
final class VerbsBandwidthClient implements ClientTest, VerbsEnd.Handler {
    /** Value of the immediate data that asks the server to answer at once. */
    static final long DRAIN = -1;

    private final RunSpec spec;
    private final VerbsEnd end;
    private final int batch;
    private final int[] outstanding;
    private final long[] posted;
    private final long[] acknowledged;
    private ControlChannel.Buffers server = ControlChannel.Buffers.NONE;
    private int next;
    private int drainsAwaited;
    private int drainsPosted;

    VerbsBandwidthClient(RunSpec spec, InetSocketAddress server) throws IOException {
        this.spec = spec;
        batch = batch(spec);
        outstanding = new int[spec.connections()];
        posted = new long[spec.connections()];
        acknowledged = new long[spec.connections()];
        end = new VerbsEnd(spec, DatagramEnd.addressTowards(server), VerbsEnd.FEW_RECEIVES);
        try {
            end.link.connect(server);
        } catch (RuntimeException e) {
            end.close();
            throw e;
        }
    }

    /** Requests posted with one call. */
    static int batch(RunSpec spec) {
        return Math.clamp(spec.depth() / 2, 1, 256);
    }

    /** Messages of a connection that the server has receives for. */
    static int window(RunSpec spec) {
        return 4 * Math.max(spec.depth(), 4);
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
        if (!hasRoom(connection)) {
            if (end.poll(this) == 0) {
                end.checkSilence();
            }
            return 0;
        }
        PeerRequests<?> requests = end.requests(connection);
        for (int i = 0; i < batch; i++) {
            request(requests, connection);
            if (i < batch - 1) {
                requests.unsignaled();
            }
        }
        end.post(connection);
        outstanding[connection] += batch;
        posted[connection] += batch;
        return batch;
    }

    private boolean hasRoom(int connection) {
        boolean credit = spec.test() != PerfTest.SEND_BW
                || posted[connection] - acknowledged[connection] + batch < window(spec); // one for the drain
        return credit && outstanding[connection] + batch <= Math.max(spec.depth(), batch);
    }

    private void request(PeerRequests<?> requests, int connection) {
        switch (spec.test()) {
            case WRITE_BW ->
                requests.write(connection, server.stag(), server.offset() + end.receiveArea(connection))
                        .from(end.region, end.sendArea(connection), spec.size());
            case READ_BW ->
                requests.read(connection, server.stag(), server.offset() + end.sendArea(connection))
                        .into(end.region, end.receiveArea(connection), spec.size());
            case SEND_BW -> requests.send(connection).from(end.region, end.sendArea(connection), spec.size());
            default -> throw new IllegalStateException("not a bandwidth test of the verbs: " + spec.test());
        }
    }

    @Override
    public void received(int connection, Operation operation, long immediate) {
        end.repost(connection);
        if (immediate == DRAIN) {
            drainsAwaited--;
        } else {
            acknowledged[connection] = immediate;
        }
    }

    @Override
    public void sent(int connection, Operation operation) {
        if (operation == Operation.IMMEDIATE) {
            drainsPosted--;
        } else {
            outstanding[connection] -= batch;
        }
    }

    /** Immediate data behind everything else; its answer says that all before it has been placed. */
    @Override
    public void drain(ControlChannel control) {
        for (int connection = 0; connection < spec.connections(); connection++) {
            while (outstanding[connection] > 0) {
                pollOnce();
            }
            if (spec.test() != PerfTest.READ_BW) {
                end.requests(connection).immediate(connection, DRAIN);
                drainsPosted++;
                drainsAwaited++;
                end.post(connection);
            }
        }
        while (drainsAwaited > 0 || drainsPosted > 0) {
            pollOnce();
        }
    }

    private void pollOnce() {
        if (end.poll(this) == 0) {
            end.checkSilence();
        }
    }

    @Override
    public long messages(int connection) {
        return posted[connection];
    }

    @Override
    public boolean isContentRight() {
        return spec.test() != PerfTest.READ_BW || end.isContentRight();
    }

    @Override
    public void close() {
        end.close();
    }
}
