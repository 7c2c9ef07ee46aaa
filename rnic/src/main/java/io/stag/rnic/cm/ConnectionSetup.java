package io.stag.rnic.cm;

import io.stag.rnic.mpa.Negotiated;
import io.stag.rnic.mpa.StagingBuffer;
import io.stag.rnic.mpa.StartupEvent;
import io.stag.rnic.mpa.StartupMachine;
import io.stag.rnic.mpa.StartupOffer;
import io.stag.rnic.qp.SoftQueuePair;
import io.stag.rnic.rdmap.RdmaStream;
import io.stag.rnic.rdmap.StreamFailure.Origin;
import io.stag.rnic.rdmap.StreamSettings;
import io.stag.rnic.transport.GatheringStream;
import io.stag.rnic.transport.TransportStream;
import io.stag.verbs.ErrorDetail;
import io.stag.verbs.ErrorDetail.Layer;
import io.stag.verbs.VerbsError;
import io.stag.verbs.VerbsException;
import io.stag.verbs.cm.Connection.State;
import io.stag.verbs.cm.ConnectionConfig;
import io.stag.verbs.cm.ConnectionInfo;
import java.net.InetSocketAddress;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One connection up to full operation: drives the startup machine of its role in its time, and keeps what the two sides
 * told each other. The two roles differ in how it begins and in who decides.
 *
 * <p>Belongs to its connection. Any thread may read the results ({@link #info}, {@link #peerPrivateData},
 * {@link #localAddress}); everything else is called under the lock of the connection's agent, unless it says otherwise.
 * Once {@link ConnectionLife.Phase#FULL_OPERATION} is reached nothing but the results is used.
 */
abstract sealed class ConnectionSetup permits InitiatorSetup, ResponderSetup {
    final CmHost host;
    final ConnectionTask connection;

    private volatile @Nullable ConnectionInfo info;
    private volatile InetSocketAddress local = new InetSocketAddress(0);
    private volatile byte[] peerPrivateData = {};

    ConnectionSetup(CmHost host, ConnectionTask connection) {
        this.host = host;
        this.connection = connection;
    }

    // what came of it; any thread

    final @Nullable ConnectionInfo info() {
        return info;
    }

    final InetSocketAddress localAddress() {
        return local;
    }

    /** Not a copy: nobody changes it. */
    final byte[] peerPrivateData() {
        return peerPrivateData;
    }

    // what the roles do in their own ways

    /** Begins. */
    abstract void begin();

    /** The transport has something to say while TCP is not yet connected. */
    void connectReady() {
        throw new IllegalStateException("the peer connected, not we");
    }

    /** The time is over. */
    abstract void onDeadline(long now);

    /** The stream broke. @return true when that is a peer's way to say no, and was taken as such */
    boolean takesResetAsRefusal() {
        return false;
    }

    /** The transport has taken everything. */
    void allSent() {}

    /** The connection ended, set up or not. */
    void connectionEnded() {}

    /** Both sides agreed and the stream operates: the first steps of the role. */
    abstract void agreed(Negotiated negotiated, long now);

    /** Does what the machine says next. */
    abstract void handleEvent();

    /** The machine of the role; throws while there is none. */
    abstract StartupMachine machine();

    // driving the machine

    /** Octets came. @return how many of them belong to the startup */
    final int received(StagingBuffer in) {
        int taken = machine().handleOctets(in.segment(), in.start(), in.size());
        in.consume(taken);
        handleEvent();
        return taken;
    }

    /** Puts octets to send into {@code out}; if there were any, {@link #handleEvent} is due. @return how many */
    final int pollTransmit(StagingBuffer out) {
        int count = machine().pollTransmit(out.segment(), out.end(), out.room());
        out.append(count);
        return count;
    }

    /** The peer closed its half of TCP. */
    final void endOfStream() {
        machine().handleEndOfStream();
        handleEvent();
    }

    // steps of both roles

    final void tcpConnected() {
        local = connection.streamBelow().localAddress();
    }

    /** The peer's frame carried this for the program. */
    final void privateDataCame(byte[] privateData) {
        peerPrivateData = privateData;
    }

    final void fail(ErrorDetail detail, State outcome) {
        connection.life().fail(detail, outcome);
    }

    /** The peer refused. */
    final void rejectedByPeer(StartupEvent.Rejected rejected) {
        info = infoOf(rejected.negotiated());
        fail(rejected.detail(), State.REJECTED);
    }

    /** Refuses what the queue pair cannot do, before anything begins. Any thread. */
    static void check(SoftQueuePair queuePair, ConnectionConfig config) {
        if (!config.livenessProbe().isZero() && queuePair.config().maxOutboundReads() == 0) {
            throw new VerbsException(
                    VerbsError.INVALID_ARGUMENT,
                    "a liveness probe is a Read, and the queue pair has no outbound reads (maxOutboundReads)");
        }
    }

    /** What we can do and want. */
    static StartupOffer offer(SoftQueuePair queuePair, ConnectionConfig config, int revision) {
        return new StartupOffer(
                revision,
                config.crc(),
                config.markers(),
                config.peerToPeer(),
                config.readyToReceive(),
                queuePair.config().maxInboundReads(),
                queuePair.config().maxOutboundReads(),
                queuePair.protectionDomain().rnic().limits().maxInboundReads(),
                config.fallBackToRevision1());
    }

    /** The startup is over; if {@code refused}, the stream carries but a Terminate. */
    final void establish(Negotiated negotiated, StartupEvent.@Nullable TerminateNeeded refused) {
        boolean initiator = connection.isInitiator();
        SoftQueuePair queuePair = connection.linkedQueuePair();
        TransportStream below = connection.streamBelow();
        ConnectionConfig config = connection.config();
        info = infoOf(negotiated);
        int emss = config.segmentSize() > 0 ? config.segmentSize() : below.segmentSize();
        RdmaStream started = queuePair.start(new StreamSettings(
                initiator,
                negotiated.crc(),
                negotiated.markersSent(),
                negotiated.markersReceived(),
                emss,
                negotiated.ird(),
                negotiated.ord(),
                initiator && refused == null ? negotiated.readyToReceive() : null,
                initiator ? Set.of() : negotiated.agreed(), // only a responder gets a ready-to-receive message
                queuePair.config().allowRemoteRead(),
                queuePair.config().allowRemoteWrite()));
        if (below instanceof GatheringStream gathering) {
            started.useGathering(gathering.leastGathered());
        }
        long now = connection.agent().nanoTime();
        connection.operate(started);
        connection.timers().begin(config, now);
        if (refused == null) {
            agreed(negotiated, now);
            return;
        }
        connection.life().doomed(refused.detail());
        started.terminate(
                refused.code(),
                Layer.MPA,
                refused.detail().clause(),
                refused.detail().fact(),
                Origin.LOCAL);
    }

    private static ConnectionInfo infoOf(Negotiated negotiated) {
        return new ConnectionInfo(
                negotiated.revision(),
                negotiated.crc(),
                negotiated.markersSent(),
                negotiated.markersReceived(),
                negotiated.peerToPeer(),
                negotiated.ird(),
                negotiated.ord(),
                negotiated.peerIrd(),
                negotiated.peerOrd());
    }
}
