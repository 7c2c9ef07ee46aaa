package io.stag.bench.peer;

import io.stag.cli.perf.ClientTest;
import io.stag.cli.perf.ControlChannel;
import io.stag.cli.perf.RunSpec;
import java.net.InetSocketAddress;

/** Measuring side on Aeron. */
final class AeronClient implements ClientTest {
    private final boolean latency;
    private final int batch;
    private final AeronEnd end;

    AeronClient(RunSpec spec, InetSocketAddress server) {
        latency = spec.test().isLatency();
        batch = spec.depth();
        end = new AeronEnd(spec);
        end.connect(server.getPort());
    }

    /** Aeron has no remote memory; this tells the server where this side receives. */
    @Override
    public ControlChannel.Buffers buffers() {
        return new ControlChannel.Buffers(end.port(), 0);
    }

    @Override
    public void start(ControlChannel.Buffers server) {
        end.awaitConnected();
    }

    @Override
    public int once() {
        if (!latency) {
            return sendMany();
        }
        long before = end.messages();
        while (!end.offer()) {
            end.drive();
        }
        while (end.messages() == before) {
            end.poll();
        }
        return 1;
    }

    private int sendMany() {
        int count = 0;
        while (count < batch && end.offer()) {
            count++;
        }
        end.drive();
        return count;
    }

    /** Whoever waits must drive, so the question goes over Aeron itself. */
    @Override
    public void drain(ControlChannel control) {
        if (latency) {
            return;
        }
        long before = end.messages();
        while (!end.ask()) {
            end.drive();
        }
        while (end.messages() == before) {
            end.poll();
        }
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
