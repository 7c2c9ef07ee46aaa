package io.stag.rnic.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.rnic.datagram.DatagramAddress;
import io.stag.simnet.AllocationMeter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;

class LinuxDatagramPortIT extends DatagramPortContract {
    private static final int ROUNDS = 2_000;
    private static final int MOST_WARM_UP = 1_000;

    @Override
    Transport newTransport() throws IOException {
        return LinuxTests.open();
    }

    @Test
    void nothingIsAllocatedWhateverTheSource() throws IOException {
        DatagramPort hub = open();
        DatagramPort[] spokes = {open(), open(), open()};
        DatagramAddress to = new DatagramAddress(hub.localAddress());
        AllocationMeter meter = new AllocationMeter();
        Runnable rounds = () -> {
            for (int i = 0; i < ROUNDS; i++) {
                exchange(spokes[i % spokes.length], hub, to, 1 + i % 3);
            }
        };
        long octets = meter.octetsAllocatedBy(rounds);
        for (int i = 0; i < MOST_WARM_UP && octets > 0; i++) { // until the compiler has come to rest
            octets = meter.octetsAllocatedBy(rounds);
        }
        assertThat(octets).isZero();
    }

    private void exchange(DatagramPort from, DatagramPort to, DatagramAddress address, int count) {
        try {
            output.clear(from.mostSegments());
            for (int i = 0; i < count; i++) {
                output.append(100, address);
            }
            from.send(output);
            int received = 0;
            while (received < 100 * count) {
                input.clear();
                to.receive(input);
                for (int slot = 0; slot < input.count(); slot++) {
                    received += input.length(slot);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void theKernelCutsAndJoinsUnlessToldNotTo() throws IOException {
        assertThat(open().mostSegments()).isGreaterThan(1);
        InetSocketAddress anywhere = new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0);
        assertThat(open(anywhere, 0, false).mostSegments()).isEqualTo(1);
    }
}
