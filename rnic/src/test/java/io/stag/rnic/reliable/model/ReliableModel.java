package io.stag.rnic.reliable.model;

import static io.stag.rnic.reliable.model.ModelDatagram.ACKNOWLEDGEMENT;
import static io.stag.rnic.reliable.model.ModelDatagram.DATA;
import static io.stag.rnic.reliable.model.ModelDatagram.NOT_READY;
import static io.stag.rnic.reliable.model.ModelDatagram.REFUSAL;

import io.stag.rnic.reliable.model.ModelRules.Fault;
import io.stag.rnic.reliable.model.ModelState.Source;

/**
 * What two ends of {@code docs/reliable-datagram.md} and the network between them can do: A sends messages of one datagram
 * each, with a window of two, to B. Both may crash and begin another life at the same address. Selective acknowledgements are
 * left out: they only save transmissions, and here anything may be sent again at any time.
 */
final class ReliableModel {
    private static final int WINDOW = 2;

    /** Kinds of steps; {@link #text} says what they mean. */
    enum Step {
        TICK,
        POST,
        TRANSMIT,
        GIVE_UP,
        END_IDLE,
        END_FORMER,
        CRASH_OF_A,
        CRASH_OF_B,
        FORGET,
        GIVE_WAY,
        ACKNOWLEDGE,
        ARRIVAL,
        PUT_OFF
    }

    /** Takes what can follow. The state is used again for the next call. */
    interface Successors {
        void take(Step step, int argument, ModelState next);
    }

    private final ModelRules rules;
    private final ModelState next = new ModelState();

    ReliableModel(ModelRules rules) {
        this.rules = rules;
    }

    /** Finds all states that one step leads to. */
    void successors(ModelState state, Successors out) {
        stepsOfTheSender(state, out);
        stepsOfTheReceiver(state, out);
        for (int i = 0; i < state.datagrams; i++) {
            int datagram = state.datagram(i);
            arrive(state, datagram, true, Step.ARRIVAL, out);
            if (rules.notReady() && ModelDatagram.kind(datagram) == DATA) {
                arrive(state, datagram, false, Step.PUT_OFF, out);
            }
        }
        tick(state, out);
    }

    private void stepsOfTheSender(ModelState state, Successors out) {
        if (state.posted < rules.messages() && (state.stream == 0 || state.sent - state.acknowledged < WINDOW)) {
            int lastBound = rules.answers() && state.stream == 0 ? state.receiverLife : 0;
            for (int bound = 0; bound <= lastBound; bound++) {
                begin(state);
                post(bound);
                emit(Step.POST, bound, out);
            }
        }
        for (int psn = state.acknowledged + 1; state.stream != 0 && psn <= state.sent; psn++) {
            begin(state);
            transmit(psn);
            emit(Step.TRANSMIT, psn, out);
        }
        if (isSenderDue(state)) {
            begin(state);
            endStream();
            emit(state.isWaiting() ? Step.GIVE_UP : Step.END_IDLE, 0, out);
        }
        // what A hears of B in the other direction, perhaps late, is left open
        if (rules.answers() && state.bound != 0 && state.receiverLife > 1 && !state.isWaiting()) {
            begin(state);
            endStream();
            emit(Step.END_FORMER, 0, out);
        }
        if (state.senderLife < rules.senderLives()) {
            begin(state);
            next.senderLife++;
            next.lastStream = 0;
            next.posted = 0;
            endStream();
            emit(Step.CRASH_OF_A, 0, out);
        }
    }

    private void stepsOfTheReceiver(ModelState state, Successors out) {
        for (int i = 0; i < ModelState.MAX_LIVES; i++) {
            Source source = state.sources[i];
            if (source.stream == 0) {
                continue;
            }
            if (source.silence >= rules.remember()) {
                begin(state);
                next.sources[i].clear();
                emit(Step.FORGET, i + 1, out);
            }
            if (rules.sourcesGiveWay() && givesWay(source)) {
                begin(state);
                next.sources[i].clear();
                emit(Step.GIVE_WAY, i + 1, out);
            }
            begin(state);
            next.send(acknowledgement(next.sources[i], ACKNOWLEDGEMENT));
            emit(Step.ACKNOWLEDGE, i + 1, out);
        }
        if (state.receiverLife < rules.receiverLives()) {
            begin(state);
            next.receiverLife++;
            for (Source source : next.sources) {
                source.clear();
            }
            emit(Step.CRASH_OF_B, 0, out);
        }
    }

    private boolean givesWay(Source source) {
        return rules.has(Fault.GIVES_WAY_BY_STREAM) ? source.taken == 0 : !source.everTaken;
    }

    /** Whether the sender must end its stream before any more time passes. */
    private boolean isSenderDue(ModelState state) {
        return state.stream != 0 && state.waiting >= (state.isWaiting() ? rules.giveUp() : rules.idleEnd());
    }

