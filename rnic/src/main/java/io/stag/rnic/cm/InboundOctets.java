package io.stag.rnic.cm;

import io.stag.rnic.agent.RnicAgent;
import io.stag.rnic.cm.ConnectionLife.Phase;
import io.stag.rnic.mpa.StagingBuffer;
import io.stag.rnic.mpa.StagingPool;
import io.stag.rnic.qp.SoftQueuePair;
import io.stag.rnic.rdmap.DirectReceiver;
import io.stag.rnic.rdmap.DirectTarget;
import io.stag.rnic.rdmap.RdmaStream;
import io.stag.rnic.transport.DirectStream;
import io.stag.rnic.transport.TransportStream;
import io.stag.verbs.ErrorDetail;
import io.stag.verbs.ErrorDetail.Layer;
import io.stag.verbs.QueuePairState;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Reads the octets of one connection, into staging memory or straight to where they belong, and hands them to the startup
 * or to the RDMA stream.
 *
 * <p>Belongs to its connection; everything under the lock of the connection's agent, whose staging memory it borrows for a
 * visit and keeps only while part of a frame is in it.
 */
final class InboundOctets {
    /** Reads per visit, so that a busy peer does not starve the others. */
    private static final int READS_PER_VISIT = 4;
    /** Octets read beyond payload that goes straight to its place: enough for the headers of the next FPDU. */
    private static final int PEEK = 64;
    /** FPDUs per read: no limit but the buffer. */
    private static final int ALL = Integer.MAX_VALUE;

    private final ConnectionTask connection;
    private @Nullable StagingBuffer received; // only while it holds octets
    private int wanted; // octets that the last read could have got
    private boolean ended;

    InboundOctets(ConnectionTask connection) {
        this.connection = connection;
    }

    /** The peer has closed its half. */
    boolean hasEnded() {
        return ended;
    }

    /** Another TCP connection follows. */
    void startAgain() {
        ended = false;
    }

    /** Gives staging memory back. */
    void release(StagingPool pool) {
        if (received != null) {
            pool.release(received);
            received = null;
        }
    }

    /** Takes what there is, up to a limit. @return amount of work done */
    int readAndProcess() {
        TransportStream below = connection.transport();
        if (below == null || ended) {
            return 0;
        }
        RnicAgent agent = connection.agent();
        StagingPool pool = agent.staging();
        StagingBuffer in = received != null ? received : pool.lease();
        received = null;
        int total = 0;
        try {
            for (int i = 0; i < READS_PER_VISIT && connection.phase() != Phase.ENDED; i++) {
                if (in.room() < Math.min(StagingPool.FPDU_CAPACITY, in.capacity() - in.size())) {
                    in.compact();
                }
                int count = readOnce(below, in);
                if (count == DirectStream.GONE) {
                    total++;
                    break;
                }
                if (count < 0) {
                    ended = true;
                    endOfStream(in);
                    total++;
                    break;
                }
                if (count == 0) {
                    break;
                }
                total += count;
                process(in, count);
                if (count < wanted) {
                    break; // that was all: spare the system call that says so
                }
            }
        } catch (IOException e) {
            connection.streamBroke(e);
            total++;
        }
        boolean alive = connection.phase() != Phase.ENDED;
        if (in.size() == 0 || !alive) {
            pool.release(in);
        } else {
            received = pool.settle(in);
        }
        if (total > 0 && alive) {
            agent.heat(connection);
            agent.markActive(connection);
            agent.received(total);
        }
        return total;
    }

    /** Reads to where the next octets belong, {@link #wanted} of them at most. @return as {@link DirectStream} says */
    private int readOnce(TransportStream below, StagingBuffer in) throws IOException {
        RdmaStream stream = connection.stream();
        if (stream == null || !(below instanceof DirectStream able)) {
            wanted = in.room();
            return below.read(in);
        }
        DirectReceiver direct = stream.direct();
        DirectTarget target = direct.target(in);
        if (target == null) {
            wanted = direct.expectsLarge() && in.size() < PEEK ? PEEK : in.room();
            return able.read(MemorySegment.NULL, 0, 0, in, wanted);
        }
        wanted = target.length() + PEEK;
        int count = able.read(target.memory(), target.offset(), target.length(), in, PEEK);
        if (count == DirectStream.GONE) {
            direct.targetGone();
        } else if (count > 0) {
            direct.placed(Math.min(count, target.length()));
        }
        return count;
    }

    private void process(StagingBuffer in, int count) {
        connection.timers().heard();
        int left = count;
        if (connection.phase() == Phase.STARTUP) {
            left -= connection.setup().received(in);
        }
        SoftQueuePair queuePair = connection.linked();
        if (connection.phase() != Phase.FULL_OPERATION || queuePair == null) {
            return;
        }
        if (left > 0 && queuePair.state() == QueuePairState.CLOSING) {
            connection
                    .life()
                    .lose(
                            ErrorDetail.of(
                                    Layer.RDMAP,
                                    "RDMA verbs §6.2.5",
                                    "the peer sent data while the connection was closing"),
                            true);
            return;
        }
        if (left > 0) {
            connection.timers().responderListens();
        }
        queuePair.countReceived(left);
        connection.operating().received(in, ALL);
    }

    private void endOfStream(StagingBuffer in) {
        switch (connection.phase()) {
            case STARTUP -> connection.setup().endOfStream();
            case FULL_OPERATION -> connection.closing().peerFinished(in);
            case TCP_CONNECT, ENDED -> {}
        }
    }
}
