package io.stag.simnet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SimNetworkTest {
    private final VirtualClock clock = new VirtualClock();
    private final SimNetwork network = new SimNetwork(clock, 1, StreamFaults.none(), DatagramFaults.none());

    private void settle() {
        while (network.step()) {
            // until nothing is under way
        }
    }

    @Test
    void eventsHappenInOrderOfTimeAndThenOfMaking() {
        List<String> seen = new ArrayList<>();
        network.schedule(20, () -> seen.add("late"));
        network.schedule(10, () -> seen.add("first"));
        network.schedule(10, () -> seen.add("second"));
        network.schedule(10, () -> seen.add("third"));
        assertThat(network.nextEventNanos()).isEqualTo(10);
        assertThat(network.step()).isTrue();
        assertThat(clock.nanoTime()).isEqualTo(10);
        assertThat(seen).containsExactly("first");
        settle();
        assertThat(seen).containsExactly("first", "second", "third", "late");
        assertThat(clock.nanoTime()).isEqualTo(20);
        assertThat(network.nextEventNanos()).isEqualTo(Long.MAX_VALUE);
        assertThat(network.step()).isFalse();
    }

    @Test
    void advancingDeliversWhatIsDueAndWhatThatCauses() {
        List<Long> seen = new ArrayList<>();
        network.schedule(10, () -> network.schedule(15, () -> seen.add(clock.nanoTime())));
        network.schedule(21, () -> seen.add(clock.nanoTime()));
        network.advanceTo(20);
        assertThat(seen).containsExactly(15L);
        assertThat(clock.nanoTime()).isEqualTo(20);
    }

    @Test
    void anEventThatTheClockHasPassedIsLateButNotLost() {
        List<Long> seen = new ArrayList<>();
        network.schedule(10, () -> seen.add(clock.nanoTime()));
        clock.advanceTo(30);
        network.step();
        assertThat(seen).containsExactly(30L);
    }

    @Test
    void connectsAfterAHandshakeThatTakesTime() throws IOException {
        SimListener listener = network.listen(SimNetwork.address(2, 4000));
        SimStream client = network.connect(listener.localAddress());
        assertThat(client.isConnected()).isFalse();
        assertThat(listener.acceptable()).isFalse();
        network.step();
        assertThat(listener.acceptable()).isTrue();
        assertThat(client.isConnected()).isFalse();
        network.step();
        assertThat(client.isConnected()).isTrue();
        assertThat(clock.nanoTime()).isEqualTo(20_000);
        SimStream server = listener.accept().orElseThrow();
        assertThat(server.isConnected()).isTrue();
        assertThat(server.remoteAddress()).isEqualTo(client.localAddress());
        assertThat(server.localAddress()).isEqualTo(SimNetwork.address(2, 4000));
        assertThat(listener.accept()).isEmpty();
    }

    @Test
    void whatTheServerWritesAtOnceDoesNotOvertakeTheHandshake() throws IOException {
        network.streamFaults(StreamFaults.builder().delay(0, 1_000_000).build());
        for (int i = 0; i < 50; i++) {
            SimListener listener = network.listen(SimNetwork.address(2, 0));
            SimStream client = network.connect(listener.localAddress());
            network.step();
            SimStream server = listener.accept().orElseThrow();
            StreamPair.write(server, StreamPair.octets(1));
            while (!client.isConnected()) {
                assertThat(server.octetsDelivered()).isZero();
                network.step();
            }
            settle();
            assertThat(StreamPair.read(client)).containsExactly(1);
            settle();
        }
    }

    @Test
    void refusesAConnectionWhereNobodyListens() {
        SimStream client = network.connect(SimNetwork.address(2, 4000));
        settle();
        assertThat(client.failed()).isTrue();
        assertThat(client.failure()).containsInstanceOf(ConnectException.class);
        assertThatThrownBy(() -> StreamPair.write(client, StreamPair.octets(1))).hasMessage("connection refused");
        assertThatThrownBy(() -> StreamPair.read(client)).hasMessage("connection refused");
    }

    @Test
    void refusesASecondListenerAndChoosesFreePorts() throws IOException {
        SimListener first = network.listen(SimNetwork.address(2, 0));
        SimListener second = network.listen(SimNetwork.address(2, 0));
        assertThat(first.localAddress().getPort()).isNotZero();
        assertThat(second.localAddress()).isNotEqualTo(first.localAddress());
        assertThatThrownBy(() -> network.listen(first.localAddress())).isInstanceOf(BindException.class);
        first.close();
        assertThat(network.listen(first.localAddress()).localAddress()).isEqualTo(first.localAddress());
    }

    @Test
    void theWildcardTakesConnectionsToAnyAddress() throws IOException {
        SimListener listener = network.listen(new InetSocketAddress(4000));
        SimStream client = network.connect(SimNetwork.address(9, 4000));
        settle();
        assertThat(client.isConnected()).isTrue();
        assertThat(listener.accept().orElseThrow().localAddress()).isEqualTo(SimNetwork.address(9, 4000));
    }

    @Test
    void aFullBacklogDelaysAConnectionUntilThereIsRoom() throws IOException {
        SimListener listener = network.listen(SimNetwork.address(2, 4000), 1);
        SimStream first = network.connect(listener.localAddress());
        SimStream second = network.connect(listener.localAddress());
        network.advanceTo(500_000_000L);
        assertThat(first.isConnected()).isTrue();
        assertThat(second.isConnected()).isFalse();
        assertThat(listener.accept()).isPresent();
        network.advanceTo(1_500_000_000L);
        assertThat(second.isConnected()).isTrue();
    }

    @Test
    void aBacklogThatStaysFullEndsInATimeOut() throws IOException {
        SimListener listener = network.listen(SimNetwork.address(2, 4000), 1);
        network.connect(listener.localAddress());
        SimStream second = network.connect(listener.localAddress());
        settle();
        assertThat(second.failure()).containsInstanceOf(SocketTimeoutException.class);
    }

    @Test
    void closingAListenerResetsWhatItHasNotAccepted() throws IOException {
        SimListener listener = network.listen(SimNetwork.address(2, 4000));
        SimStream client = network.connect(listener.localAddress());
        settle();
        listener.close();
        settle();
        assertThat(client.failure().orElseThrow()).hasMessage("connection reset");
    }

    @Test
    void aConnectionGivenUpDuringTheHandshakeIsResetAtTheServer() throws IOException {
        SimListener listener = network.listen(SimNetwork.address(2, 4000));
        SimStream client = network.connect(listener.localAddress());
        network.step();
        client.close();
        settle();
        assertThat(listener.accept().orElseThrow().failed()).isTrue();
    }
}
