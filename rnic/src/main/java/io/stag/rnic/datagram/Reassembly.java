package io.stag.rnic.datagram;

import io.stag.verbs.DatagramRefusal;
import io.stag.wire.SerialNumber;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** What is known of sources and of the messages that are on their way, and when to give one up. */
final class Reassembly {
    /** Nothing to wait for. */
    static final long NEVER = Long.MAX_VALUE;

    /** A message may be given up for another after this part of its time-out. */
    private static final int DISPLACED_AFTER = 4;

    /** Who knows what a message is. */
    interface Ender {
        /** The message will not be completed; its source has noted that already. */
        void giveUp(OpenMessage message);
    }

    private final DatagramSettings settings;
    private final DatagramCounts counts;
    private final Ender ender;
    private final Sources sources;
    private final OpenMessages open;
    private long earliestDeadline = NEVER; // perhaps too early, never too late

    Reassembly(DatagramSettings settings, DatagramCounts counts, Ender ender) {
        this.settings = settings;
        this.counts = counts;
        this.ender = ender;
        sources = new Sources(settings.maxSources(), settings.sourceIdleNanos(), settings.salt());
        open = new OpenMessages(settings.maxOpenMessages(), settings.maxReassemblyOctets());
    }

    int openCount() {
        return open.count();
    }

    int sourceCount() {
        return sources.count();
    }

    long octets() {
        return open.octets();
    }

    @Nullable
    Source find(Arrival arrival) {
        return sources.find(
                arrival.sourceHigh, arrival.sourceLow, arrival.sourcePort, arrival.sourceScope, arrival.epoch);
    }

    /** The source of a datagram that will be accepted, unless there are too many; {@code known} if it is known. */
    @Nullable
    Source admit(@Nullable Source known, Arrival arrival) {
        if (known != null) {
            sources.heard(known, arrival);
            return known;
        }
        return sources.add(
                arrival.sourceHigh,
                arrival.sourceLow,
                arrival.sourcePort,
                arrival.sourceScope,
                arrival.epoch,
                arrival.id,
                arrival.nowNanos());
    }

    /** Nothing more came: there is time to note when the last source was heard. */
    void nothingCame(LongSupplier clock) {
        if (sources.isNewestUndated()) {
            sources.dateNewest(clock.getAsLong());
        }
    }

    /** Begins the message of a datagram, or gives null when there is no room for it. */
    @Nullable
    OpenMessage open(Source source, Arrival arrival) {
        if (source.openCount >= settings.maxOpenMessagesPerSource()
                && !displace(silentest(source), arrival.nowNanos())) {
            return null;
        }
        if (open.isFull() && !displace(open.oldest(), arrival.nowNanos())) {
            return null;
        }
        OpenMessage message = open.open(source, arrival.id, arrival.length);
        if (message == null) {
            return null;
        }
        message.opcode = arrival.opcode;
        message.solicited = arrival.solicited;
        message.stag = arrival.stag;
        message.taggedOffset = arrival.messageTaggedOffset;
        message.earlierFollow = arrival.earlierFollow;
        message.lastArrivalNanos = arrival.nowNanos();
        message.lastAdvanceNanos = arrival.nowNanos();
        await(message, arrival.nowNanos());
        return message;
    }

    private static @Nullable OpenMessage silentest(Source source) {
        OpenMessage found = source.openMessages;
        for (OpenMessage message = found; message != null; message = message.nextOfSource) {
            if (found != null && message.lastArrivalNanos <= found.lastArrivalNanos) {
                found = message;
            }
        }
        return found;
    }

    /** Gives up a Send that has been silent for a while, so that its receive can take another message. */
    boolean displaceSend(long nowNanos) {
        OpenMessage message = open.oldest();
        while (message != null && message.receive == null) {
            message = message.newer();
        }
        return displace(message, nowNanos);
    }

    private boolean displace(@Nullable OpenMessage message, long nowNanos) {
        if (message == null) {
            return false;
        }
        if (!message.tailSeen() && !isSilent(message, nowNanos)) {
            return false;
        }
        counts.messagesDisplaced++;
        giveUp(message);
        return true;
    }

    private boolean isSilent(OpenMessage message, long nowNanos) {
        long timeout = message.source.timeout(settings.minTimeoutNanos(), settings.maxTimeoutNanos());
        return nowNanos - message.lastArrivalNanos >= Math.max(settings.minTimeoutNanos(), timeout / DISPLACED_AFTER);
    }

