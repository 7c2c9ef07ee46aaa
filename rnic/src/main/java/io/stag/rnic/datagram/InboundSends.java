package io.stag.rnic.datagram;

import io.stag.rnic.memory.AccessCheck;
import io.stag.rnic.memory.Grant;
import io.stag.rnic.work.ReceiveQueue;
import io.stag.rnic.work.ReceiveWork;
import io.stag.rnic.work.ScatterCopy;
import io.stag.rnic.work.ScatterList;
import io.stag.verbs.DatagramInfo;
import io.stag.verbs.DatagramRefusal;
import io.stag.verbs.ErrorDetail;
import io.stag.verbs.ErrorDetail.Layer;
import io.stag.verbs.WorkCompletions;
import org.jspecify.annotations.Nullable;

/** Sends: put together in the buffers of their receives, and delivered whole or not at all. */
final class InboundSends {
    private final DatagramReceiver receiver;
    private final ScatterCopy copy;
    private final DatagramCounts counts;
    private final DatagramOwner owner;
    private final ReceivePool receives;
    private final DatagramInfo info = new DatagramInfo();

    InboundSends(
            DatagramReceiver receiver,
            DatagramSettings settings,
            DatagramCounts counts,
            ReceiveQueue queue,
            DatagramOwner owner) {
        this.receiver = receiver;
        copy = new ScatterCopy(settings.domain(), settings.queuePair());
        this.counts = counts;
        this.owner = owner;
        receives = new ReceivePool(queue, owner::receiveTaken);
    }

    void accept(@Nullable Source known, @Nullable OpenMessage open, Arrival arrival) {
        // a message in one datagram needs no memory of its source: a duplicate of it would take a receive of its own
        Source source = receiver.reassembly.admit(known, arrival);
        if (open != null) {
            acceptSegment(open, arrival);
            return;
        }
        if (source != null) {
            receiver.reassembly.laterSeen(source, arrival); // it may take the receive of one whose rest is lost
        } else if (!arrival.isWhole()) {
            receiver.refuse(DatagramRefusal.TOO_MANY_SOURCES, "Send of a new source in several datagrams");
            return;
        }
        ReceiveWork receive = take(arrival);
        if (receive == null) {
            close(source, arrival); // neither its rest nor a duplicate must find a receive that is posted later
        } else if (source == null || arrival.isWhole()) {
            acceptWhole(source, receive, arrival);
        } else {
            begin(source, receive, arrival);
        }
    }

    private @Nullable ReceiveWork take(Arrival arrival) {
        ReceiveWork receive = receives.take();
        if (receive == null && receiver.reassembly.displaceSend(arrival.nowNanos())) {
            receive = receives.take();
        }
        if (receive == null) {
            receiver.refuse(DatagramRefusal.NO_RECEIVE, owner.wantsRefusals() ? "a Send of " + octets(arrival) : "");
            return null;
        }
        if (receive.buffers.total() < arrival.length) {
            receiver.refuse(
                    DatagramRefusal.RECEIVE_TOO_SHORT,
                    owner.wantsRefusals()
                            ? "a Send of " + octets(arrival) + " came for a receive of " + receive.buffers.total()
                            : "");
            receives.giveBack(receive);
            return null;
        }
        return receive;
    }

    private static String octets(Arrival arrival) {
        return arrival.length + " octets";
    }

    private void acceptWhole(@Nullable Source source, ReceiveWork receive, Arrival arrival) {
        pin(receive.buffers);
        AccessCheck check = place(receive.buffers, arrival);
        close(source, arrival);
        if (check == AccessCheck.OK) {
            deliver(receive, arrival);
        } else {
            fail(receive, check);
        }
    }

    private static void close(@Nullable Source source, Arrival arrival) {
        if (source != null) {
            source.close(arrival.id);
        }
    }

    private void begin(Source source, ReceiveWork receive, Arrival arrival) {
        OpenMessage message = receiver.reassembly.open(source, arrival);
        if (message == null) {
            receives.giveBack(receive);
            receiver.refuse(DatagramRefusal.TOO_MANY_MESSAGES, "Send in several datagrams");
            return;
        }
        pin(receive.buffers);
        message.receive = receive;
        acceptSegment(message, arrival);
    }

    private void acceptSegment(OpenMessage message, Arrival arrival) {
        ReceiveWork receive = message.receive;
        if (receive == null) {
            throw new IllegalStateException("a Send without receive is open");
        }
        AccessCheck check = place(receive.buffers, arrival);
        if (check != AccessCheck.OK) {
            receiver.reassembly.close(message);
            fail(receive, check);
        } else if (receiver.reassembly.placed(message, arrival)) {
            receiver.reassembly.close(message);
            deliver(receive, arrival);
        }
    }

    /** Memory that is registered anew under the same region does not belong to the message any more. */
    private static void pin(ScatterList buffers) {
        for (int i = 0; i < buffers.count(); i++) {
            Grant grant = buffers.region(i).grant();
            if (grant != null) {
                buffers.pin(i, grant);
            }
        }
    }

    private AccessCheck place(ScatterList buffers, Arrival arrival) {
        AccessCheck check = copy.place(buffers, arrival.offset, arrival.memory, arrival.payloadAt, arrival.payload);
        if (check == AccessCheck.OK) {
            counts.octetsPlaced += arrival.payload;
        }
        return check;
    }

    private void deliver(ReceiveWork receive, Arrival arrival) {
        counts.messagesReceived++;
        info.setSource(arrival.sourceHigh, arrival.sourceLow, arrival.sourcePort, arrival.sourceScope);
        info.setMessage(0, 0, arrival.length, arrival.length);
        owner.receiveCompleted(receive, arrival.length, arrival.solicited ? WorkCompletions.SOLICITED : 0, info);
        receives.done(receive);
    }

    private void fail(ReceiveWork receive, AccessCheck check) {
        owner.receiveFailed(
                receive,
                check.localStatus(),
                ErrorDetail.of(Layer.VERBS, "RDMA verbs §8.1", "a buffer of the receive: " + check.text()));
        receives.done(receive);
    }

    /** A message is over without the rest. */
    void giveUp(OpenMessage message) {
        ReceiveWork receive = message.receive;
        if (receive != null) {
            receives.giveBack(receive);
        }
    }
}
