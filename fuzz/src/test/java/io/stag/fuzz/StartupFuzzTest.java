package io.stag.fuzz;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.stag.rnic.mpa.MpaInitiator;
import io.stag.rnic.mpa.MpaResponder;
import io.stag.rnic.mpa.Negotiated;
import io.stag.rnic.mpa.StartupEvent;
import io.stag.rnic.mpa.StartupOffer;
import io.stag.verbs.cm.ConnectionConfig.ReadyToReceive;
import io.stag.wire.mpa.EnhancedWord;
import io.stag.wire.mpa.MpaFrame;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Both sides of the MPA startup against any octets, cut anywhere, with the stream or the time ending anywhere.
 *
 * <p>Input: 10 octets of configuration, see {@link Settings}, then what the peer sends.
 */
class StartupFuzzTest {
    private static final long DEADLINE = 1_000;
    private static final int LONGEST_FRAME = MpaFrame.HEADER_LENGTH + MpaFrame.MAX_PRIVATE_DATA;

    /** What happens after the peer's octets. */
    private enum Ending {
        NONE,
        TIME_OUT,
        END_OF_STREAM
    }

    private record Settings(
            boolean initiator,
            StartupOffer offer,
            int maxRevision,
            boolean accept,
            boolean stateDepths,
            Ending ending,
            int piece,
            int outPiece,
            int privateData,
            byte[] octets) {

        static Settings read(Input input) {
            int role = input.u8();
            int flags = input.u8();
            int kinds = input.u8();
            int ird = input.u8();
            int ord = input.u8();
            int maxIrd = ird + input.u8();
            var offer = new StartupOffer(
                    1 + (flags & 1),
                    (flags & 2) != 0,
                    (flags & 4) != 0,
                    (flags & 8) != 0,
                    kinds(kinds, maxIrd),
                    ird,
                    ord,
                    maxIrd,
                    (flags & 16) != 0);
            return new Settings(
                    (role & 1) != 0,
                    offer,
                    1 + (role >> 1 & 1),
                    (role & 4) == 0,
                    (role & 8) != 0,
                    Ending.values()[(role >> 4) % 3],
                    1 + input.u8(),
                    1 + input.u8(),
                    input.u16() % 509,
                    input.rest());
        }

        private static Set<ReadyToReceive> kinds(int bits, int maxIrd) {
            EnumSet<ReadyToReceive> kinds = EnumSet.noneOf(ReadyToReceive.class);
            for (ReadyToReceive kind : ReadyToReceive.values()) {
                if ((bits >> kind.ordinal() & 1) != 0) {
                    kinds.add(kind);
                }
            }
            // else there is nothing to offer, which a program is told at once
            if (kinds.isEmpty() || (maxIrd == 0 && kinds.equals(EnumSet.of(ReadyToReceive.READ)))) {
                kinds.add(ReadyToReceive.WRITE);
            }
            return kinds;
        }
    }

    @FuzzTest
    void anyOctetsGiveOneOutcomeHoweverTheyAreCut(byte[] data) {
        Settings settings = Settings.read(new Input(data));
        StartupEvent whole = settings.initiator() ? runInitiator(settings, false) : runResponder(settings, false);
        StartupEvent cut = settings.initiator() ? runInitiator(settings, true) : runResponder(settings, true);
        Check.that(Objects.equals(whole, cut), () -> "cut octets give " + cut + ", uncut ones " + whole);
    }

    private static @Nullable StartupEvent runInitiator(Settings settings, boolean cut) {
        StartupOffer offer = settings.offer();
        var initiator = new MpaInitiator(offer, new byte[settings.privateData()], DEADLINE);
        byte[] request = transmit(initiator::pollTransmit, settings.outPiece());
        checkFrame(request, true, offer.revision(), offer.revision() == 2, settings.privateData());

        Check.equal(initiator.pollTimeout(), DEADLINE, "deadline");
        initiator.handleTimeout(DEADLINE - 1);
        int taken = feed(initiator::handleOctets, settings, cut);
        if (initiator.pollTimeout() != Long.MAX_VALUE) {
            Check.equal(taken, settings.octets().length, "octets taken while the startup goes on");
            end(settings.ending(), initiator::handleTimeout, initiator::handleEndOfStream);
        }
        StartupEvent event = initiator.pollEvent();
        Check.that((event == null) == (initiator.pollTimeout() == DEADLINE), "over exactly with the event");
        if (event != null) {
            checkOutcomeOfInitiator(event, initiator, settings, taken);
            Check.equal(initiator.handleOctets(MemorySegment.ofArray(new byte[9]), 0, 9), 0, "octets taken at the end");
            initiator.handleTimeout(Long.MAX_VALUE);
            initiator.handleEndOfStream();
            Check.that(initiator.pollEvent() == null, "one event only");
            Check.equal(transmit(initiator::pollTransmit, 9).length, 0, "octets given at the end");
        }
        return event;
    }