    /** Whether a datagram may be placed in its message. @return why not, or null */
    @Nullable
    DatagramRefusal check(OpenMessage message, Arrival arrival) {
        if (message.length != arrival.length
                || message.opcode != arrival.opcode
                || message.solicited != arrival.solicited
                || (arrival.tagged
                        && (message.stag != arrival.stag || message.taggedOffset != arrival.messageTaggedOffset))) {
            return DatagramRefusal.INCONSISTENT;
        }
        long there = message.count(arrival.firstBlock(), arrival.endBlock());
        if (there == 0) {
            return null;
        }
        return there == arrival.endBlock() - arrival.firstBlock()
                ? DatagramRefusal.DUPLICATE
                : DatagramRefusal.INCONSISTENT;
    }

    /** A datagram is in its place. @return whether the message is complete; if not, it may be given up by now */
    boolean placed(OpenMessage message, Arrival arrival) {
        long now = arrival.nowNanos();
        Source source = message.source;
        message.set(arrival.firstBlock(), arrival.endBlock());
        if (message.received > 0) {
            source.noteGap(now - message.lastArrivalNanos);
        }
        message.received += arrival.payload;
        if (message.earlierFollow && !arrival.earlierFollow) {
            message.earlierFollow = false;
            laterSeen(source, arrival);
        }
        if (arrival.offset >= message.highestEnd) {
            message.highestEnd = arrival.offset + arrival.payload;
            message.lastAdvanceNanos = now;
            source.noteInOrder();
        } else {
            source.noteOvertaken(now - message.lastAdvanceNanos);
        }
        if (message.received == message.length) {
            return true;
        }
        message.lastArrivalNanos = now;
        open.touch(message);
        await(message, now);
        return false;
    }

    /**
     * A datagram was accepted: what is missing of messages before its own was overtaken, or is lost. If their sender says that
     * it follows, silence has to be long to mean anything else.
     */
    void laterSeen(Source source, Arrival arrival) {
        OpenMessage message = source.openMessages;
        while (message != null) {
            OpenMessage next = message.nextOfSource;
            if (!message.tailSeen() && SerialNumber.lessThan(message.id, arrival.id)) {
                if (arrival.earlierFollow) {
                    message.deadlineNanos = arrival.nowNanos() + settings.maxTimeoutNanos();
                } else {
                    message.highestEnd = message.length;
                    message.lastAdvanceNanos = arrival.nowNanos();
                    await(message, arrival.nowNanos());
                }
            }
            message = next;
        }
    }

    private void await(OpenMessage message, long nowNanos) {
        Source source = message.source;
        if (message.tailSeen()) {
            long grace = source.grace(settings.maxTimeoutNanos());
            if (grace == 0) {
                giveUp(message);
                return;
            }
            message.deadlineNanos = nowNanos + grace;
        } else {
            message.deadlineNanos = nowNanos + source.timeout(settings.minTimeoutNanos(), settings.maxTimeoutNanos());
        }
        earliestDeadline = Math.min(earliestDeadline, message.deadlineNanos);
    }

    /** The message will not be completed. */
    void giveUp(OpenMessage message) {
        Source source = message.source;
        source.close(message.id);
        source.notePartial(message.id, message.lastArrivalNanos, !message.tailSeen());
        ender.giveUp(message);
        open.close(message);
    }

    /** Gives up all Sends. */
    void giveUpSends() {
        OpenMessage message = open.oldest();
        while (message != null) {
            OpenMessage newer = message.newer();
            if (message.receive != null) {
                giveUp(message);
            }
            message = newer;
        }
    }

    /** The message is over: complete, or its memory cannot be used. */
    void close(OpenMessage message) {
        message.source.close(message.id);
        open.close(message);
    }

    /** The map of a message was offered with its record; {@code left} is empty if somebody keeps it. */
    void offered(OpenMessage message, long[] left) {
        open.offered(message, left);
    }

    /** When {@link #handleTimeout} should be called: perhaps earlier than needed, never later. */
    long nextDeadline() {
        return open.count() == 0 ? NEVER : earliestDeadline;
    }

    /** Gives up what has been silent for too long. Everything that came before must have been handled. */
    void handleTimeout(long nowNanos) {
        long next = NEVER;
        OpenMessage message = open.oldest();
        while (message != null) {
            OpenMessage newer = message.newer();
            if (message.deadlineNanos <= nowNanos) {
                counts.messagesTimedOut++;
                giveUp(message);
            } else {
                next = Math.min(next, message.deadlineNanos);
            }
            message = newer;
        }
        earliestDeadline = next;
    }
}
