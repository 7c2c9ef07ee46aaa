package io.stag.rnic.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.rnic.datagram.DatagramInput;
import io.stag.rnic.mpa.StagingBuffer;
import io.stag.simnet.AllocationMeter;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LinuxAllocationIT extends TransportFixture {
    private static final int ROUNDS = 2_000;

    private final AllocationMeter meter = new AllocationMeter();
    private final StagingBuffer in = new StagingBuffer(64 * 1024);
    private final StagingBuffer out = new StagingBuffer(64 * 1024);
    private final Transport.ReadySet ready = Transport.ReadyHandler::onReady;
    private Transport transport;
    private Pair pair;

    @Override
    Transport open() throws IOException {
        return LinuxTests.open();
    }

    @BeforeEach
    void connect() throws IOException {
        transport = transport();
        pair = pair(transport);
    }

    @Test
    void lookingForInputAllocatesNothing() {
        assertNothing(() -> expectNothing(pair.client.read(in)));
    }

    @Test
    void selectingAllocatesNothing() {
        assertNothing(() -> transport.select(0, ready));
    }

    @Test
    void wakingAllocatesNothing() {
        assertNothing(() -> {
            transport.wakeup();
            transport.select(Long.MAX_VALUE, ready);
        });
    }

    @Test
    void movingOctetsAllocatesNothing() {
        assertNothing(() -> {
            out.append(100);
            pair.client.write(out);
            transport.select(0, ready);
            pair.server.read(in);
            in.clear();
            out.clear();
        });
        assertThat(pair.serverReady.calls).isPositive();
    }

    @Test
    void aFullStreamAllocatesNothing() {
        assertNothing(() -> {
            out.clear();
            out.append(out.capacity());
            pair.client.write(out);
            pair.client.awaitWritable(true);
            transport.select(0, ready);
            pair.client.awaitWritable(false);
        });
        assertThat(out.size()).isEqualTo(out.capacity());
    }

    @Test
    void lookingForDatagramsAllocatesNothing() throws IOException {
        DatagramPortOptions options =
                new DatagramPortOptions(loopback(), false, false, 0, true, 64 * 1024, 64 * 1024, null, 1);
        DatagramPort port = transport.openDatagramPort(options, () -> {});
        DatagramInput datagrams = new DatagramInput();
        assertNothing(() -> expectNothing(port.receive(datagrams)));
        port.close();
    }

    private interface Step {
        void run() throws IOException;
    }

    private static void expectNothing(int count) {
        if (count != 0) {
            throw new AssertionError(count + " octets");
        }
    }

    private void assertNothing(Step step) {
        Runnable work = () -> {
            try {
                for (int i = 0; i < ROUNDS; i++) {
                    step.run();
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        };
        assertThat(meter.octetsAllocatedOnceWarm(work)).isZero();
    }
}
