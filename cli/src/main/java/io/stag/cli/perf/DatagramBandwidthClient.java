package io.stag.cli.perf;

import io.stag.verbs.AddressHandle;
import io.stag.verbs.DatagramInfo;
import java.io.IOException;
import java.net.InetSocketAddress;

/** Measuring side of the bandwidth tests without connection: messages in batches as long as the window has room. */
final class DatagramBandwidthClient implements ClientTest, DatagramEnd.Handler {
    private final RunSpec spec;
    private final DatagramEnd end;
    private final AddressHandle peer;
    private final ProbedWindow window;
    private final int batch;
    private ControlChannel.Buffers server = ControlChannel.Buffers.NONE;
    private int unsent;
    private long posted;

    DatagramBandwidthClient(RunSpec spec, InetSocketAddress server) throws IOException {
        this.spec = spec;
        end = new DatagramEnd(spec, DatagramEnd.addressTowards(server), DatagramEnd.FEW);
        peer = end.queuePair.address(server);
        window = new ProbedWindow(
                ProbedWindow.messages(spec, end.queuePair.segmentLength(), ProbedWindow.receiveBuffer()));
        batch = Math.clamp(window.size() / 4, 1, VerbsBandwidthClient.batch(spec));
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
        if (window.isProbeDue(System.nanoTime())) {
            ask();
        }
        if (!window.hasRoom(batch) || unsent + batch > Math.max(spec.depth(), batch)) {
            pollOnce();
            return 0;
        }
        for (int i = 0; i < batch; i++) {
            if (spec.test() == PerfTest.SEND_BW) {
                end.requests.send(DatagramEnd.MESSAGE, peer);
            } else {
                end.requests.writeRecord(DatagramEnd.MESSAGE, peer, server.stag(), server.offset() + end.receiveArea());
            }
            end.requests.from(end.region, 0, spec.size());
            if (i < batch - 1) {
                end.requests.unsignaled();
            }
        }
        if (end.requests.post() != batch) {
            throw new IllegalStateException("the send queue is full");
        }
        unsent += batch;
        posted += batch;
        window.sent(batch);
        return batch;
    }

    private void ask() {
        end.postProbe(end.question(peer, server), window.probe(System.nanoTime()));
    }

    private void pollOnce() {
        if (end.poll(this) == 0) {
            end.checkSilence();
        }
    }

    @Override
    public void arrived(DatagramInfo info, long octets) {}

    @Override
    public void probed(DatagramInfo info, long value) {
        window.answered(value);
    }

    @Override
    public void sent() {
        unsent -= batch;
    }

    /** Asks behind everything else, until an answer comes: what has not arrived by then is lost. */
    @Override
    public void drain(ControlChannel control) {
        while (unsent > 0 || !window.isAllAnswered()) {
            if (unsent == 0 && window.isLastProbeDue(System.nanoTime())) {
                ask();
            }
            pollOnce();
        }
    }

    @Override
    public long messages(int connection) {
        return posted;
    }

    @Override
    public boolean isContentRight() {
        return true;
    }

    @Override
    public void close() {
        end.close();
    }
}
