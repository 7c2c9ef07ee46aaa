package io.stag.cli.perf;

import io.stag.verbs.AddressHandle;
import io.stag.verbs.DatagramInfo;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;

/**
 * Measuring side of the latency tests without connection: a message there, one back. The last octet tells the turns apart, so
 * that an answer that comes too late is not taken for the next one.
 */
final class DatagramLatencyClient implements ClientTest, DatagramEnd.Handler {
    /** A round trip that takes longer counts as lost. */
    static final long LIMIT_NANOS = 100_000_000;

    private static final int POLLS_PER_LOOK = 64;

    private final RunSpec spec;
    private final DatagramEnd end;
    private final AddressHandle peer;
    private final long lastSent;
    private final long lastReceived;
    private ControlChannel.Buffers server = ControlChannel.Buffers.NONE;
    private byte turn;
    private boolean answered;
    private boolean everAnswered;

    DatagramLatencyClient(RunSpec spec, InetSocketAddress server) throws IOException {
        this.spec = spec;
        end = new DatagramEnd(spec, DatagramEnd.addressTowards(server), DatagramEnd.FEW);
        peer = end.queuePair.address(server);
        lastSent = spec.size() - 1L;
        lastReceived = end.receiveArea() + spec.size() - 1;
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
        end.memory.set(ValueLayout.JAVA_BYTE, lastSent, ++turn);
        answered = false;
        if (spec.test() == PerfTest.SEND_LAT) {
            end.requests.send(DatagramEnd.MESSAGE, peer);
        } else {
            end.requests.writeRecord(DatagramEnd.MESSAGE, peer, server.stag(), server.offset() + end.receiveArea());
        }
        if (!end.post(end.requests)) {
            throw new IllegalStateException("the send queue is full");
        }
        return awaitAnswer() ? 1 : 0;
    }

    private boolean awaitAnswer() {
        long deadline = 0;
        for (int polls = 1; !answered; polls++) {
            end.poll(this);
            if (polls % POLLS_PER_LOOK == 0 || spec.waitMode() == WaitMode.BLOCK) {
                long now = System.nanoTime();
                deadline = deadline == 0 ? now + LIMIT_NANOS : deadline;
                if (now - deadline > 0) {
                    end.checkSilence();
                    return false;
                }
            }
        }
        return true;
    }

    @Override
    public void arrived(DatagramInfo info, long octets) {
        answered |= info.isComplete() && end.memory.get(ValueLayout.JAVA_BYTE, lastReceived) == turn;
        everAnswered |= answered;
    }

    @Override
    public void probed(DatagramInfo info, long value) {}

    @Override
    public void sent() {}

    @Override
    public void drain(ControlChannel control) {}

    @Override
    public boolean isContentRight() {
        return !everAnswered || end.isContentRight();
    }

    @Override
    public void close() {
        end.close();
    }
}
