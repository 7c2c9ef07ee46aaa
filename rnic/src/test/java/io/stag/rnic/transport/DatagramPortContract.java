package io.stag.rnic.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.stag.rnic.datagram.DatagramAddress;
import io.stag.rnic.datagram.DatagramInput;
import io.stag.rnic.datagram.DatagramOutput;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every datagram port does, on the loopback interface. */
abstract class DatagramPortContract {
    private static final InetAddress LOOPBACK = InetAddress.ofLiteral("127.0.0.1");

    final DatagramInput input = new DatagramInput();
    final DatagramOutput output = new DatagramOutput();
    private final List<DatagramPort> ports = new ArrayList<>();
    private Transport transport;

    abstract Transport newTransport() throws IOException;

    @BeforeEach
    void openTheTransport() throws IOException {
        transport = newTransport();
    }

    @AfterEach
    void closeEverything() throws IOException {
        ports.forEach(DatagramPort::close);
        if (transport != null) { // else there is no such transport here
            transport.close();
        }
    }

    final DatagramPort open(InetSocketAddress address, int datagramLength, boolean offload) throws IOException {
        return open(address, datagramLength, offload, () -> {});
    }

    private DatagramPort open(
            InetSocketAddress address, int datagramLength, boolean offload, Transport.ReadyHandler handler)
            throws IOException {
        DatagramPort port = transport.openDatagramPort(
                new DatagramPortOptions(address, false, false, datagramLength, offload, 1 << 20, 1 << 20, null, 1),
                handler);
        ports.add(port);
        return port;
    }

    final DatagramPort open(Transport.ReadyHandler handler) throws IOException {
        return open(new InetSocketAddress(LOOPBACK, 0), 0, true, handler);
    }

    /** Calls every handler that is ready now. */
    final void drive() throws IOException {
        transport.select(0, Transport.ReadyHandler::onReady);
    }

    final DatagramPort open() throws IOException {
        return open(new InetSocketAddress(LOOPBACK, 0), 0, true);
    }

    final void append(int length, int mark, DatagramAddress to) {
        for (int i = 0; i < length; i++) {
            output.segment().set(ValueLayout.JAVA_BYTE, output.end() + (long) i, (byte) (mark + i));
        }
        output.append(length, to);
    }

    /** Reads datagrams until so many have come: UDP on the loopback loses nothing that fits its buffers. */
    List<byte[]> receive(DatagramPort port, int count) throws IOException {
        List<byte[]> result = new ArrayList<>();
        while (result.size() < count) {
            input.clear();
            if (port.receive(input) == 0) {
                Thread.onSpinWait();
            }
            for (int slot = 0; slot < input.count(); slot++) {
                int end = DatagramInput.offset(slot) + input.length(slot);
                int at = DatagramInput.offset(slot);
                do {
                    int length = Math.min(input.segmentSize(slot), end - at);
                    result.add(input.segment().asSlice(at, length).toArray(ValueLayout.JAVA_BYTE));
                    at += length;
                } while (at < end);
            }
        }
        return result;
    }

    @Test
    void carriesDatagramsOfAnyLengthWithTheirSource() throws IOException {
        DatagramPort left = open();
        DatagramPort right = open();
        DatagramAddress to = new DatagramAddress(right.localAddress());
        for (int length : new int[] {0, 1, 1_452, 9_000, 65_507}) {
            output.clear(left.mostSegments());
            append(length, length, to);
            assertThat(left.send(output)).isEqualTo(1);
            byte[] received = receive(right, 1).getFirst();
            assertThat(received).hasSize(length);
            assertThat(length == 0 ? 0 : received[length - 1]).isEqualTo((byte) (length == 0 ? 0 : 2 * length - 1));
            assertThat(DatagramAddress.object(
                            input.sourceHigh(0), input.sourceLow(0), input.sourcePort(0), input.sourceScope(0)))
                    .isEqualTo(left.localAddress());
        }
        input.clear();
        assertThat(right.receive(input)).isZero();
        assertThat(input.mayHaveMore()).isFalse();
    }

