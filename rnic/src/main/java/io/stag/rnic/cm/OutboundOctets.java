package io.stag.rnic.cm;

import io.stag.rnic.agent.RnicAgent;
import io.stag.rnic.cm.ConnectionLife.Phase;
import io.stag.rnic.mpa.Splices;
import io.stag.rnic.mpa.StagingBuffer;
import io.stag.rnic.mpa.StagingPool;
import io.stag.rnic.qp.SoftQueuePair;
import io.stag.rnic.rdmap.RdmaStream;
import io.stag.rnic.transport.GatheringStream;
import io.stag.rnic.transport.TransportStream;
import io.stag.verbs.ErrorDetail;
import io.stag.verbs.ErrorDetail.Layer;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Writes the octets of one connection: asks the startup or the RDMA stream for them, staged or left in the program's
 * memory, and gives them to the transport as far as it takes them.
 *
 * <p>Belongs to its connection; everything under the lock of the connection's agent, whose staging memory it borrows for a
 * visit and keeps only while the transport is full.
 */
final class OutboundOctets {
    /** TCP begins with segments smaller than the path's where the window is small, and the path may change. */
    private static final long UNTIL_FIRST_LOOK = 64 * 1024;
    /** Octets sent between two looks at the size of TCP segments. */
    private static final long BETWEEN_LOOKS = 16 * 1024 * 1024;
    /** The first write of a visit: the peer soon has something to do. Those that follow double: few large calls cost less. */
    private static final int FIRST_WRITE = 32 * 1024;

    private final ConnectionTask connection;
    private @Nullable StagingBuffer unsent; // only while it holds octets
    private int startupUnsent; // octets of the startup frame still in unsent
    private long untilLook = UNTIL_FIRST_LOOK;

    OutboundOctets(ConnectionTask connection) {
        this.connection = connection;
    }

    /** The transport is full, and octets wait. */
    boolean waits() {
        return unsent != null;
    }

    /** Another TCP connection follows: forgets the rest of what was for this one. */
    void startAgain(StagingPool pool) {
        release(pool);
        startupUnsent = 0;
    }

    /** Gives staging memory back. */
    void release(StagingPool pool) {
        if (unsent != null) {
            pool.release(unsent);
            unsent = null;
        }
    }

    /** {@link #transmit} after input. Most of it asks for nothing, which is found out without borrowing memory. */
    void transmitAnswers() {
        TransportStream below = connection.transport();
        if (below != null && hasNothing()) {
            connection.closing().advance(below);
        } else {
            transmit();
        }
    }

    /** Sends what there is, as far as the stream takes it. @return amount of work done */
    int transmit() {
        TransportStream below = connection.transport();
        if (below == null || !isStreaming()) {
            return 0;
        }
        StagingPool pool = connection.agent().staging();
        Splices splices = pool.splices();
        StagingBuffer out = unsent;
        boolean waited = out != null;
        if (out == null) {
            out = pool.lease();
        } else {
            unsent = null;
        }
        int total = 0;
        int enough = FIRST_WRITE;
        try {
            while (true) {
                if (out.size() == 0) {
                    if (enough > out.capacity()) {
                        pool.release(out);
                        out = pool.lease(enough);
                    }
                    fill(out, enough);
                    enough = Math.min(2 * enough, StagingPool.LARGE_CAPACITY);
                }
                if (out.size() == 0) {
                    break;
                }
                int count;
                if (splices.count() == 0) {
                    count = below.write(out);
                } else {
                    int size = out.size() + splices.total();
                    count = writeSpliced(out, splices);
                    if (count == GatheringStream.GONE) {
                        continue; // with what came before it
                    }
                    if (count < size && connection.phase() != Phase.ENDED) {
                        out = stageRest(out, count, splices);
                    } else {
                        out.clear();
                    }
                    splices.clear();
                }
                total += count;
                taken(count);
                if (out.size() > 0) {
                    break; // the stream is full
                }
            }
        } catch (IOException e) {
            out.clear();
            splices.clear();
            connection.streamBroke(e);
        } catch (RuntimeException | VirtualMachineError e) { // the end of this connection, and of no other
            pool.release(out);
            throw e;
        }
        settle(below, pool, out, waited, total > 0);
        connection.closing().advance(below);
        return total;
    }

