package io.stag.cli.misbehave;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.wire.mpa.MpaFrame;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Verdicts on reactions that were never seen from Stag. */
class ExpectationTest {
    private static final Expectation BAD_CRC = Expectation.terminates(0x2002);
    private static final Expectation BAD_READ = Expectation.terminates(0x0100);

    @ParameterizedTest
    @CsvSource({
        "0x2002, CONFORMS", // as the RFC says
        "0x0202, CONFORMS", // swapped, as Linux siw does
        "0x2003, ALLOWED", // the same layer
        "0x0207, ALLOWED", // unspecific
        "0x1100, VIOLATION", // another layer
        "0xFFFF, VIOLATION" // unassigned
    })
    void theCodeOfATerminateDecides(String code, Verdict verdict) {
        Observation seen = stream(Integer.decode(code), StreamEnd.FIN);
        assertThat(BAD_CRC.judge(seen, Stage.STREAM).verdict()).isEqualTo(verdict);
    }

    @Test
    void swappedNibblesAreFoundEvenWhereBothReadingsHaveAMeaning() {
        Segment swapped = Segment.terminate(0x1000); // 0x0100 in the order of Linux siw, and a code of DDP itself
        assertThat(BAD_READ.isSwapped(swapped)).isTrue();
        assertThat(BAD_READ.judge(stream(0x1000, StreamEnd.FIN), Stage.STREAM).verdict())
                .isEqualTo(Verdict.CONFORMS);
        assertThat(BAD_CRC.isSwapped(Segment.terminate(0x0202))).isTrue();
        assertThat(BAD_CRC.isSwapped(Segment.terminate(0x2002))).isFalse();
        assertThat(BAD_CRC.isSwapped(Segment.terminate(0x1100)))
                .as("a palindrome")
                .isFalse();
    }

    @Test
    void aPeerThatGoesOnAsIfNothingHadHappenedBreaksTheRule() {
        Observation seen = new Observation(Optional.empty(), List.of(), true, StreamEnd.OPEN, List.of());
        Ruling ruling = BAD_CRC.judge(seen, Stage.STREAM);
        assertThat(ruling.verdict()).isEqualTo(Verdict.VIOLATION);
        assertThat(ruling.reason()).isEqualTo("due was Terminate 0x2002");
        assertThat(Expectation.goesOn().judge(seen, Stage.STREAM).verdict()).isEqualTo(Verdict.CONFORMS);
    }

    @Test
    void silenceIsNoAnswer() {
        Observation seen = new Observation(Optional.empty(), List.of(), false, StreamEnd.OPEN, List.of());
        assertThat(BAD_CRC.judge(seen, Stage.STREAM).verdict()).isEqualTo(Verdict.VIOLATION);
        assertThat(Expectation.goesOn().judge(seen, Stage.STREAM).verdict()).isEqualTo(Verdict.VIOLATION);
        assertThat(seen.text()).isEqualTo("nothing");
    }

    @Test
    void aCloseIsEnoughUnlessTheTerminateIsAMust() {
        Observation fin = new Observation(Optional.empty(), List.of(), false, StreamEnd.FIN, List.of());
        Observation reset = new Observation(Optional.empty(), List.of(), false, StreamEnd.RESET, List.of());
        Expectation must = Expectation.terminates(0x2007).always();
        assertThat(BAD_CRC.judge(fin, Stage.STREAM).verdict()).isEqualTo(Verdict.ALLOWED);
        assertThat(must.judge(fin, Stage.STARTUP).verdict()).isEqualTo(Verdict.VIOLATION);
        assertThat(must.judge(reset, Stage.STARTUP).verdict())
                .as("a reset may have overtaken it")
                .isEqualTo(Verdict.ALLOWED);
        assertThat(Expectation.goesOn().judge(reset, Stage.STREAM).verdict()).isEqualTo(Verdict.VIOLATION);
    }

    @Test
    void aReplyToAWrongRequestBreaksTheRule() {
        Observation accepted = startup(false, StreamEnd.OPEN);
        Observation rejected = startup(true, StreamEnd.FIN);
        Expectation closes = Expectation.closes();
        assertThat(closes.judge(accepted, Stage.STARTUP).verdict()).isEqualTo(Verdict.VIOLATION);
        assertThat(closes.judge(rejected, Stage.STARTUP).verdict()).isEqualTo(Verdict.VIOLATION);
        Expectation lenient = Expectation.closes().may(Outcome.REJECTED, "because");
        assertThat(lenient.judge(rejected, Stage.STARTUP)).isEqualTo(new Ruling(Verdict.ALLOWED, "because"));
    }

    @Test
    void theContentOfAReplyIsJudged() {
        Expectation picky = Expectation.accepts(reply -> reply.crc() ? "" : "no CRC");
        assertThat(picky.judge(startup(false, StreamEnd.OPEN), Stage.STARTUP))
                .isEqualTo(new Ruling(Verdict.VIOLATION, "no CRC"));
    }

    @Test
    void aTerminateHasItsOwnRules() {
        assertThat(findings(Segment.terminate(0x2002))).isEmpty();
        assertThat(findings(Segment.terminate(0x2002).withQueue(0))).containsExactly("RDMAP-047");
        assertThat(findings(Segment.terminate(0x2002).withMsn(2))).containsExactly("DDP-021");
        assertThat(findings(Segment.terminate(0x2002).withoutLast())).containsExactly("DDP-021");
        assertThat(findings(Segment.terminate(0x2002), Segment.write(1, 0, 0))).containsExactly("RDMAP-050");
        assertThat(findings(Segment.terminate(0x2002), Segment.terminate(0x2002)))
                .containsExactly("RDMAP-050");
        assertThat(BAD_CRC.judge(observation(Segment.terminate(0).withLength(20)), Stage.STREAM)
                        .verdict())
                .isEqualTo(Verdict.VIOLATION);
    }

    private static List<String> findings(Segment... segments) {
        return observation(segments).allFindings().stream().map(Finding::item).toList();
    }

    private static Observation observation(Segment... segments) {
        return new Observation(Optional.empty(), List.of(segments), false, StreamEnd.FIN, List.of());
    }

    private static Observation stream(int code, StreamEnd end) {
        return new Observation(Optional.empty(), List.of(Segment.terminate(code)), false, end, List.of());
    }

    private static Observation startup(boolean reject, StreamEnd end) {
        byte[] octets = Arrays.copyOf(new byte[0], MpaFrame.HEADER_LENGTH);
        MpaFrame frame = new MpaFrame();
        frame.wrap(java.lang.foreign.MemorySegment.ofArray(octets), 0, octets.length);
        frame.putReply(false, false, reject, false, 1, 0);
        return new Observation(PeerFrame.read(octets, octets.length), List.of(), false, end, List.of());
    }
}
