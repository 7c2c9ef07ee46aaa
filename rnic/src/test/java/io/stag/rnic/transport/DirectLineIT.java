package io.stag.rnic.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.stag.rnic.datagram.DatagramAddress;
import io.stag.rnic.datagram.DatagramInput;
import io.stag.rnic.datagram.DatagramOutput;
import io.stag.rnic.transport.TransportFixture.Handler;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.net.BindException;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.StandardSocketOptions;
import java.nio.channels.DatagramChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The second socket of a port, which only those may notice who look at the clock. */
class DirectLineIT {
    private static final InetSocketAddress LOOPBACK = new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0);
    private static final InetAddress BROADCAST = InetAddress.ofLiteral("127.255.255.255");
    private static final int LONG_RUN = 100;
    private static final int LENGTH = 10;
    private static final int MOST_LOOKS = 5_000;
    private static final int LOOKS_TO_SETTLE =
            300_000; // 16 answers, each after 256 looks at the line, one of 64 of which is at it
    private static final int LEAST_OFTEN = 64;
    private static final int MOST_OFTEN = 8;

    private record Datagram(InetSocketAddress source, int mark) {}

    private final DatagramInput input = new DatagramInput();
    private final DatagramOutput output = new DatagramOutput();
    private final List<LinuxDatagramPort> ports = new ArrayList<>();
    private LinuxTransport transport;

    @BeforeEach
    void openTheTransport() throws IOException {
        transport = LinuxTests.open();
    }

    @AfterEach
    void closeEverything() throws IOException {
        ports.forEach(DatagramPort::close);
        if (transport != null) { // else there is no such transport here
            transport.close();
        }
    }

    private LinuxDatagramPort open() throws IOException {
        return open(LOOPBACK, false, () -> {});
    }

    private LinuxDatagramPort open(InetSocketAddress address, boolean shared, Transport.ReadyHandler handler)
            throws IOException {
        DatagramPort port = transport.openDatagramPort(
                new DatagramPortOptions(address, shared, true, 0, true, 1 << 20, 1 << 20, null, 1), handler);
        LinuxDatagramPort opened = (LinuxDatagramPort) port;
        ports.add(opened);
        return opened;
    }

    private static boolean hasLine(LinuxDatagramPort port) {
        return port.line().socket() != null;
    }

    private void send(LinuxDatagramPort from, InetSocketAddress to, int mark) throws IOException {
        output.clear(from.mostSegments());
        output.segment().set(ValueLayout.JAVA_BYTE, 0, (byte) mark);
        output.append(LENGTH, new DatagramAddress(to));
        assertThat(from.send(output)).as("%s", output.failure()).isEqualTo(1);
    }

    private void sendRun(LinuxDatagramPort from, InetSocketAddress to, int count) throws IOException {
        for (int i = 0; i < count; i++) {
            send(from, to, i);
        }
    }

    /** Everything that has come: on the loopback interface that is all that was sent. */
    private List<Datagram> receive(LinuxDatagramPort port) throws IOException {
        List<Datagram> received = new ArrayList<>();
        int looks = 0;
        do {
            input.clear();
            port.receive(input);
            collect(received);
            assertThat(++looks).as("looks until nothing waits").isLessThan(MOST_LOOKS);
        } while (input.mayHaveMore());
        return received;
    }

    private void collect(List<Datagram> received) {
        for (int slot = 0; slot < input.count(); slot++) {
            InetSocketAddress source = DatagramAddress.object(
                    input.sourceHigh(slot), input.sourceLow(slot), input.sourcePort(slot), input.sourceScope(slot));
            for (int at = 0; at < input.length(slot); at += input.segmentSize(slot)) {
                byte mark = input.segment().get(ValueLayout.JAVA_BYTE, DatagramInput.offset(slot) + (long) at);
                received.add(new Datagram(source, mark));
            }
        }
    }

    private static List<Datagram> run(InetSocketAddress source, int count) {
        List<Datagram> datagrams = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            datagrams.add(new Datagram(source, (byte) i));
        }
        return datagrams;
    }

    /** A port with a line to {@code peer}, which has taken all that was sent. */
    private LinuxDatagramPort lineTo(LinuxDatagramPort peer) throws IOException {
        LinuxDatagramPort port = open();
        sendRun(port, peer.localAddress(), LONG_RUN);
        assertThat(hasLine(port)).isTrue();
        receive(peer);
        return port;
    }

    @Test
    void datagramsOfARunArriveAllAndInOrderFromTheSameSource() throws IOException {
        LinuxDatagramPort port = open();
        LinuxDatagramPort peer = open();
        send(port, peer.localAddress(), 0);
        assertThat(hasLine(port)).as("one datagram is no run").isFalse();
        assertThat(receive(peer)).hasSize(1);
        for (LinuxDatagramPort[] way : new LinuxDatagramPort[][] {{port, peer}, {peer, port}}) {
            sendRun(way[0], way[1].localAddress(), LONG_RUN);
            assertThat(hasLine(way[0])).isTrue();
            assertThat(receive(way[1])).isEqualTo(run(way[0].localAddress(), LONG_RUN));
        }
    }

    @Test
    void manyDatagramsPerCallLeaveByTheirOwnWays() throws IOException {
        LinuxDatagramPort peer = open();
        LinuxDatagramPort other = open();
        LinuxDatagramPort port = lineTo(peer);
        output.clear(port.mostSegments());
        for (int i = 0; i < 40; i++) {
            output.segment().set(ValueLayout.JAVA_BYTE, output.end(), (byte) i);
            LinuxDatagramPort to = i % 8 < 5 ? peer : other;
            output.append(LENGTH + (i % 8 == 3 ? 1 : 0), new DatagramAddress(to.localAddress()));
        }
        assertThat(port.send(output)).isEqualTo(output.count());
        List<Datagram> all = run(port.localAddress(), 40);
        assertThat(receive(peer))
                .isEqualTo(all.stream().filter(sent -> sent.mark % 8 < 5).toList());
        assertThat(receive(other))
                .isEqualTo(all.stream().filter(sent -> sent.mark % 8 >= 5).toList());
    }

    @Test
    void whoPollsIsNotKeptFromOthersByThePeerOfTheLine() throws IOException {
        LinuxDatagramPort peer = open();
        LinuxDatagramPort other = open();
        LinuxDatagramPort port = lineTo(peer);
        port.pollsInput(true);
        sendRun(peer, port.localAddress(), 600);
        send(other, port.localAddress(), 1);
        List<Datagram> received = new ArrayList<>();
        for (int looks = 0; received.size() < 500 && received.stream().noneMatch(isFrom(other)); looks++) {
            assertThat(looks).isLessThan(MOST_LOOKS);
            input.clear();
            port.receive(input);
            collect(received);
        }
        assertThat(received).as("among the first of the peer's").anyMatch(isFrom(other));
        send(other, port.localAddress(), 2);
        assertThat(receive(port))
                .contains(new Datagram(other.localAddress(), 2))
                .hasSize(602 - received.size());
    }

    private static Predicate<Datagram> isFrom(LinuxDatagramPort port) {
        return datagram -> datagram.source.equals(port.localAddress());
    }

    @Test
    void aPeerMayGoAndComeBack() throws IOException {
        LinuxDatagramPort peer = open();
        LinuxDatagramPort port = lineTo(peer);
        peer.close();
        for (int i = 0; i < 600; i++) { // the system tells that nobody is there: sometimes here, sometimes there
            if (i % 3 == 0) {
                send(port, peer.localAddress(), i);
            }
            assertThat(receive(port)).isEmpty();
        }
        LinuxDatagramPort again = open(peer.localAddress(), false, () -> {});
        send(port, again.localAddress(), 7);
        assertThat(receive(again)).containsExactly(new Datagram(port.localAddress(), 7));
        send(again, port.localAddress(), 8);
        assertThat(receive(port)).containsExactly(new Datagram(peer.localAddress(), 8));
    }

    @Test
    void aLineThatMovesKeepsWhatWaitsAndItsSource() throws IOException {
        LinuxDatagramPort first = open();
        LinuxDatagramPort second = open();
        LinuxDatagramPort port = lineTo(first);
        sendRun(first, port.localAddress(), 3);
        sendRun(port, second.localAddress(), 2 * LONG_RUN);
        assertThat(port.line().socketTo(new DatagramAddress(second.localAddress())))
                .isNotNull();
        assertThat(port.line().socketTo(new DatagramAddress(first.localAddress())))
                .isNull();
        assertThat(receive(second)).hasSize(2 * LONG_RUN);
        send(second, port.localAddress(), 9);
        send(first, port.localAddress(), 10);
        List<Datagram> expected = run(first.localAddress(), 3);
        expected.add(new Datagram(second.localAddress(), 9));
        expected.add(new Datagram(first.localAddress(), 10));
        assertThat(receive(port)).containsExactlyInAnyOrderElementsOf(expected);
        send(port, first.localAddress(), 11);
        assertThat(receive(first)).containsExactly(new Datagram(port.localAddress(), 11));
    }

    @Test
    void whoIsNotAskedAnyMoreIsStillKnown() throws IOException {
        LinuxDatagramPort first = open();
        LinuxDatagramPort second = open();
        LinuxDatagramPort port = lineTo(first);
        settle(port, first);
        assertThatLoneDatagramsArriveFrom(first, port);
        sendRun(first, port.localAddress(), 3); // for the former peer of the line
        sendRun(port, second.localAddress(), 2 * LONG_RUN);
        assertThat(isSettled(port)).as("just moved").isFalse();
        assertThat(receive(port)).isEqualTo(run(first.localAddress(), 3));
        assertThatLoneDatagramsArriveFrom(second, port);
        assertThat(isSettled(port)).as("of the first, more may be on its way").isFalse();
        settle(port, second);
        assertThatLoneDatagramsArriveFrom(second, port);
    }

    @Test
    void aPeerThatIsNamedWithItsInterfaceIsTheSame() throws IOException {
        LinuxDatagramPort port = open(new InetSocketAddress(InetAddress.ofLiteral("::1"), 0), false, () -> {});
        LinuxDatagramPort peer = open(new InetSocketAddress(InetAddress.ofLiteral("::1"), 0), false, () -> {});
        InetAddress scoped =
                Inet6Address.getByAddress(null, peer.localAddress().getAddress().getAddress(), 1);
        sendRun(port, new InetSocketAddress(scoped, peer.localAddress().getPort()), LONG_RUN);
        assertThat(hasLine(port)).isTrue();
        settle(port, peer);
        assertThatLoneDatagramsArriveFrom(peer, port);
    }

    private void settle(LinuxDatagramPort port, LinuxDatagramPort peer) throws IOException {
        findNothing(port);
        assertThat(isSettled(port)).as("before it has seen who sends").isFalse();
        send(peer, port.localAddress(), 1);
        assertThat(receive(port)).containsExactly(new Datagram(peer.localAddress(), 1));
        assertThat(isSettled(port)).isTrue();
    }

    /** Until nothing can be on its way any more that was sent before the line was there. */
    private void findNothing(LinuxDatagramPort port) throws IOException {
        port.pollsInput(true);
        for (int looks = 0; looks < LOOKS_TO_SETTLE; looks++) {
            input.clear();
            assertThat(port.receive(input)).isZero();
        }
        port.pollsInput(false);
    }

    private static boolean isSettled(LinuxDatagramPort port) {
        UdpSocket line = port.line().socket();
        return line != null && line.isSettled();
    }

    private void assertThatLoneDatagramsArriveFrom(LinuxDatagramPort peer, LinuxDatagramPort port) throws IOException {
        for (int i = 0; i < 5; i++) {
            send(peer, port.localAddress(), i);
            assertThat(receive(port)).containsExactly(new Datagram(peer.localAddress(), i));
        }
    }

    /** Its line is settled, and nothing came for long. */
    private LinuxDatagramPort polledLineTo(LinuxDatagramPort peer) throws IOException {
        LinuxDatagramPort port = lineTo(peer);
        settle(port, peer);
        findNothing(port);
        port.pollsInput(true);
        return port;
    }

    @Test
    void whoIsNotAtTheOtherEndOfTheLineIsHeardSoonThoughNobodyWas() throws IOException {
        LinuxDatagramPort first = open();
        LinuxDatagramPort second = open();
        LinuxDatagramPort port = polledLineTo(first);
        send(second, port.localAddress(), 1);
        assertThat(looksUntilHeard(second, port)).isLessThanOrEqualTo(LEAST_OFTEN);
        for (int i = 0; i < 10; i++) {
            send(second, port.localAddress(), i);
            assertThat(looksUntilHeard(second, port))
                    .as("the one who was heard last")
                    .isLessThanOrEqualTo(MOST_OFTEN);
        }
    }

    @Test
    void whoIsNotAtTheOtherEndOfTheLineIsHeardWhileItIsBusy() throws IOException {
        LinuxDatagramPort first = open();
        LinuxDatagramPort second = open();
        LinuxDatagramPort port = polledLineTo(first);
        send(second, port.localAddress(), 1);
        boolean heard = false;
        int looks = 0;
        while (!heard) {
            send(first, port.localAddress(), looks);
            input.clear();
            assertThat(port.receive(input)).isEqualTo(1);
            heard = input.isFrom(0, new DatagramAddress(second.localAddress()));
            assertThat(++looks).isLessThanOrEqualTo(MOST_OFTEN + 1);
        }
    }

    @Test
    void whoIsNotAtTheOtherEndOfTheLineHasItsTurnBehindAMessage() throws IOException {
        LinuxDatagramPort first = open();
        LinuxDatagramPort second = open();
        LinuxDatagramPort port = polledLineTo(first);
        for (int i = 0; i < 4; i++) { // until the line is the busier one
            send(first, port.localAddress(), 1);
            looksUntilHeard(first, port);
        }
        send(second, port.localAddress(), 1);
        assertThat(looksUntilHeard(second, port)).isLessThanOrEqualTo(LEAST_OFTEN);
        int inVain = MOST_OFTEN + 2 * MOST_OFTEN + 4 * MOST_OFTEN; // then the turns are as far apart as they can be
        for (int looks = 0; looks < inVain + LEAST_OFTEN / 2 - MOST_OFTEN; looks++) {
            input.clear();
            assertThat(port.receive(input)).isZero();
        }
        send(second, port.localAddress(), 2);
        send(first, port.localAddress(), 3);
        input.clear();
        assertThat(port.receive(input)).isEqualTo(1);
        assertThat(input.isFrom(0, new DatagramAddress(first.localAddress()))).isTrue();
        assertThat(looksUntilHeard(second, port)).isEqualTo(1);
    }

    private int looksUntilHeard(LinuxDatagramPort peer, LinuxDatagramPort port) throws IOException {
        int looks = 0;
        do {
            input.clear();
            port.receive(input);
            assertThat(++looks).isLessThan(MOST_LOOKS);
        } while (input.count() == 0);
        assertThat(input.isFrom(0, new DatagramAddress(peer.localAddress()))).isTrue();
        return looks;
    }

    @Test
    void itMovesNotForRunsThatOthersInterrupt() throws IOException {
        LinuxDatagramPort first = open();
        LinuxDatagramPort second = open();
        LinuxDatagramPort port = lineTo(first);
        for (int i = 0; i < 10; i++) {
            sendRun(port, second.localAddress(), LONG_RUN);
            send(port, first.localAddress(), i);
            receive(second);
        }
        assertThat(port.line().socketTo(new DatagramAddress(first.localAddress())))
                .isNotNull();
    }

    @Test
    void nobodyElseGetsTheAddress() throws IOException {
        LinuxDatagramPort port = lineTo(open());
        assertThatNobodyGets(port.localAddress());
        LinuxDatagramPort alone = open();
        sendRun(alone, new InetSocketAddress(BROADCAST, 9), LONG_RUN); // it tried, and there is none
        assertThatNobodyGets(alone.localAddress());
        port.close();
        assertThat(open(port.localAddress(), false, () -> {}).localAddress()).isEqualTo(port.localAddress());
    }

    private static void assertThatNobodyGets(InetSocketAddress address) throws IOException {
        try (DatagramChannel thief = DatagramChannel.open()) {
            thief.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            assertThatExceptionOfType(BindException.class).isThrownBy(() -> thief.bind(address));
        }
    }

    @Test
    void aLineThatMovesHasTheSourceAddressOfItsWay() throws IOException {
        InetAddress own = NetworkInterface.networkInterfaces()
                .flatMap(NetworkInterface::inetAddresses)
                .filter(address -> address instanceof Inet4Address && !address.isLoopbackAddress())
                .findFirst()
                .orElse(null);
        assumeTrue(own != null, "this machine has no IPv4 address besides 127.0.0.1");
        LinuxDatagramPort port = open(new InetSocketAddress(0), false, () -> {});
        int run = LONG_RUN;
        for (InetAddress address : new InetAddress[] {LOOPBACK.getAddress(), own, LOOPBACK.getAddress()}) {
            LinuxDatagramPort peer = open(new InetSocketAddress(address, 0), false, () -> {});
            sendRun(port, peer.localAddress(), run);
            assertThat(port.line().socketTo(new DatagramAddress(peer.localAddress())))
                    .isNotNull();
            assertThat(receive(peer))
                    .hasSize(run)
                    .allMatch(received -> received.source.getAddress().equals(address));
            run *= 2;
        }
    }

    @Test
    void inputOfTheLineIsReported() throws IOException {
        Handler ready = new Handler();
        LinuxDatagramPort peer = open();
        LinuxDatagramPort port = open(LOOPBACK, false, ready);
        port.pollsInput(true);
        sendRun(port, peer.localAddress(), LONG_RUN);
        assertThat(hasLine(port)).isTrue();
        send(peer, port.localAddress(), 1);
        drive();
        assertThat(ready.calls).as("while somebody polls").isZero();
        port.pollsInput(false);
        drive();
        assertThat(ready.calls).isEqualTo(1);
        assertThat(receive(port)).hasSize(1);
        drive();
        assertThat(ready.calls).isEqualTo(1);
        port.awaitWritable(true);
        drive();
        assertThat(ready.calls).isEqualTo(2);
    }

    private void drive() throws IOException {
        transport.select(0, Transport.ReadyHandler::onReady);
    }

    @Test
    void thereIsNoneWhereOthersWantWhatThePeerSends() throws IOException {
        LinuxDatagramPort peer = open();
        LinuxDatagramPort shared = open(LOOPBACK, true, () -> {});
        sendRun(shared, peer.localAddress(), LONG_RUN);
        assertThat(hasLine(shared)).isFalse();
    }

    @Test
    void thereIsNoneToMany() throws IOException {
        LinuxDatagramPort port = open(new InetSocketAddress(0), false, () -> {});
        for (InetAddress many : new InetAddress[] {InetAddress.ofLiteral("239.255.12.34"), BROADCAST}) {
            sendRun(port, new InetSocketAddress(many, 9), 3 * LONG_RUN);
            assertThat(hasLine(port)).as("%s", many).isFalse();
        }
    }

    @Test
    void aPortOfBothVersionsOfIpHasALineOfEither() throws IOException {
        InetSocketAddress ipv6 = new InetSocketAddress(InetAddress.ofLiteral("::1"), 0);
        for (InetSocketAddress[] peers : new InetSocketAddress[][] {{LOOPBACK, ipv6}, {ipv6, LOOPBACK}}) {
            LinuxDatagramPort port = open(new InetSocketAddress(0), false, () -> {});
            LinuxDatagramPort peer = open(peers[0], false, () -> {});
            LinuxDatagramPort other = open(peers[1], false, () -> {});
            exchange(port, peer);
            exchange(port, other);
            assertThat(port.line().socketTo(new DatagramAddress(peer.localAddress())))
                    .isNotNull();
        }
    }

    private void exchange(LinuxDatagramPort port, LinuxDatagramPort peer) throws IOException {
        InetSocketAddress source = new InetSocketAddress(
                peer.localAddress().getAddress(), port.localAddress().getPort());
        sendRun(port, peer.localAddress(), LONG_RUN);
        assertThat(receive(peer)).isEqualTo(run(source, LONG_RUN));
        send(peer, source, 5);
        assertThat(receive(port)).containsExactly(new Datagram(peer.localAddress(), 5));
    }
}
