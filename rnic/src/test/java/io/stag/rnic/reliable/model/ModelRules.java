package io.stag.rnic.reliable.model;

/**
 * The size of a model, and which rules of {@code docs/reliable-datagram.md} hold in it. Times are ticks of a discrete clock.
 *
 * @param messages messages that each life of the sender may post, at most 3
 * @param senderLives lives of the sender, at most 3: one more than it can crash
 * @param receiverLives lives of the receiver, at most 3
 * @param lifetime how old a datagram can be when it arrives
 * @param remember after how long a silence the receiver may forget a source
 * @param giveUp how long the sender tries
 * @param idleEnd after how long a pause the sender ends its stream
 * @param notReady whether the receiver may put the message due next off (RD-024)
 * @param sourcesGiveWay whether the receiver may forget sources at any time under RD-015
 * @param answers whether the sender hears lives of the receiver, perhaps long ago: a stream may begin bound to one of them, and
 *     one that has nothing on its way may be ended (RD-011)
 * @param fault the rule that is broken, to see that the search notices
 */
record ModelRules(
        int messages,
        int senderLives,
        int receiverLives,
        int lifetime,
        int remember,
        int giveUp,
        int idleEnd,
        boolean notReady,
        boolean sourcesGiveWay,
        boolean answers,
        Fault fault) {

    /** A mistake that an implementation could make. */
    enum Fault {
        NONE,
        /** The receiver tells sources apart by address only (RD-012). */
        SOURCES_BY_ADDRESS,
        /** Neither side looks at the epoch of the peer (RD-013). */
        PEER_EPOCH_IGNORED,
        /** The sender takes acknowledgements and refusals that name another stream or life of it (RD-013, RD-027). */
        NAMES_IGNORED,
        /** A stream that was ended opens again with the same number (RD-010). */
        STREAM_NUMBERS_REUSED,
        /** A source may be forgotten when nothing was taken from its present stream, whatever came before (RD-015). */
        GIVES_WAY_BY_STREAM,
        /** The receiver puts datagrams that came too early to use at once (RD-023). */
        OUT_OF_ORDER
    }

    /** One life each, no message put off, room for all sources, all rules kept. */
    static ModelRules of(int messages, int lifetime, int remember, int giveUp, int idleEnd) {
        return new ModelRules(messages, 1, 1, lifetime, remember, giveUp, idleEnd, false, false, false, Fault.NONE);
    }

    ModelRules lives(int sender, int receiver) {
        return new ModelRules(
                messages,
                sender,
                receiver,
                lifetime,
                remember,
                giveUp,
                idleEnd,
                notReady,
                sourcesGiveWay,
                answers,
                fault);
    }

    ModelRules puttingOff() {
        return options(true, sourcesGiveWay, answers, fault);
    }

    ModelRules withFewSources() {
        return options(notReady, true, answers, fault);
    }

    ModelRules answering() {
        return options(notReady, sourcesGiveWay, true, fault);
    }

    ModelRules with(Fault newFault) {
        return options(notReady, sourcesGiveWay, answers, newFault);
    }

    private ModelRules options(boolean newNotReady, boolean newGiveWay, boolean newAnswers, Fault newFault) {
        return new ModelRules(
                messages,
                senderLives,
                receiverLives,
                lifetime,
                remember,
                giveUp,
                idleEnd,
                newNotReady,
                newGiveWay,
                newAnswers,
                newFault);
    }

    boolean has(Fault other) {
        return fault == other;
    }
}