    private void tick(ModelState state, Successors out) {
        if (isSenderDue(state)) {
            return;
        }
        begin(state);
        int kept = 0;
        for (int i = 0; i < state.datagrams; i++) {
            if (state.age(i) < rules.lifetime()) {
                next.network[kept++] = state.network[i] + 1;
            }
        }
        next.datagrams = kept;
        next.waiting += state.stream == 0 ? 0 : 1;
        for (Source source : next.sources) {
            source.silence = source.stream == 0 ? 0 : Math.min(source.silence + 1, rules.remember());
        }
        emit(Step.TICK, 0, out);
    }

    private void arrive(ModelState state, int datagram, boolean ready, Step step, Successors out) {
        begin(state);
        int answer = -1;
        if (ModelDatagram.kind(datagram) == DATA) {
            answer = arriveAtReceiver(datagram, ready);
        } else {
            arriveAtSender(datagram);
        }
        if (answer >= 0) {
            next.send(answer);
        }
        checkFormerLives(state, datagram);
        emit(step, datagram, out);
    }

    private void begin(ModelState state) {
        next.copyFrom(state);
    }

    private void emit(Step step, int argument, Successors out) {
        prune();
        out.take(step, argument, next);
    }

    private void post(int bound) {
        if (next.stream == 0) {
            next.bound = bound;
            next.stream = rules.has(Fault.STREAM_NUMBERS_REUSED) ? 1 : next.lastStream + 1;
            next.lastStream = next.stream;
            next.base = next.posted;
        }
        next.waiting = next.isWaiting() ? next.waiting : 0;
        next.posted++;
        next.sent++;
        transmit(next.sent);
    }

    private void transmit(int psn) {
        next.send(ModelDatagram.of(DATA, next.senderLife, next.bound, next.stream, next.base, psn));
    }

    private void endStream() {
        next.stream = 0;
        next.bound = 0;
        next.base = 0;
        next.sent = 0;
        next.acknowledged = 0;
        next.waiting = 0;
    }

    private void arriveAtSender(int datagram) {
        boolean isNamed =
                ModelDatagram.senderLife(datagram) == next.senderLife && ModelDatagram.stream(datagram) == next.stream;
        if (next.stream == 0 || !isNamed && !rules.has(Fault.NAMES_IGNORED)) {
            return; // RD-027
        }
        if (ModelDatagram.kind(datagram) == REFUSAL) {
            endStream(); // RD-013
            return;
        }
        if (ModelDatagram.psn(datagram) > next.sent) {
            return; // RD-027
        }
        int from = ModelDatagram.receiverLife(datagram);
        if (next.bound == 0) {
            next.bound = from; // RD-011
        }
        if (next.bound != from && !rules.has(Fault.PEER_EPOCH_IGNORED)) {
            endStream(); // RD-013: somebody else is there now
            return;
        }
        boolean isProgress = ModelDatagram.psn(datagram) > next.acknowledged;
        boolean isPutOff =
                ModelDatagram.kind(datagram) == NOT_READY && ModelDatagram.psn(datagram) == next.acknowledged;
        while (next.acknowledged < ModelDatagram.psn(datagram)) {
            next.acknowledged++;
            int message = next.base + next.acknowledged - 1;
            if (!next.isDelivered(next.bound, next.senderLife, message)) {
                fail("A counts message " + message + " as taken by B" + next.bound + ", which never had it");
            }
        }
        if (isProgress || isPutOff) {
            next.waiting = 0;
        }
    }

    /** Takes data and returns the answer, or -1. */
    private int arriveAtReceiver(int datagram, boolean ready) {
        int senderLife = ModelDatagram.senderLife(datagram);
        int stream = ModelDatagram.stream(datagram);
        int psn = ModelDatagram.psn(datagram);
        int meant = ModelDatagram.receiverLife(datagram);
        if (meant != 0 && meant != next.receiverLife && !rules.has(Fault.PEER_EPOCH_IGNORED)) {
            return ModelDatagram.of(REFUSAL, senderLife, next.receiverLife, stream, 0, psn); // RD-013
        }
        Source source = next.sources[rules.has(Fault.SOURCES_BY_ADDRESS) ? 0 : senderLife - 1];
        if (stream < source.stream) {
            return -1; // RD-012
        }
        if (stream > source.stream) {
            boolean everTaken = source.everTaken;
            source.clear();
            source.everTaken = everTaken;
            source.stream = stream;
            source.base = ModelDatagram.base(datagram);
        }
        source.senderLife = senderLife;
        source.silence = 0;
        boolean isDue = psn == source.taken + 1;
        if (isDue && !ready) {
            return acknowledgement(source, NOT_READY); // RD-024
        }
        if (psn > source.taken) {
            source.keptBits |= 1 << psn;
        }
        if (rules.has(Fault.OUT_OF_ORDER) && psn > source.taken + 1) {
            deliver(senderLife, source.base, psn);
        }
        while ((source.keptBits >>> source.taken + 1 & 1) != 0) {
            source.taken++;
            source.keptBits &= ~(1 << source.taken);
            source.everTaken = true;
            deliver(senderLife, source.base, source.taken);
        }
        return acknowledgement(source, ACKNOWLEDGEMENT);
    }