    private static void checkOutcomeOfInitiator(
            StartupEvent event, MpaInitiator initiator, Settings settings, int taken) {
        switch (event) {
            case StartupEvent.Established(Negotiated negotiated) ->
                checkReply(negotiated, initiator.privateData(), settings, taken, false);
            case StartupEvent.Rejected(Negotiated negotiated, var _) ->
                checkReply(negotiated, initiator.privateData(), settings, taken, true);
            case StartupEvent.TerminateNeeded(Negotiated negotiated, var code, var detail) -> {
                checkReply(negotiated, initiator.privateData(), settings, taken, false);
                Check.equal(detail.terminateCode(), code.wireValue(), "code");
            }
            case StartupEvent.Failed(var detail, boolean retry) -> {
                Check.that(!detail.fact().isEmpty(), "a failure says why");
                Check.that(!retry || settings.offer().fallBackToRevision1(), "a retry only where allowed");
            }
            case StartupEvent.RequestReceived _, StartupEvent.RejectionSent _ ->
                throw new AssertionError("not an initiator's: " + event);
        }
    }

    /** A Reply that counts is a valid one, and what was negotiated follows from it and from the offer. */
    private static void checkReply(
            Negotiated negotiated, byte[] privateData, Settings settings, int taken, boolean rejected) {
        StartupOffer offer = settings.offer();
        var frame = new MpaFrame();
        Check.that(
                frame.wrap(MemorySegment.ofArray(settings.octets()), 0, taken) && frame.isComplete(),
                "no event before the frame is complete");
        Check.that(frame.isReplyKey() && frame.reject() == rejected, "key and R");
        Check.equal(frame.revision(), offer.revision(), "revision");
        Check.equal(taken, MpaFrame.HEADER_LENGTH + frame.privateDataLength(), "octets taken");
        int word = offer.revision() == 2 ? EnhancedWord.LENGTH : 0;
        Check.that(
                Arrays.equals(privateData, Arrays.copyOfRange(settings.octets(), MpaFrame.HEADER_LENGTH + word, taken)),
                "private data");
        Check.that(negotiated.crc() == (offer.crc() || frame.crc()), "CRC when one side wants it");
        Check.that(negotiated.markersSent() == frame.markers(), "markers when the peer wants them");
        Check.that(negotiated.markersReceived() == offer.markers(), "markers when we want them");
        checkDepths(negotiated, offer);
        if (negotiated.readyToReceive() != null) {
            Check.that(offer.peerToPeer() && negotiated.peerToPeer(), "first message in the peer-to-peer model only");
            Check.that(offer.readyToReceive().contains(negotiated.readyToReceive()), "first message of the offer");
        }
    }

    private static void checkDepths(Negotiated negotiated, StartupOffer offer) {
        Check.that(negotiated.ord() >= 0 && negotiated.ord() <= offer.ord(), "ORD is never raised");
        Check.that(
                negotiated.ird() >= offer.ird() && negotiated.ird() <= Math.max(1, offer.maxIrd()),
                "IRD stays within the offer");
    }

    private static @Nullable StartupEvent runResponder(Settings settings, boolean cut) {
        var responder = new MpaResponder(settings.maxRevision(), DEADLINE);
        Check.equal(responder.pollTimeout(), DEADLINE, "deadline");
        responder.handleTimeout(DEADLINE - 1);
        int taken = feed(responder::handleOctets, settings, cut);
        StartupEvent event = responder.pollEvent();
        if (event instanceof StartupEvent.RequestReceived received) {
            checkRequest(received, responder, settings, taken);
            event = decide(responder, received, settings, cut);
        } else if (event == null) {
            end(settings.ending(), responder::handleTimeout, responder::handleEndOfStream);
            event = responder.pollEvent();
        }
        Check.that((event == null) == (responder.pollTimeout() == DEADLINE), "over exactly with the event");
        if (event != null) {
            Check.equal(responder.handleOctets(MemorySegment.ofArray(new byte[9]), 0, 9), 0, "octets taken at the end");
            responder.handleTimeout(Long.MAX_VALUE);
            responder.handleEndOfStream();
            Check.that(responder.pollEvent() == null, "one last event only");
            Check.equal(transmit(responder::pollTransmit, 9).length, 0, "octets given at the end");
        }
        return event;
    }

