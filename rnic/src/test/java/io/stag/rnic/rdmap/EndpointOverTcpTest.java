package io.stag.rnic.rdmap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stag.simnet.Conforms;
import io.stag.verbs.Access;
import io.stag.verbs.AsyncEvent;
import io.stag.verbs.CompletionQueue;
import io.stag.verbs.CompletionStatus;
import io.stag.verbs.MemoryRegion;
import io.stag.verbs.ProtectionDomain;
import io.stag.verbs.QueuePair;
import io.stag.verbs.QueuePairConfig;
import io.stag.verbs.QueuePairState;
import io.stag.verbs.Rnic;
import io.stag.verbs.RnicConfig;
import io.stag.verbs.VerbsException;
import io.stag.verbs.WorkCompletions;
import io.stag.verbs.cm.Connection;
import io.stag.verbs.cm.ConnectionConfig;
import io.stag.verbs.cm.Listener;
import io.stag.wire.mpa.Fpdu;
import io.stag.wire.rdmap.RdmapOpcode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The whole endpoint against a peer that speaks raw octets on a real socket: how streams begin and how they end. */
class EndpointOverTcpTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final InetSocketAddress ANY = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    private final LinkedBlockingQueue<AsyncEvent> events = new LinkedBlockingQueue<>();
    private final WorkCompletions completed = WorkCompletions.ofCapacity(16);
    private Rnic rnic;
    private CompletionQueue completions;
    private QueuePair queuePair;
    private MemoryRegion memory;

    @BeforeEach
    void open() {
        open(Duration.ofSeconds(30), Duration.ofSeconds(30));
    }

    private void open(Duration startupTimeout, Duration closeTimeout) {
        if (rnic != null) {
            rnic.close();
        }
        rnic = Rnic.open(RnicConfig.builder()
                .startupTimeout(startupTimeout)
                .closeTimeout(closeTimeout)
                .build());
        rnic.onAsyncEvent(events::add);
        ProtectionDomain domain = rnic.allocateProtectionDomain();
        completions = rnic.createCompletionQueue(64);
        queuePair = domain.createQueuePair(QueuePairConfig.builder(completions).build());
        memory = domain.allocate(
                1 << 20, EnumSet.of(Access.LOCAL_READ, Access.LOCAL_WRITE, Access.REMOTE_READ, Access.REMOTE_WRITE));
    }

    @AfterEach
    void close() {
        rnic.close();
    }

    @Test
    @Conforms({"MPA-055", "VRB-003"})
    void aFinWithNothingOutstandingIsAnsweredAndTheQueuePairIsIdleAgain() throws IOException, InterruptedException {
        try (RawTcpPeer peer = established()) {
            queuePair.newReceiveRequests().receive(7).into(memory, 0, 8).post();
            peer.finish();
            assertThat(peer.hears()).as("our FIN, nothing else").isEmpty();
            assertThat(event()).isInstanceOf(AsyncEvent.CloseComplete.class);
            assertThat(queuePair.state()).isEqualTo(QueuePairState.IDLE);
            assertFlushed(7);
        }
    }

    @Test
    @Conforms({"VRB-004", "DDP-042", "RDMAP-069"})
    void aFinDuringOurReadDrawsATerminateThatThePeerCanStillRead() throws IOException, InterruptedException {
        try (RawTcpPeer peer = established()) {
            queuePair.newSendRequests().read(3, 0x1234, 0).into(memory, 0, 8).post();
            assertThat(peer.hears().orElseThrow().opcode()).isEqualTo(RdmapOpcode.READ_REQUEST);
            peer.finish();
            assertTerminate(peer, 0x0207);
            assertThat(event()).isInstanceOf(AsyncEvent.BadClose.class);
            assertFlushed(3);
        }
    }

    @Test
    @Conforms("VRB-004")
    void aFinInsideASendDrawsATerminate() throws IOException, InterruptedException {
        try (RawTcpPeer peer = established()) {
            queuePair.newReceiveRequests().receive(7).into(memory, 0, 4096).post();
            peer.says(Segment.send(RdmapOpcode.SEND, 1, 0, false, new byte[100]));
            peer.finish();
            assertTerminate(peer, 0x0207);
            AsyncEvent event = event();
            assertThat(event).isInstanceOf(AsyncEvent.BadClose.class);
            assertThat(event.detail().fact()).contains("inside a Send");
            assertFlushed(7);
        }
    }

    @Test
    @Conforms({"MPA-049", "DDP-003"})
    void aResetIsReportedAndWhatWasOutstandingIsFlushed() throws IOException, InterruptedException {
        RawTcpPeer peer = established();
        queuePair.newSendRequests().read(4, 0x1234, 0).into(memory, 0, 8).post();
        assertThat(peer.hears()).isPresent();
        peer.reset();
        AsyncEvent event = event();
        assertThat(event).isInstanceOf(AsyncEvent.StreamLost.class);
        assertThat(event.detail().toString()).contains("RFC 5044");
        assertThat(queuePair.state()).isEqualTo(QueuePairState.ERROR);
        assertFlushed(4);
    }

    @Test
    @Conforms({"RDMAP-069", "MPA-054"})
    void aTerminateIsFollowedByAFinAndNotByAReset() throws IOException, InterruptedException {
        try (RawTcpPeer peer = established()) {
            peer.says(Segment.write(0xdead01, 0, true, new byte[8]));
            peer.says(Segment.write(0xdead01, 0, true, new byte[8])); // unread input must not turn FIN into a reset
            assertTerminate(peer, 0x1100);
            assertThat(event()).isInstanceOf(AsyncEvent.PeerError.class);
        }
    }

    @Test
    @Conforms("VRB-006")
    void theEndAfterATerminateIsBoundedInTimeWhenThePeerNeverCloses() throws IOException, InterruptedException {
        open(Duration.ofSeconds(30), Duration.ofMillis(200));
        try (RawTcpPeer peer = established()) {
            peer.says(Segment.write(0xdead01, 0, true, new byte[8]));
            assertTerminate(peer, 0x1100);
            assertThat(connection.awaitDisconnected(PATIENCE)).isTrue();
            assertThat(queuePair.state()).isEqualTo(QueuePairState.ERROR);
        }
    }

    @Test
    @Conforms({"VRB-009", "DDP-041"})
    void dataThatComesWhileWeCloseIsABadClose() throws IOException, InterruptedException {
        try (RawTcpPeer peer = established()) {
            connection.disconnect();
            assertThat(peer.hears()).as("our FIN").isEmpty();
            peer.says(Segment.write(memory.stag(), 0, true, new byte[] {1}));
            assertThat(event()).isInstanceOf(AsyncEvent.BadClose.class);
            assertThat(queuePair.state()).isEqualTo(QueuePairState.ERROR);
            assertThat(memory.segment().get(java.lang.foreign.ValueLayout.JAVA_BYTE, 0))
                    .as("nothing is placed")
                    .isZero();
        }
    }

    @Test
    @Conforms("VRB-003")
    void aMessageThatCarriesNothingMayComeWhileWeClose() throws IOException, InterruptedException {
        try (RawTcpPeer peer = established()) {
            connection.disconnect();
            assertThat(peer.hears()).as("our FIN").isEmpty();
            peer.says(Segment.write(0, 0, true, new byte[0]));
            peer.finish();
            assertThat(event()).isInstanceOf(AsyncEvent.CloseComplete.class);
            assertThat(queuePair.state()).isEqualTo(QueuePairState.IDLE);
        }
    }

    @Test
    @Conforms("VRB-009")
    void aPieceOfAnFpduThatComesWhileWeCloseIsABadClose() throws IOException, InterruptedException {
        try (RawTcpPeer peer = established()) {
            connection.disconnect();
            assertThat(peer.hears()).as("our FIN").isEmpty();
            peer.octets("000ec1400000");
            peer.finish();
            assertThat(event()).isInstanceOf(AsyncEvent.BadClose.class);
            assertThat(queuePair.state()).isEqualTo(QueuePairState.ERROR);
        }
    }

    @Test
    @Conforms("CM-044")
    void anInitiatorThatCannotHoldSoManyReadsSaysSoInItsFirstFpdu() throws IOException {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Connection attempt = rnic.connectionManager()
                    .connect(
                            queuePair, (InetSocketAddress) server.getLocalSocketAddress(), ConnectionConfig.defaults());
            try (RawTcpPeer peer = new RawTcpPeer(server.accept())) {
                peer.startupFrame();
                peer.reply("8010bffe"); // IRD 16, ORD 0x3FFE
                assertTerminate(peer, 0x2006);
            }
            assertThatThrownBy(() -> attempt.awaitEstablished(PATIENCE))
                    .isInstanceOf(VerbsException.class)
                    .hasMessageContaining("RFC 6581");
        }
    }

    @Test
    void theSizeOfFpdusFollowsFromTheSegmentSizeThatIsAskedFor() throws IOException {
        try (RawTcpPeer peer =
                established(ConnectionConfig.builder().segmentSize(1460).build())) {
            queuePair
                    .newSendRequests()
                    .write(1, 0x1234, 0)
                    .from(memory, 0, 10_000)
                    .post();
            for (int left = 10_000; left > 0; ) {
                Segment segment = peer.hears().orElseThrow();
                assertThat(segment.length()).isEqualTo(Math.min(Fpdu.mulpdu(1460, false), left + 14));
                left -= segment.length() - 14;
            }
        }
    }

    @Test
    @Conforms({"SEC-027", "CM-030", "CM-032"})
    void aPeerThatSaysNothingOrDripsOctetsIsDroppedInTime() throws IOException {
        open(Duration.ofMillis(200), Duration.ofSeconds(30));
        Listener listener = rnic.connectionManager().listen(ANY, 4);
        try (RawTcpPeer silent = RawTcpPeer.connect(listener.address());
                RawTcpPeer slow = RawTcpPeer.connect(listener.address())) {
            slow.octets("4d");
            assertThat(silent.seesTheEnd()).isTrue();
            assertThat(slow.seesTheEnd()).isTrue();
        }
        assertThat(listener.poll()).isEmpty();
        assertThat(rnic.snapshot().connectionsHalfOpen()).isZero();
    }

    @Test
    @Conforms({"SEC-027", "CM-005"})
    void whoSpeaksHttpOrTlsIsDroppedAtOnce() throws IOException {
        Listener listener = rnic.connectionManager().listen(ANY, 4);
        for (String greeting :
                new String[] {"474554202f20485454502f312e310d0a0d0a", "16030100c8010000c4030342424242424242424242"}) {
            try (RawTcpPeer peer = RawTcpPeer.connect(listener.address())) {
                peer.octets(greeting);
                assertThat(peer.seesTheEnd()).isTrue();
            }
        }
        assertThat(rnic.snapshot().connectionsFailed()).isEqualTo(2);
    }

    @Test
    void aPeerThatChoosesPeerToPeerMustSendItsFirstMessageInTime() throws IOException {
        open(Duration.ofMillis(200), Duration.ofSeconds(30));
        Listener listener = rnic.connectionManager().listen(ANY, 4);
        try (RawTcpPeer peer = RawTcpPeer.connect(listener.address())) {
            peer.request("8010c010");
            Connection accepted = listener.await(PATIENCE).orElseThrow().accept(queuePair, ConnectionConfig.defaults());
            peer.startupFrame();
            assertThat(peer.seesTheEnd()).isTrue();
            assertThatThrownBy(() -> accepted.awaitEstablished(PATIENCE))
                    .isInstanceOf(VerbsException.class)
                    .hasMessageContaining("RFC 6581 §9.2");
        }
    }

    private Connection connection;

    private RawTcpPeer established() throws IOException {
        return established(ConnectionConfig.defaults());
    }

    /** A connection that the endpoint accepted; the peer has sent its first message. */
    private RawTcpPeer established(ConnectionConfig config) throws IOException {
        Listener listener = rnic.connectionManager().listen(ANY, 4);
        RawTcpPeer peer = RawTcpPeer.connect(listener.address());
        peer.request("8010c010"); // peer to peer, IRD and ORD 16, first message by Write or Read
        connection = listener.await(PATIENCE).orElseThrow().accept(queuePair, config);
        peer.startupFrame();
        peer.says(Segment.write(1, 0, true, new byte[0]));
        connection.awaitEstablished(PATIENCE);
        return peer;
    }

    private static void assertTerminate(RawTcpPeer peer, int code) throws IOException {
        Segment terminate = peer.hears().orElseThrow();
        assertThat(terminate.opcode()).isEqualTo(RdmapOpcode.TERMINATE);
        assertThat(terminate.terminateHeader().code()).isEqualTo(code);
        assertThat(peer.hears()).as("FIN after the Terminate").isEqualTo(Optional.empty());
    }

    private AsyncEvent event() throws InterruptedException {
        AsyncEvent event = events.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        assertThat(event).as("an asynchronous event").isNotNull();
        return event;
    }

    private void assertFlushed(long id) {
        assertThat(completions.await(completed, PATIENCE)).isEqualTo(1);
        assertThat(completed.id(0)).isEqualTo(id);
        assertThat(completed.status(0)).isEqualTo(CompletionStatus.WR_FLUSH_ERR);
        assertThat(completed.detail(0)).isNotNull();
    }
}