    private boolean isStreaming() {
        Phase phase = connection.phase();
        return phase == Phase.FULL_OPERATION || phase == Phase.STARTUP;
    }

    private boolean hasNothing() {
        RdmaStream stream = connection.stream();
        return unsent == null && stream != null && !stream.hasOutput() && connection.phase() == Phase.FULL_OPERATION;
    }

    /** Keeps what the stream did not take. */
    private void settle(TransportStream below, StagingPool pool, StagingBuffer out, boolean waited, boolean progress) {
        RnicAgent agent = connection.agent();
        if (connection.phase() == Phase.ENDED || out.size() == 0) {
            pool.release(out);
            if (waited && isStreaming()) {
                below.awaitWritable(false);
            }
        } else {
            unsent = pool.settle(out);
            below.awaitWritable(true);
            connection.timers().outputStalled(progress || !waited);
            if (!waited) {
                connection.timers().rearm();
                countSendStall();
            }
        }
        if (progress && connection.phase() != Phase.ENDED) {
            agent.markActive(connection);
        }
        if (unsent == null && connection.phase() == Phase.STARTUP) {
            connection.setup().allSent();
        }
    }

    private int writeSpliced(StagingBuffer out, Splices splices) throws IOException {
        if (!(connection.transport() instanceof GatheringStream gathering)) {
            throw new IllegalStateException(
                    "payload was left where it is, but the transport cannot take it from there");
        }
        int count = gathering.write(out, splices);
        if (count == GatheringStream.GONE) {
            connection.operating().spliceGone(out, splices, splices.firstGone());
        }
        return count;
    }

    /** Programs may take their memory away at any moment, so what has to wait is copied. @return the buffer with the rest */
    private StagingBuffer stageRest(StagingBuffer out, int taken, Splices splices) {
        StagingPool pool = connection.agent().staging();
        StagingBuffer rest = pool.leaseFor(out.size() + splices.total() - taken);
        int gone = splices.copyRest(out, taken, rest);
        if (gone != Splices.COPIED) {
            connection.operating().markGone(gone);
            rest.clear();
            connection
                    .life()
                    .lose(
                            ErrorDetail.of(
                                    Layer.VERBS,
                                    "RDMA verbs §6.2.4",
                                    "the program took away memory while it was being sent; the stream was reset"),
                            false);
        }
        pool.release(out);
        return rest;
    }

    private void countSendStall() {
        SoftQueuePair queuePair = connection.linked();
        if (queuePair != null) {
            queuePair.countSendStall();
        }
    }

    private void fill(StagingBuffer out, int enough) {
        RdmaStream stream = connection.stream();
        if (connection.phase() == Phase.STARTUP) {
            int count = connection.setup().pollTransmit(out);
            startupUnsent += count;
            if (count > 0) {
                connection.setup().handleEvent();
            }
        } else if (stream != null) {
            stream.pollTransmit(
                    out,
                    connection.transport() instanceof GatheringStream
                            ? connection.agent().staging().splices()
                            : null,
                    enough);
        }
    }

    private void taken(int count) {
        int startup = Math.min(count, startupUnsent);
        startupUnsent -= startup;
        RdmaStream stream = connection.stream();
        if (stream != null && count > startup) {
            stream.transmitted(count - startup);
            untilLook -= count;
            if (untilLook <= 0 && connection.config().segmentSize() == 0) {
                untilLook = BETWEEN_LOOKS;
                stream.segmentSize(connection.streamBelow().segmentSize());
            }
        }
    }
}
