package io.stag.rnic.qp;

import io.stag.rnic.datagram.DatagramAddress;
import io.stag.verbs.DatagramError;
import io.stag.verbs.DatagramRefusal;
import io.stag.verbs.ErrorDetail;
import io.stag.verbs.ErrorDetail.Layer;
import java.net.InetSocketAddress;
import java.util.concurrent.ArrayBlockingQueue;
import org.jspecify.annotations.Nullable;

/** The error queue of a datagram queue pair: bounded, and what does not fit is counted (DG-029). */
final class DatagramErrors {
    private final ArrayBlockingQueue<DatagramError> queue;
    private final Runnable onDropped;

    /** Room for {@code depth} errors; {@code onDropped} counts those that found none. */
    DatagramErrors(int depth, Runnable onDropped) {
        queue = new ArrayBlockingQueue<>(depth);
        this.onDropped = onDropped;
    }

    /** Takes the oldest. Any thread. */
    @Nullable
    DatagramError poll() {
        return queue.poll();
    }

    boolean hasRoom() {
        return queue.remainingCapacity() > 0;
    }

    /** Agent. */
    void add(InetSocketAddress source, ErrorDetail detail) {
        if (!queue.offer(new DatagramError(source, detail))) {
            onDropped.run();
        }
    }

    /** Agent. */
    void add(DatagramAddress source, ErrorDetail detail) {
        add(DatagramAddress.object(source.high(), source.low(), source.port(), source.scope()), detail);
    }

    /** Agent. */
    void refused(DatagramRefusal reason, DatagramAddress source, String fact) {
        add(source, ErrorDetail.of(layer(reason), reason.rule(), fact + ": " + reason.text()));
    }

    private static Layer layer(DatagramRefusal reason) {
        return switch (reason) {
            case TOO_SHORT, VERSION, CRC, KIND, FORMER_LIFE, BEYOND_CREDIT -> Layer.TRANSPORT;
            case HEADER,
                    LAYOUT,
                    MESSAGE_TOO_LONG,
                    INCONSISTENT,
                    DUPLICATE,
                    LATE,
                    NO_RECEIVE,
                    RECEIVE_TOO_SHORT,
                    ACCESS,
                    TOO_MANY_MESSAGES,
                    TOO_MANY_SOURCES -> Layer.DDP;
            case NOT_PERMITTED -> Layer.RDMAP;
        };
    }
}
