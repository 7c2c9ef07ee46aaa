package io.stag.rnic.reliable;

import io.stag.rnic.work.Deadlines;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Conversations under way, those that may have something to send in turn, and what each of them waits for. */
@SuppressWarnings("ReferenceEquality") // it is about these very objects
final class Conversations {
    /** A conversation without traffic is kept for a while: most begin again at once. */
    private static final long LINGER_NANOS = 100_000_000;

    /** Conversations that end within about this time end together. */
    private static final long LINGER_GRAIN_NANOS = LINGER_NANOS / 2;

    /** Ended conversations that are kept for new ones, beside as many as are under way. */
    private static final int SPARES = 16;

    /** Times that a silent peer is asked before it is given up. */
    private static final int ASKS = 8;

    /** What is due already is seen to by whoever finds that out, before the next deadline. */
    private static final long SOONEST_NANOS = 1_000;

    private final ReliableSettings settings;
    private final ArrayDeque<Conversation> spares = new ArrayDeque<>();
    private final ArrayDeque<Conversation> ready = new ArrayDeque<>();
    private final Deadlines<Conversation> deadlines = new Deadlines<>();
    private final List<Conversation> underWay = new ArrayList<>();

    Conversations(ReliableSettings settings) {
        this.settings = settings;
    }

    /** Conversations under way. */
    int active() {
        return underWay.size();
    }

    void forEach(Consumer<Conversation> visitor) {
        for (int i = 0; i < underWay.size(); i++) {
            visitor.accept(underWay.get(i));
        }
    }

    /** The conversation with a peer, which begins if there is none. */
    Conversation with(Peer peer, long nowNanos) {
        Conversation conversation = peer.conversation;
        if (conversation == null) {
            conversation = spares.poll();
            if (conversation == null) {
                conversation = new Conversation(settings.maxWindow());
            }
            conversation.begin(peer, nowNanos);
            peer.conversation = conversation;
            conversation.index = underWay.size();
            underWay.add(conversation);
            deadlines.set(conversation, lingerEnd(conversation, nowNanos));
        }
        return conversation;
    }

    /** It may have something to send. */
    void ready(Conversation conversation) {
        if (!conversation.ready) {
            conversation.ready = true;
            ready.add(conversation);
        }
    }

    boolean isAnyReady() {
        return !ready.isEmpty();
    }

    /** The next one that may have something to send; it is not ready any more. */
    @Nullable
    Conversation takeReady() {
        Conversation conversation = ready.poll();
        while (conversation != null) {
            conversation.ready = false;
            if (conversation.isUnderWay()) {
                return conversation;
            }
            conversation = ready.poll(); // that one ended meanwhile
        }
        return null;
    }

    long nextDeadline() {
        return deadlines.next();
    }

    /** One whose deadline has passed, and which has none any more; null when there is none. */
    @Nullable
    Conversation takeDue(long nowNanos) {
        Conversation due = deadlines.next() <= nowNanos ? deadlines.first() : null;
        if (due != null) {
            deadlines.set(due, Deadlines.NEVER);
        }
        return due;
    }

    /** Sees to it that it is looked at again in time. A deadline that comes too early does no harm and stays. */
    void arm(Conversation conversation, long nowNanos) {
        armBy(conversation, Math.max(due(conversation, nowNanos), nowNanos + SOONEST_NANOS));
    }

    /** The same where the time is known. */
    void armBy(Conversation conversation, long due) {
        if (due < conversation.deadlineNanos()) {
            deadlines.set(conversation, due);
        }
    }

    /** Moves deadlines that came too early, if they are the next. */
    void settleDeadlines(long nowNanos) {
        Conversation first = deadlines.first();
        while (first != null) {
            long due = due(first, nowNanos);
            if (due <= Math.max(first.deadlineNanos(), nowNanos)) {
                return;
            }
            deadlines.set(first, due);
            first = deadlines.first();
        }
    }

    /** When to see whether it is over. */
    private static long lingerEnd(Conversation conversation, long nowNanos) {
        long end = Math.max(conversation.activityNanos, conversation.heardNanos) + LINGER_NANOS;
        return Deadlines.together(end > nowNanos ? end : nowNanos + LINGER_NANOS, LINGER_GRAIN_NANOS);
    }

    private long due(Conversation conversation, long nowNanos) {
        long due = lingerEnd(conversation, nowNanos);
        for (Source source = conversation.peer().sources; source != null; source = source.next) {
            if (source.acknowledgeLater && !source.acknowledgeNow) {
                due = Math.min(due, source.echoNanos + settings.ackDelayNanos());
            }
        }
        if (conversation.hasDatagrams()) {
            due = Math.min(due, conversation.progressNanos + settings.giveUpNanos());
        }
        if (conversation.heldUntilNanos != 0) {
            return Math.min(due, conversation.heldUntilNanos);
        }
        if (conversation.inFlight > 0 || conversation.isStuck()) {
            due = Math.min(due, timeoutAt(conversation));
            due = Math.min(due, conversation.losses.deadline());
        }
        if (conversation.awaitsAnswer()) {
            due = Math.min(due, askAt(conversation));
        }
        if (conversation.hasOutstanding() && conversation.nextSendNanos > nowNanos) {
            due = Math.min(due, conversation.nextSendNanos);
        }
        return due;
    }

    /** When a probe is due, or everything counts as lost (RD-032). */
    static long timeoutAt(Conversation conversation) {
        RoundTrip times = conversation.roundTrip;
        return conversation.activityNanos
                + (conversation.probed ? times.timeout(conversation.backoff) : times.probeTime());
    }

    /** When a peer whose answer or credit is awaited is asked whether it is still there (RD-036). */
    long askAt(Conversation conversation) {
        return conversation.activityNanos + settings.giveUpNanos() / ASKS;
    }

    /** Whether nothing is left to do for it. */
    boolean isOver(Conversation conversation, long nowNanos) {
        if (conversation.hasOutstanding()
                || conversation.ready
                || nowNanos - conversation.activityNanos < LINGER_NANOS
                || nowNanos - conversation.heardNanos < LINGER_NANOS) {
            return false;
        }
        for (Source source = conversation.peer().sources; source != null; source = source.next) {
            if (source.owesAcknowledgement() || source.isPutOff() || source.receive != null || source.early != null) {
                return false;
            }
        }
        return true;
    }

    /** It is over. */
    void end(Conversation conversation) {
        deadlines.set(conversation, Deadlines.NEVER);
        conversation.peer().conversation = null;
        conversation.end();
        Conversation last = underWay.removeLast();
        if (last != conversation) {
            underWay.set(conversation.index, last);
            last.index = conversation.index;
        }
        spares.push(conversation);
        while (spares.size() > underWay.size() + SPARES) {
            spares.pop();
        }
    }
}