    private static void checkRequest(
            StartupEvent.RequestReceived received, MpaResponder responder, Settings settings, int taken) {
        var frame = new MpaFrame();
        Check.that(
                frame.wrap(MemorySegment.ofArray(settings.octets()), 0, taken) && frame.isComplete(),
                "no event before the frame is complete");
        Check.that(frame.isRequestKey(), "key");
        Check.equal(taken, MpaFrame.HEADER_LENGTH + frame.privateDataLength(), "octets taken");
        Check.equal(taken, settings.octets().length, "nothing behind a valid Request");
        Check.that(received.revision() >= 1 && received.revision() <= settings.maxRevision(), "revision");
        Check.that(received.crcWanted() == frame.crc() && received.markersWanted() == frame.markers(), "flags");
        int word = received.enhanced() ? EnhancedWord.LENGTH : 0;
        Check.that(
                Arrays.equals(
                        responder.privateData(),
                        Arrays.copyOfRange(settings.octets(), MpaFrame.HEADER_LENGTH + word, taken)),
                "private data");
    }

    private static StartupEvent decide(
            MpaResponder responder, StartupEvent.RequestReceived received, Settings settings, boolean cut) {
        StartupOffer offer = settings.offer();
        byte[] privateData = new byte[Math.min(settings.privateData(), responder.privateDataLimit())];
        if (settings.accept()) {
            responder.accept(offer, privateData);
        } else if (settings.stateDepths()) {
            responder.reject(offer.ird(), offer.ord(), privateData);
        } else {
            responder.reject(privateData);
        }
        Check.that(responder.pollEvent() == null, "no event before the Reply was handed out");
        byte[] reply = transmit(responder::pollTransmit, cut ? settings.outPiece() : LONGEST_FRAME);
        checkFrame(reply, false, received.revision(), received.enhanced(), privateData.length);
        var frame = new MpaFrame();
        frame.wrap(MemorySegment.ofArray(reply), 0, reply.length);
        Check.that(frame.reject() != settings.accept(), "R");
        StartupEvent event = responder.pollEvent();
        switch (event) {
            case StartupEvent.Established(Negotiated negotiated) -> {
                Check.that(settings.accept(), "accepted");
                Check.that(negotiated.crc() == (offer.crc() || received.crcWanted()), "CRC when one side wants it");
                Check.that(frame.crc() == negotiated.crc(), "C says what is used");
                Check.that(negotiated.markersSent() == received.markersWanted(), "markers when the peer wants them");
                Check.that(negotiated.markersReceived() == offer.markers(), "markers when we want them");
                Check.that(offer.readyToReceive().containsAll(negotiated.agreed()), "first messages of the offer");
                checkDepths(negotiated, offer);
            }
            case StartupEvent.RejectionSent _ -> Check.that(!settings.accept(), "refused");
            case null, default -> throw new AssertionError("after the Reply: " + event);
        }
        return event;
    }

    /** A frame of ours: complete and nothing behind it. */
    private static void checkFrame(
            byte[] octets, boolean request, int revision, boolean enhanced, int privateDataLength) {
        var frame = new MpaFrame();
        Check.that(frame.wrap(MemorySegment.ofArray(octets), 0, octets.length), "a whole header");
        Check.that(request ? frame.isRequestKey() : frame.isReplyKey(), "key");
        Check.equal(frame.revision(), revision, "revision");
        Check.that(frame.enhanced() == enhanced, "S");
        Check.equal(frame.privateDataLength(), privateDataLength + (enhanced ? EnhancedWord.LENGTH : 0), "PD_Length");
        Check.equal(octets.length, MpaFrame.HEADER_LENGTH + frame.privateDataLength(), "length");
    }

    private static void end(Ending ending, java.util.function.LongConsumer timeOut, Runnable endOfStream) {
        switch (ending) {
            case NONE -> {}
            case TIME_OUT -> timeOut.accept(DEADLINE);
            case END_OF_STREAM -> endOfStream.run();
        }
    }

    private interface Taker {
        int handleOctets(MemorySegment in, long offset, int length);
    }

    private interface Giver {
        int pollTransmit(MemorySegment out, long offset, int capacity);
    }

    private static int feed(Taker taker, Settings settings, boolean cut) {
        MemorySegment octets = MemorySegment.ofArray(settings.octets());
        int length = settings.octets().length;
        int at = 0;
        while (at < length) {
            int offered = cut ? Math.min(settings.piece(), length - at) : length - at;
            int taken = taker.handleOctets(octets, at, offered);
            Check.that(taken >= 0 && taken <= offered, "takes what is there");
            at += taken;
            if (taken < offered) {
                taker.handleOctets(octets, at, length - at);
                break;
            }
        }
        return at;
    }

    private static byte[] transmit(Giver giver, int piece) {
        byte[] octets = new byte[LONGEST_FRAME + piece];
        MemorySegment out = MemorySegment.ofArray(octets);
        int at = 0;
        int given;
        do {
            given = giver.pollTransmit(out, at, piece);
            Check.that(given >= 0 && given <= piece, "gives what fits");
            at += given;
        } while (given > 0);
        return Arrays.copyOf(octets, at);
    }
}
