package io.stag.cli.misbehave;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.cli.CommandRun;
import io.stag.cli.ExitCode;
import io.stag.verbs.cm.ConnectionConfig;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Peers that break the rules are found out. */
class SloppyPeerIT {
    private static final Timing TIMING = new Timing(Duration.ofSeconds(20), Duration.ofSeconds(20), Duration.ZERO);
    private static final Wishes WISHES = Wishes.of(ConnectionConfig.defaults());

    @ParameterizedTest
    @ValueSource(
            strings = {
                "request-key",
                "request-revision-3",
                "crc-wrong",
                "opcode-12",
                "send-queue-4",
                "send-msn-gap",
                "rdmap-version-tagged",
                "immediate-7",
                "read-response-unasked"
            })
    void whoChecksNothingViolates(String name) throws Exception {
        CaseResult result = run(name, SloppyPeer::answerReads);
        assertThat(result.verdict()).as("%s", result).isEqualTo(Verdict.VIOLATION);
        assertThat(result.reason()).isNotBlank();
    }

    @Test
    void whoDoesWhatIsRightConforms() throws Exception {
        assertThat(run("write-nothing", SloppyPeer::answerReads).verdict()).isEqualTo(Verdict.CONFORMS);
        assertThat(run("ddp-reserved-bits", SloppyPeer::answerReads).verdict()).isEqualTo(Verdict.CONFORMS);
    }

    @Test
    void aTerminateOfTheWrongLayerViolates() throws Exception {
        CaseResult result = run("opcode-12", _ -> Optional.of(Segment.terminate(0x1100)));
        assertThat(result.verdict()).isEqualTo(Verdict.VIOLATION);
        assertThat(result.reason()).isEqualTo("due was Terminate 0x0206");
    }

    @Test
    void theCommandFailsAndNamesItemAndClause() throws Exception {
        try (SloppyPeer peer = new SloppyPeer(SloppyPeer::answerReads)) {
            CommandRun run = CommandRun.of(
                    "misbehave",
                    "crc-wrong",
                    "--connect",
                    "127.0.0.1:" + peer.address().getPort());
            assertThat(run.exitCode()).isEqualTo(ExitCode.FAILED);
            assertThat(run.out())
                    .contains(
                            "crc-wrong: VIOLATION, due was Terminate 0x2002",
                            "RFC 5044 §4.4",
                            "MPA-050",
                            "1 VIOLATION");
        }
    }

    @Test
    void swappedTerminatesAreReportedOnceForAll() throws Exception {
        try (SloppyPeer peer = new SloppyPeer(_ -> Optional.of(Segment.terminate(0x2006)))) { // means 0x0206
            CommandRun run = CommandRun.of(
                    "misbehave",
                    "opcode-12",
                    "--connect",
                    "127.0.0.1:" + peer.address().getPort());
            assertThat(run.exitCode()).isEqualTo(ExitCode.FAILED);
            assertThat(run.out())
                    .contains(
                            "VIOLATION in 1 answers: its Terminate has layer",
                            "RDMAP-012, RFC 5040 §4.8",
                            "1 conforms");
        }
    }

    @Test
    void anAnswerToAReadOfNothingMustBeEmpty() throws Exception {
        CaseResult result = run(
                "read-nothing",
                segment -> SloppyPeer.answerReads(segment).map(answer -> answer.withLength(answer.length() + 16)));
        assertThat(result.verdict()).isEqualTo(Verdict.VIOLATION);
        assertThat(result.findings()).extracting(Finding::item).containsExactly("RDMAP-032");
    }

    private static CaseResult run(String name, java.util.function.Function<Segment, Optional<Segment>> answer)
            throws Exception {
        try (SloppyPeer peer = new SloppyPeer(answer)) {
            return CaseRunner.connecting(peer.address(), WISHES, TIMING)
                    .run(Catalogue.named(name).orElseThrow());
        }
    }
}
