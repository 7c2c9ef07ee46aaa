package io.stag.bench.peer;

import io.stag.cli.perf.ControlChannel;
import io.stag.cli.perf.RunSpec;
import io.stag.cli.perf.ServerTest;

/** Answering side on Aeron. */
final class AeronServer implements ServerTest {
    private final boolean latency;
    private final AeronEnd end;
    private volatile boolean stopped;

    AeronServer(RunSpec spec) {
        latency = spec.test().isLatency();
        end = new AeronEnd(spec);
    }

    @Override
    public int port() {
        return end.port();
    }

    @Override
    public void accept() {}

    @Override
    public ControlChannel.Buffers buffers() {
        return ControlChannel.Buffers.NONE;
    }

    @Override
    public void start(ControlChannel.Buffers client) {
        end.connect(client.stag());
    }

    @Override
    public void run() {
        long answered = 0;
        while (!stopped) {
            end.poll();
            long due = latency ? end.messages() : end.questions();
            while (answered < due && !stopped) {
                if (end.offer()) {
                    answered++;
                } else {
                    end.drive();
                }
            }
        }
    }

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
        return end.isContentRight();
    }

    @Override
    public void close() {
        end.close();
    }
}