    @Test
    void carriesManyAtOnceToSeveralPlacesInOrder() throws IOException {
        DatagramPort left = open();
        DatagramPort right = open();
        DatagramPort other = open();
        DatagramAddress toRight = new DatagramAddress(right.localAddress());
        DatagramAddress toOther = new DatagramAddress(other.localAddress());
        output.clear(left.mostSegments());
        for (int i = 0; i < 40; i++) {
            append(i % 10 == 9 ? 100 : 1_000, i, i < 30 ? toRight : toOther);
        }
        assertThat(left.send(output)).isEqualTo(output.count());
        List<byte[]> received = receive(right, 30);
        received.addAll(receive(other, 10));
        for (int i = 0; i < 40; i++) {
            assertThat(received.get(i)).hasSize(i % 10 == 9 ? 100 : 1_000);
            assertThat(received.get(i)[0]).isEqualTo((byte) i);
        }
    }

    @Test
    void tellsWhatCannotBeSentAndGoesOn() throws IOException {
        DatagramPort left = open();
        DatagramPort right = open();
        output.clear(left.mostSegments());
        append(10, 1, new DatagramAddress(new InetSocketAddress(InetAddress.ofLiteral("fd00::1"), 9)));
        append(10, 2, new DatagramAddress(right.localAddress()));
        assertThat(left.send(output)).isZero();
        assertThat(output.failure()).isNotNull();
        output.clear(left.mostSegments());
        append(10, 2, new DatagramAddress(right.localAddress()));
        assertThat(left.send(output)).isEqualTo(1);
        assertThat(receive(right, 1).getFirst()[0]).isEqualTo((byte) 2);
    }

    /** Also when so many go there that a line of their own would pay. */
    @Test
    void anAddressOfTheOtherVersionOfIpIsRefusedEachTime() throws IOException {
        DatagramPort port = open(new InetSocketAddress(InetAddress.ofLiteral("::1"), 0), 0, true);
        DatagramAddress to = new DatagramAddress(open().localAddress());
        for (int i = 0; i < 200; i++) {
            output.clear(port.mostSegments());
            append(8, i, to);
            assertThat(port.send(output)).isZero();
            assertThat(output.failure()).isNotNull();
        }
    }

    @Test
    void theWildcardAddressTalksToBothVersionsOfIp() throws IOException {
        DatagramPort any = open(new InetSocketAddress(0), 0, true);
        DatagramPort right = open();
        output.clear(any.mostSegments());
        append(10, 3, new DatagramAddress(right.localAddress()));
        assertThat(any.send(output)).isEqualTo(1);
        assertThat(receive(right, 1)).hasSize(1);
        assertThat(any.unfragmentedLength()).isEqualTo(1_452);
        assertThat(right.unfragmentedLength()).isGreaterThan(60_000);
    }

    @Test
    void anAddressInUseIsRefusedAndFreeAfterClose() throws IOException {
        DatagramPort port = open();
        assertThatExceptionOfType(IOException.class).isThrownBy(() -> open(port.localAddress(), 0, true));
        port.close();
        assertThat(open(port.localAddress(), 0, true).localAddress()).isEqualTo(port.localAddress());
    }

    @Test
    void isReportedWhileDatagramsWait() throws IOException {
        DatagramPort left = open();
        List<Transport.ReadyHandler> ready = new ArrayList<>();
        Transport.ReadyHandler handler = () -> {};
        DatagramPort right = transport.openDatagramPort(
                new DatagramPortOptions(
                        new InetSocketAddress(LOOPBACK, 0), false, false, 0, true, 1 << 20, 1 << 20, null, 1),
                handler);
        ports.add(right);
        transport.select(0, ready::add);
        assertThat(ready).isEmpty();
        output.clear(1);
        append(10, 1, new DatagramAddress(right.localAddress()));
        left.send(output);
        while (ready.isEmpty()) {
            transport.select(1_000_000, ready::add);
        }
        assertThat(ready).containsOnly(handler);
        receive(right, 1);
        ready.clear();
        right.awaitWritable(true);
        transport.select(0, ready::add);
        assertThat(ready).containsExactly(handler);
        right.awaitWritable(false);
        ready.clear();
        transport.select(0, ready::add);
        assertThat(ready).isEmpty();
    }
}
