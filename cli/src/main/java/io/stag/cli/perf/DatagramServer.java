package io.stag.cli.perf;

import io.stag.verbs.DatagramInfo;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** Answering side of the tests without connection: answers to where a message came from, or counts what comes. */
final class DatagramServer implements ServerTest, DatagramEnd.Handler {
    private static final long SETTLE_NANOS = 1_000_000_000;
    private static final long SETTLE_PAUSE_NANOS = 100_000;

    private final RunSpec spec;
    private final DatagramEnd end;
    private final long lastSent;
    private final long lastReceived;
    private final AtomicLong whole = new AtomicLong(); // written by the loop alone
    private final AtomicLong partial = new AtomicLong();
    private final AtomicLong octets = new AtomicLong();
    private ControlChannel.Buffers client = ControlChannel.Buffers.NONE;
    private int unsent;
    private volatile boolean stopped;

    DatagramServer(RunSpec spec, InetAddress address) throws IOException {
        this.spec = spec;
        int arrivals = DatagramEnd.FEW
                + (spec.test().isLatency() ? 0 : ProbedWindow.messages(spec, spec.size(), Integer.MAX_VALUE));
        end = new DatagramEnd(spec, address, arrivals);
        lastSent = spec.size() - 1L;
        lastReceived = end.receiveArea() + spec.size() - 1;
    }

    @Override
    public int port() {
        return end.queuePair.localAddress().getPort();
    }

    @Override
    public void accept() {}

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
        while (!stopped) {
            end.poll(this);
        }
    }

    @Override
    public void arrived(DatagramInfo info, long placed) {
        if (info.isComplete()) {
            whole.setRelease(whole.getPlain() + 1);
        } else {
            partial.setRelease(partial.getPlain() + 1);
        }
        octets.setRelease(octets.getPlain() + placed);
        if (spec.test().isLatency() && info.isComplete() && unsent == 0) {
            answer(info);
        }
    }

    private void answer(DatagramInfo info) {
        end.memory.set(ValueLayout.JAVA_BYTE, lastSent, end.memory.get(ValueLayout.JAVA_BYTE, lastReceived));
        if (spec.test() == PerfTest.SEND_LAT) {
            end.requests.reply(DatagramEnd.MESSAGE, info);
        } else {
            end.requests.replyRecord(DatagramEnd.MESSAGE, info, client.stag(), client.offset() + end.receiveArea());
        }
        if (end.post(end.requests)) {
            unsent++;
        }
    }

    @Override
    public void probed(DatagramInfo info, long value) {
        end.postProbe(end.answer(info, client), value);
    }

    @Override
    public void sent() {
        unsent--;
    }

    @Override
    public long received() {
        return whole.getAcquire();
    }

    /** Waits until messages that lack something were given up: they count then. */
    @Override
    public Arrivals arrivals() {
        long deadline = System.nanoTime() + SETTLE_NANOS;
        while (end.queuePair.counters().openMessages() > 0 && System.nanoTime() - deadline < 0) {
            LockSupport.parkNanos(SETTLE_PAUSE_NANOS);
        }
        return new Arrivals(whole.getAcquire(), partial.getAcquire(), octets.getAcquire());
    }

    @Override
    public void stop() {
        stopped = true;
    }

    @Override
    public boolean isContentRight() {
        return whole.getAcquire() == 0 || end.isContentRight();
    }

    @Override
    public void close() {
        stopped = true;
        end.close();
    }
}