    private int acknowledgement(Source source, int kind) {
        return ModelDatagram.of(kind, source.senderLife, next.receiverLife, source.stream, 0, source.taken);
    }

    private void deliver(int senderLife, int base, int psn) {
        int message = base + psn - 1;
        int before = next.deliveredBits(next.receiverLife, senderLife);
        String what = "B" + next.receiverLife + " takes message " + message + " of A" + senderLife;
        if ((before >>> message & 1) != 0) {
            fail(what + " twice");
        } else if (before >>> message != 0) {
            fail(what + " after a later one");
        } else if (psn > 1 && (before >>> message - 1 & 1) == 0) {
            fail(what + " without the one before it in its stream");
        }
        next.noteDelivery(next.receiverLife, senderLife, message);
    }

    /** A datagram of or for a former life must not move the present one. */
    private void checkFormerLives(ModelState before, int datagram) {
        boolean fromFormer = ModelDatagram.senderLife(datagram) != before.senderLife;
        int present = before.senderLife - 1;
        if (fromFormer && (!next.isSameSender(before) || !next.sources[present].isSame(before.sources[present]))) {
            fail("a datagram of the former life of A moves the present one");
        }
        int meant = ModelDatagram.receiverLife(datagram);
        if (ModelDatagram.kind(datagram) == DATA && meant != 0 && meant != before.receiverLife) {
            for (int i = 0; i < ModelState.MAX_LIVES; i++) {
                if (!next.sources[i].isSame(before.sources[i])) {
                    fail("a datagram for the former life of B moves the present one");
                }
            }
        }
    }

    /**
     * From here on the network loses nothing and nobody crashes: what is on its way must arrive if B is who A thinks it is, and
     * else fail, without the time for giving up. Returns what goes wrong instead, or an empty text.
     */
    String fairContinuation(ModelState state) {
        begin(state);
        for (int round = 0; round <= rules.messages() && next.isWaiting(); round++) {
            for (int psn = next.acknowledged + 1; psn <= next.sent; psn++) {
                int answer = arriveAtReceiver(
                        ModelDatagram.of(DATA, next.senderLife, next.bound, next.stream, next.base, psn), true);
                if (answer >= 0) {
                    arriveAtSender(answer);
                }
            }
        }
        boolean mayFail = state.bound != 0 && state.bound != state.receiverLife;
        boolean failed = next.stream == 0 && state.stream != 0;
        if (!next.violation.isEmpty()) {
            return "A sends again, nothing gets lost: " + next.violation;
        }
        return next.isWaiting() || failed && !mayFail
                ? "A sends again, nothing gets lost, B is there: still it is not delivered"
                : "";
    }

    /** Takes datagrams away that can have no effect any more, so that states which differ only in them are one. */
    private void prune() {
        int kept = 0;
        for (int i = 0; i < next.datagrams; i++) {
            if (!isDead(next.datagram(i))) {
                next.network[kept++] = next.network[i];
            }
        }
        next.datagrams = kept;
    }

    private boolean isDead(int datagram) {
        if (!rules.has(Fault.NONE)) {
            return false;
        }
        boolean isNamed =
                ModelDatagram.senderLife(datagram) == next.senderLife && ModelDatagram.stream(datagram) == next.stream;
        int receiver = ModelDatagram.receiverLife(datagram);
        return switch (ModelDatagram.kind(datagram)) {
            case DATA -> receiver != 0 && receiver != next.receiverLife && !isNamed;
            case ACKNOWLEDGEMENT ->
                !isNamed || next.bound == receiver && ModelDatagram.psn(datagram) <= next.acknowledged;
            case NOT_READY -> !isNamed || next.bound == receiver && ModelDatagram.psn(datagram) < next.acknowledged;
            default -> !isNamed;
        };
    }

    private void fail(String what) {
        if (next.violation.isEmpty()) {
            next.violation = what;
        }
    }

    static String text(Step step, int argument) {
        return switch (step) {
            case TICK -> "a tick passes";
            case POST -> "A posts a message and sends it" + (argument == 0 ? "" : " to B" + argument);
            case TRANSMIT -> "A sends PSN " + argument + " again";
            case GIVE_UP -> "A gives up its stream";
            case END_IDLE -> "A ends its idle stream";
            case END_FORMER -> "A hears another life of B and ends its stream, which has nothing on its way";
            case CRASH_OF_A -> "A crashes and begins another life";
            case CRASH_OF_B -> "B crashes and begins another life";
            case FORGET -> "B forgets A" + argument + ", silent for so long";
            case GIVE_WAY -> "B forgets A" + argument + " for another source";
            case ACKNOWLEDGE -> "B acknowledges to A" + argument;
            case ARRIVAL -> ModelDatagram.text(argument) + " arrives";
            case PUT_OFF -> ModelDatagram.text(argument) + " arrives and is put off";
        };
    }
}
