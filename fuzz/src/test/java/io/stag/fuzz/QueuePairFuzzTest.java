package io.stag.fuzz;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.stag.rnic.rdmap.StreamSettings;
import io.stag.verbs.cm.ConnectionConfig.ReadyToReceive;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Two engines that talk to each other while the fuzzer lets both programs post, register, invalidate, bind and close what
 * they like, and the network move as many octets as it likes. Both ends check each other through their models; at last
 * everything must come to rest with every request completed.
 *
 * <p>Input: 4 octets of configuration, then steps, each an octet (its lowest bit says whose) and its arguments.
 */
class QueuePairFuzzTest {
    /** Steps of either program, or of the network. */
    enum Step {
        REQUEST,
        RECEIVE,
        LOCAL_REQUEST,
        TRANSMIT,
        DELIVER,
        EXCHANGE,
        PROBE,
        CLOSE,
        OVERFLOW,
        TERMINATE,
        VANISH,
        LOSE
    }

    private static final int MOST_STEPS = 200;
    private static final int MOST_ROUNDS = 5_000;
    private static final int ALL = 1 << 20;
    private static final Endpoint.Parts INITIATOR = new Endpoint.Parts();
    private static final Endpoint.Parts RESPONDER = new Endpoint.Parts();

    @FuzzTest
    void bothProgramsMayDoWhatTheyLike(byte[] data) {
        var input = new Input(data);
        int flags = input.u8();
        int depths = input.u8();
        int size = input.u8();
        int piece = 1 + input.u8();
        var initiator = new Endpoint(settings(true, flags, depths, size), INITIATOR);
        var responder = new Endpoint(settings(false, flags, depths, size), RESPONDER);
        initiator.spareOffset = flags >> 6 & 1;
        responder.spareOffset = flags >> 7;
        var run = new Run(initiator, responder, piece);
        for (int i = 0; i < MOST_STEPS && !input.isEmpty(); i++) {
            run.step(input);
        }
        run.drain();
        run.checkRest();
    }

    private static StreamSettings settings(boolean initiator, int flags, int depths, int size) {
        int own = initiator ? depths & 3 : depths >> 2 & 3;
        int others = initiator ? depths >> 2 & 3 : depths & 3;
        ReadyToReceive[] kinds = ReadyToReceive.values();
        int kind = depths >> 4 & 3;
        @Nullable ReadyToReceive first = kind < kinds.length ? kinds[kind] : null;
        if (first == ReadyToReceive.READ && (depths & 12) == 0) {
            first = ReadyToReceive.WRITE; // a Read needs a slot, which the startup would have seen to
        }
        return new StreamSettings(
                initiator,
                (flags & 1) != 0,
                (flags & (initiator ? 2 : 4)) != 0,
                (flags & (initiator ? 4 : 2)) != 0,
                128 + 5 * size,
                own,
                others,
                initiator ? first : null,
                initiator || first == null ? Set.of() : Set.of(first),
                (flags & 8) == 0,
                (flags & 16) == 0);
    }

    private static final class Run {
        private final Endpoint initiator;
        private final Endpoint responder;
        private final int piece;
        private long lastId;

        Run(Endpoint initiator, Endpoint responder, int piece) {
            this.initiator = initiator;
            this.responder = responder;
            this.piece = piece;
        }

        void step(Input input) {
            int octet = input.u8();
            Endpoint endpoint = (octet & 1) == 0 ? initiator : responder;
            Endpoint peer = (octet & 1) == 0 ? responder : initiator;
            switch (Step.values()[(octet >> 1) % Step.values().length]) {
                case REQUEST -> {
                    if (endpoint.canPost()) {
                        Requests.post(endpoint, peer.registry.reaches, input, ++lastId);
                    }
                }
                case RECEIVE -> {
                    if (endpoint.canPostReceive()) {
                        endpoint.postReceive(++lastId, input.below(65), input.below(65));
                    }
                }
                case LOCAL_REQUEST -> {
                    if (endpoint.canPost()) {
                        LocalRequests.post(endpoint, peer.registry.reaches, input, ++lastId);
                    }
                }
                case TRANSMIT -> endpoint.transmit();
                case DELIVER -> peer.feed(endpoint.takeOutput(input.u8()), piece);
                case EXCHANGE -> exchange();
                case PROBE -> endpoint.probe();
                case CLOSE -> LocalRequests.close(endpoint, input);
                case OVERFLOW -> endpoint.completionsLeft = 1 + input.below(8);
                case TERMINATE -> endpoint.terminate();
                case VANISH -> {
                    if (endpoint.canPost()) {
                        LocalRequests.vanish(endpoint, peer.registry.reaches, input, ++lastId);
                    }
                }
                case LOSE -> endpoint.lose();
            }
        }

        private void exchange() {
            initiator.transmit();
            responder.feed(initiator.takeOutput(ALL), piece);
            responder.transmit();
            initiator.feed(responder.takeOutput(ALL), piece);
        }

        void drain() {
            int rounds = 0;
            do {
                exchange();
                Check.that(++rounds < MOST_ROUNDS, "comes to rest");
            } while (initiator.stream.hasOutput() || responder.stream.hasOutput());
        }

        void checkRest() {
            if (initiator.isEnded() || responder.isEnded()) {
                for (Endpoint endpoint : new Endpoint[] {initiator, responder}) {
                    Endpoint peer = endpoint == initiator ? responder : initiator;
                    Check.that(
                            endpoint.isEnded() || !peer.sender.isTerminated() || peer.isLost(),
                            "a Terminate that is not lost ends the other side too");
                    if (endpoint.isEnded()) {
                        endpoint.checkAllCompleted();
                    }
                }
                return;
            }
            initiator.checkSendsCompleted();
            Check.that(initiator.stream.isQuiet(), "quiet");
            if (responder.isHeard()) {
                responder.checkSendsCompleted();
                Check.that(responder.stream.isQuiet(), "quiet");
            }
            initiator.stream.finish();
            Check.that(initiator.stream.outputFinished() && !initiator.stream.hasOutput(), "closes in order");
        }
    }
}
