package io.stag.rnic.cm;

import io.stag.rnic.agent.RnicAgent;
import io.stag.rnic.cm.ConnectionLife.Phase;
import io.stag.rnic.mpa.StagingBuffer;
import io.stag.rnic.mpa.StagingPool;
import io.stag.rnic.qp.SoftQueuePair;
import io.stag.rnic.transport.TransportStream;
import io.stag.verbs.QueuePairState;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Reads the octets of one connection into staging memory and hands them to the startup or to the RDMA stream.
 *
 * <p>Belongs to its connection; everything under the lock of the connection's agent, whose staging memory it borrows for a
 * visit and keeps only while part of a frame is in it.
 */
final class InboundOctets {
    /** Reads per visit, so that a busy peer does not starve the others. */
    private static final int READS_PER_VISIT = 4;
    /** FPDUs per read: no limit but the buffer. */
    private static final int ALL = Integer.MAX_VALUE;

    private final ConnectionTask connection;
    private @Nullable StagingBuffer received; // only while it holds octets
    private boolean ended;

    InboundOctets(ConnectionTask connection) {
        this.connection = connection;
    }

    /** The peer has closed its half. */
    boolean hasEnded() {
        return ended;
    }

    /** Part of a frame is here. */
    boolean holdsPart() {
        return received != null;
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
        StagingBuffer in = received;
        if (in == null) {
            in = pool.lease();
        } else {
            received = null;
        }
        int total = 0;
        try {
            for (int i = 0; i < READS_PER_VISIT && connection.phase() != Phase.ENDED; i++) {
                if (in.room() < Math.min(StagingPool.FPDU_CAPACITY, in.capacity() - in.size())) {
                    in.compact();
                }
                int wanted = in.room();
                int count = below.read(in);
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
        } catch (RuntimeException | VirtualMachineError e) { // the end of this connection, and of no other
            pool.release(in);
            throw e;
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
        queuePair.countReceived(left);
        if (queuePair.state() == QueuePairState.CLOSING) {
            connection.closing().received(in);
            return;
        }
        if (left > 0) {
            connection.timers().responderListens();
        }
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
