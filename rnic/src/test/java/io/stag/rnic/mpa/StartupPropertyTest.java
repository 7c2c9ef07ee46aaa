package io.stag.rnic.mpa;

import static io.stag.rnic.mpa.RawFrames.*;
import static org.assertj.core.api.Assertions.assertThat;

import io.stag.simnet.Conforms;
import io.stag.simnet.Seeds;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.SplittableRandom;
import java.util.function.IntBinaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class StartupPropertyTest {
    private static final int LONGEST_FRAME = 532;
    private static final int RANDOM_INPUTS = 100_000;

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("io.stag.simnet.Seeds#all")
    void anyCutOfTheStreamGivesTheSameReply(long seed) {
        var random = new SplittableRandom(seed);
        for (int round = 0; round < 20; round++) {
            byte[] stream = stream(random, "MPA ID Rep Frame");
            StartupOffer offer = offer(random);

            MpaInitiator whole = initiator(offer);
            int wholeTaken = feed(whole, stream);
            StartupEvent expected = whole.pollEvent();

            MpaInitiator cut = initiator(offer);
            var segment = MemorySegment.ofArray(stream);
            int taken = feedInPieces(random, stream.length, (at, length) -> cut.handleOctets(segment, at, length));

            assertThat(taken).as(Seeds.replay(seed)).isEqualTo(wholeTaken);
            assertThat(cut.pollEvent()).as(Seeds.replay(seed)).isEqualTo(expected);
            if (expected instanceof StartupEvent.Established) {
                assertThat(cut.privateData()).as(Seeds.replay(seed)).isEqualTo(whole.privateData());
            }
        }
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("io.stag.simnet.Seeds#all")
    void anyCutOfTheStreamGivesTheSameRequest(long seed) {
        var random = new SplittableRandom(seed);
        for (int round = 0; round < 20; round++) {
            byte[] stream = stream(random, "MPA ID Req Frame");

            var whole = new MpaResponder(2, DEADLINE);
            int wholeTaken = feed(whole, stream);
            StartupEvent expected = whole.pollEvent();

            var cut = new MpaResponder(2, DEADLINE);
            var segment = MemorySegment.ofArray(stream);
            int taken = feedInPieces(random, stream.length, (at, length) -> cut.handleOctets(segment, at, length));

            assertThat(taken).as(Seeds.replay(seed)).isEqualTo(wholeTaken);
            assertThat(cut.pollEvent()).as(Seeds.replay(seed)).isEqualTo(expected);
            if (expected instanceof StartupEvent.RequestReceived) {
                assertThat(cut.privateData()).as(Seeds.replay(seed)).isEqualTo(whole.privateData());
            }
        }
    }

    @Test
    @Conforms({"CM-031", "CM-066"})
    void noInputMakesAnInitiatorThrowOrTakeMoreThanAFrame() {
        var random = new SplittableRandom(Seeds.all().findFirst().orElseThrow());
        for (int i = 0; i < RANDOM_INPUTS; i++) {
            byte[] input = garbage(random, "MPA ID Rep Frame");
            MpaInitiator initiator = initiator(offer(random));

            int taken = feed(initiator, input);

            check(taken <= frameLength(input), input);
            StartupEvent event = initiator.pollEvent();
            check(event != null || taken == input.length, input);
            if (event instanceof StartupEvent.Established established) {
                check(initiator.privateData().length <= 512, input);
                checkDepths(established.negotiated(), input);
            }
            initiator.handleEndOfStream();
            check((initiator.pollEvent() != null) == (event == null), input);
            check(transmit(initiator).length == 0, input);
        }
    }

    @Test
    @Conforms({"CM-031", "CM-066"})
    void noInputMakesAResponderThrowOrTakeMoreThanAFrame() {
        var random = new SplittableRandom(Seeds.all().findFirst().orElseThrow());
        for (int i = 0; i < RANDOM_INPUTS; i++) {
            byte[] input = garbage(random, "MPA ID Req Frame");
            var responder = new MpaResponder(1 + random.nextInt(2), DEADLINE);

            int taken = feed(responder, input);

            check(taken <= frameLength(input), input);
            StartupEvent event = responder.pollEvent();
            check(event != null || taken == input.length, input);
            if (event instanceof StartupEvent.RequestReceived) {
                byte[] privateData = new byte[random.nextInt(responder.privateDataLimit() + 1)];
                if (random.nextInt(4) == 0) {
                    responder.reject(privateData);
                } else {
                    responder.accept(offer(random), privateData);
                }
                check(transmit(responder).length <= LONGEST_FRAME, input);
                if (responder.pollEvent() instanceof StartupEvent.Established established) {
                    checkDepths(established.negotiated(), input);
                }
            } else if (event == null) {
                responder.handleTimeout(DEADLINE);
                check(responder.pollEvent() instanceof StartupEvent.Failed, input);
            }
        }
    }

    /** Feeds pieces of random size until all is fed; even after the machine has what it wants, as a driver might. */
    private static int feedInPieces(SplittableRandom random, int length, IntBinaryOperator handleOctets) {
        int taken = 0;
        int offered = 0;
        while (offered < length) {
            int piece = 1 + random.nextInt(Math.min(length - offered, random.nextBoolean() ? 5 : 600));
            int step = handleOctets.applyAsInt(offered, piece);
            taken += step;
            offered += piece;
        }
        return taken;
    }

    /** A frame, mostly good, sometimes spoilt in one octet, cut short or followed by more. */
    private static byte[] stream(SplittableRandom random, String key) {
        byte[] privateData = new byte[random.nextInt(4) == 0 ? random.nextInt(509) : random.nextInt(20)];
        random.nextBytes(privateData);
        int revision = 1 + random.nextInt(2);
        int flags = random.nextInt(256) | (revision == 2 ? S : 0);
        byte[] frame = frame(key, flags, revision, privateData.length, privateData);
        if (random.nextInt(4) == 0) {
            frame[random.nextInt(20)] ^= (byte) (1 << random.nextInt(8));
        }
        if (random.nextInt(4) == 0) {
            frame = Arrays.copyOf(frame, random.nextInt(1, frame.length + 30));
        }
        return frame;
    }

    private static byte[] garbage(SplittableRandom random, String key) {
        if (random.nextInt(3) == 0) {
            return stream(random, key);
        }
        byte[] input = new byte[random.nextInt(700)];
        random.nextBytes(input);
        byte[] start = ascii(key);
        System.arraycopy(start, 0, input, 0, Math.min(random.nextInt(2) * 16, input.length));
        if (input.length >= 20 && random.nextBoolean()) {
            input[17] = (byte) (1 + random.nextInt(2));
            input[18] &= 1;
        }
        return input;
    }

    private static int frameLength(byte[] input) {
        int privateData = input.length < 20 ? 0 : (input[18] & 0xFF) << 8 | input[19] & 0xFF;
        return 20 + (privateData > 512 ? 0 : privateData);
    }

    private static StartupOffer offer(SplittableRandom random) {
        int maxIrd = 1 + random.nextInt(StartupOffer.MAX_DEPTH);
        return new StartupOffer(
                1 + random.nextInt(2),
                random.nextBoolean(),
                random.nextBoolean(),
                random.nextBoolean(),
                StartupMatrixTest.SUBSETS.get(random.nextInt(StartupMatrixTest.SUBSETS.size())),
                random.nextInt(maxIrd + 1),
                random.nextInt(StartupOffer.MAX_DEPTH + 1),
                maxIrd,
                random.nextBoolean());
    }

    private static void checkDepths(Negotiated negotiated, byte[] input) {
        check(negotiated.ird() >= 0 && negotiated.ird() <= StartupOffer.MAX_DEPTH, input);
        check(negotiated.ord() >= 0 && negotiated.ord() <= StartupOffer.MAX_DEPTH, input);
        check(negotiated.peerIrd() < 0 || negotiated.ord() <= negotiated.peerIrd(), input);
        check(negotiated.readyToReceive() == null || negotiated.agreed().contains(negotiated.readyToReceive()), input);
    }

    private static void check(boolean holds, byte[] input) {
        if (!holds) {
            throw new AssertionError("fails for " + HexFormat.of().formatHex(input));
        }
    }
}
