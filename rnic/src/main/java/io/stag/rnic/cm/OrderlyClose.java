package io.stag.rnic.cm;

import io.stag.rnic.cm.ConnectionLife.Phase;
import io.stag.rnic.mpa.StagingBuffer;
import io.stag.rnic.qp.SoftQueuePair;
import io.stag.rnic.rdmap.RdmaStream;
import io.stag.rnic.rdmap.StreamFailure.Origin;
import io.stag.rnic.transport.TransportStream;
import io.stag.verbs.ErrorDetail;
import io.stag.verbs.ErrorDetail.Layer;
import io.stag.verbs.QueuePairState;
import io.stag.verbs.cm.Connection.State;
import io.stag.wire.rdmap.TerminateCode;
import java.io.IOException;

/**
 * The end of a connection in full operation step by step, so that nothing sent is lost: when the stream is quiet the
 * queue pair closes, then our half of TCP after the last octet, and with the peer's half all is over. The end after a
 * Terminate takes the same steps. What ends otherwise is {@link ConnectionLife#lose lost}.
 *
 * <p>Belongs to its connection; everything under the lock of the connection's agent.
 */
final class OrderlyClose {
    private final CmHost host;
    private final ConnectionTask connection;
    private boolean whenQuiet; // a program asked for the end
    private boolean outputClosed;

    OrderlyClose(CmHost host, ConnectionTask connection) {
        this.host = host;
        this.connection = connection;
    }

    /** A program asks for the end. */
    void begin() {
        if (whenQuiet) {
            return;
        }
        connection.life().disconnecting();
        whenQuiet = true;
        connection.linkedQueuePair().announceClosing();
        finishing();
        if (host.invoker()) {
            connection.transmit();
        }
    }

    /** The stream has its last octets to send: they get a limited time. */
    void finishing() {
        connection.timers().closeInTime();
        connection.agent().ring(connection); // not from here: the stream is in the middle of a step
    }

    /** Octets came after the queue pair had closed. */
    void received(StagingBuffer in) {
        if (!connection.operating().receivedAfterFinish(in)) {
            badClose();
        }
    }

    private void badClose() {
        connection
                .life()
                .lose(
                        ErrorDetail.of(
                                Layer.RDMAP,
                                "RDMA verbs §6.2.5",
                                "the peer sent data while the connection was closing"),
                        true);
    }

    /** The peer closed its half of TCP; {@code unread} is what it sent before and no FPDU was made of. */
    void peerFinished(StagingBuffer unread) {
        SoftQueuePair queuePair = connection.linkedQueuePair();
        boolean insideFpdu = unread.size() > 0;
        if (queuePair.state() == QueuePairState.CLOSING && insideFpdu) {
            badClose();
            return;
        }
        if (queuePair.state() != QueuePairState.RTS) {
            return;
        }
        RdmaStream stream = connection.operating();
        boolean insideSend = stream.isInsideSend();
        if (stream.isQuiet() && !insideFpdu && !insideSend) {
            queuePair.beginClosing();
            finishing();
        } else {
            stream.terminate(
                    TerminateCode.RDMAP_CATASTROPHIC_STREAM,
                    Layer.TRANSPORT,
                    "RDMA verbs §6.2.2.3",
                    "the peer closed the stream "
                            + (insideFpdu
                                    ? "inside an FPDU"
                                    : insideSend ? "inside a Send" : "while requests were outstanding"),
                    Origin.CLOSE);
        }
    }

    /**
     * Besides what programs asked for, the messages of the engines themselves are over: a peer may take a FIN for a bad
     * close that comes before its first message has left, or while it answers a Read of nothing (RDMA verbs §6.2.2.3).
     */
    private boolean isComplete(RdmaStream stream) {
        return stream.isQuiet() && !stream.awaitsAnswer() && connection.life().state() != State.CONNECTING;
    }

    /** A program asked for the end. */
    boolean isAsked() {
        return whenQuiet;
    }

    /** Takes the steps that are due after octets have left. */
    void advance(TransportStream below) {
        RdmaStream stream = connection.stream();
        if (stream != null && (whenQuiet || outputClosed || stream.outputFinished())) {
            advance(below, stream);
        }
    }

    private void advance(TransportStream below, RdmaStream stream) {
        SoftQueuePair queuePair = connection.linked();
        if (connection.phase() != Phase.FULL_OPERATION || queuePair == null) {
            return;
        }
        if (whenQuiet && queuePair.state() == QueuePairState.RTS && isComplete(stream)) {
            queuePair.beginClosing();
        }
        if (!outputClosed && !connection.outputWaits() && stream.outputFinished()) {
            outputClosed = true;
            try {
                below.finishOutput();
            } catch (IOException e) {
                connection
                        .life()
                        .lose(TransportFault.of("the stream to " + connection.remoteAddress() + " broke", e), false);
                return;
            }
        }
        if (outputClosed && connection.inputEnded()) {
            connection.life().closed();
        }
    }
}
