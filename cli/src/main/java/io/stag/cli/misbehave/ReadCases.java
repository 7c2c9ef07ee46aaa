package io.stag.cli.misbehave;

import static io.stag.cli.misbehave.Expectation.closes;
import static io.stag.cli.misbehave.Expectation.goesOn;
import static io.stag.cli.misbehave.Expectation.terminates;

import io.stag.wire.mpa.EnhancedWord;
import io.stag.wire.rdmap.ReadRequestHeader;
import java.io.ByteArrayOutputStream;
import java.util.List;

/** RDMA Reads of memory that is not theirs, too many of them, and wrong answers to Reads (RFC 5040, section 5.2). */
final class ReadCases {
    private static final String CLAUSE = "RFC 5040 §7.2";
    private static final String RESPONSE = "RFC 5040 §5.2.2";
    private static final String MAY_VERIFY = "the sink may verify the response, but need not (RDMAP-037)";
    private static final int UNKNOWN_STAG = 0xDEAD_0001;
    private static final int LENGTH = 16;

    private ReadCases() {}

    static List<Case> all() {
        return List.of(
                read(
                                "read-stag-unknown",
                                "a Read of an STag never given out",
                                peer -> peer.say(peer.read(UNKNOWN_STAG, 0, LENGTH)),
                                terminates(0x0100))
                        .about(CLAUSE, "RDMAP-030", "RDMAP-073", "RDMAP-078"),
                read("read-stag-key", "a Read of an STag with another key", ReadCases::wrongKey, terminates(0x0100))
                        .about(CLAUSE, "RDMAP-078", "VRB-012"),
                read("read-past-end", "a Read one octet past the end", ReadCases::pastEnd, terminates(0x0101))
                        .about(CLAUSE, "RDMAP-078", "SEC-003"),
                read("read-huge", "a Read of 2^32-1 octets", ReadCases::huge, terminates(0x0101))
                        .about(CLAUSE, "RDMAP-078", "SEC-026"),
                read(
                                "read-wrap",
                                "a Read that passes 2^64",
                                ReadCases::wrap,
                                terminates(0x0104).or("it is outside the bounds as well", 0x0101))
                        .about(CLAUSE, "RDMAP-078"),
                read(
                                "read-write-only",
                                "a Read of memory that may only be written",
                                peer -> special(peer, Buffers.Special::writeOnly),
                                terminates(0x0102))
                        .about("RFC 5040 §4.8", "RDMAP-079", "SEC-009"),
                read(
                                "read-no-rights",
                                "a Read of memory without remote rights",
                                peer -> special(peer, Buffers.Special::local),
                                terminates(0x0102))
                        .about("RFC 5040 §4.8", "RDMAP-079"),
                read(
                                "read-other-domain",
                                "a Read of memory of another protection domain",
                                peer -> special(peer, Buffers.Special::foreign),
                                terminates(0x0103).or("nothing need be told about foreign memory", 0x0100))
                        .about(CLAUSE, "SEC-001", "RDMAP-078"),
                read(
                                "read-stale",
                                "a Read of memory no longer registered",
                                peer -> special(peer, Buffers.Special::stale),
                                terminates(0x0100))
                        .about(CLAUSE, "RDMAP-078", "SEC-004"),
                Case.of(
                                "read-nothing",
                                Role.EITHER,
                                Stage.ENDING,
                                "a Read of nothing from an unknown STag",
                                peer -> peer.say(peer.probe(UNKNOWN_STAG, -1)),
                                goesOn())
                        .about("RFC 5040 §5.2.1", "RDMAP-011", "RDMAP-031", "RDMAP-032"),
                read(
                                "read-too-many",
                                "more Reads than the peer has room for",
                                ReadCases::tooMany,
                                terminates(0x1203)
                                        .or("RFC 5040 names no code", 0x1202, 0x0207)
                                        .may(Outcome.WENT_ON, "it answered faster than they came")
                                        .may(Outcome.SILENT, "it is still answering"))
                        .about("RFC 5040 §6.1", "RDMAP-066", "SEC-014"),
                read(
                                "read-response-unasked",
                                "a Read Response without a Read",
                                peer -> peer.say(Segment.readResponse(1, 0, LENGTH)),
                                terminates(0x0206).or("its STag was looked at first", 0x1100, 0x1000))
                        .about(RESPONSE, "RDMAP-075"),
                read(
                                "read-response-empty",
                                "an empty Read Response without a Read",
                                peer -> peer.say(Segment.readResponse(1, 0, 0)),
                                terminates(0x0206).or("its STag was looked at first", 0x1100, 0x1000))
                        .about(RESPONSE, "RDMAP-075"),
                answer(
                                "read-response-stag",
                                "a Read Response to an unknown STag",
                                read -> Segment.readResponse(UNKNOWN_STAG, read.sinkTaggedOffset(), read.messageSize()),
                                terminates(0x1100))
                        .about(RESPONSE, "DDP-051", "RDMAP-037"),
                answer(
                                "read-response-offset",
                                "a Read Response 8 octets beside its place",
                                read -> Segment.readResponse(
                                        read.sinkStag(), read.sinkTaggedOffset() + 8, read.messageSize()),
                                terminates(0x1101).may(Outcome.WENT_ON, MAY_VERIFY))
                        .about(RESPONSE, "RDMAP-037"),
                answer(
                                "read-response-long",
                                "a Read Response of 8 octets too many",
                                read -> Segment.readResponse(
                                        read.sinkStag(), read.sinkTaggedOffset(), read.messageSize() + 8),
                                terminates(0x1101).may(Outcome.WENT_ON, MAY_VERIFY))
                        .about(RESPONSE, "RDMAP-037"),
                answer(
                                "read-response-short",
                                "a Read Response of 8 octets too few",
                                read -> Segment.readResponse(
                                        read.sinkStag(), read.sinkTaggedOffset(), read.messageSize() - 8),
                                terminates(0x1101).may(Outcome.WENT_ON, MAY_VERIFY))
                        .about(RESPONSE, "RDMAP-037"),
                Case.of(
                                "read-response-twice",
                                Role.INITIATOR,
                                Stage.STREAM,
                                "a Read Response and once more",
                                peer -> {
                                    ReadRequestHeader read = peer.awaitRead();
                                    peer.answer(read);
                                    peer.answer(read);
                                },
                                terminates(0x0206).or("its STag was looked at first", 0x1100, 0x1000))
                        .about(RESPONSE, "RDMAP-075"),
                Case.of(
                                "read-refused",
                                Role.INITIATOR,
                                Stage.ENDING,
                                "a Terminate as answer to a Read",
                                peer -> {
                                    peer.awaitRead();
                                    peer.say(Segment.terminate(0x0100));
                                },
                                closes().may(Outcome.SILENT, "no time is set for the close"))
                        .about("RFC 5040 §5.4", "RDMAP-048", "VRB-005"),
                Case.of(
                                "fin-during-read",
                                Role.INITIATOR,
                                Stage.ENDING,
                                "FIN instead of the answer to a Read",
                                peer -> {
                                    peer.awaitRead();
                                    peer.finish();
                                },
                                terminates(0x0207))
                        .about("RFC 5041 §6.2.1, verbs §6.2.2", "DDP-042", "VRB-004"),
                Case.of(
                                "fin-idle",
                                Role.EITHER,
                                Stage.ENDING,
                                "FIN",
                                RawPeer::finish,
                                closes().or("the FIN may have met its first message half sent (VRB-004)", 0x0207))
                        .about("RFC 5044 §7.2, verbs §6.2.2", "MPA-055", "VRB-003"),
                Case.of(
                                "reset-idle",
                                Role.INITIATOR,
                                Stage.AFTERWARDS,
                                "a reset after the startup",
                                peer -> {
                                    peer.start();
                                    peer.reset();
                                },
                                goesOn())
                        .about("RFC 5044 §8", "MPA-049"));
    }

    private static Case read(String name, String sends, Case.Script script, Expectation expectation) {
        return Case.of(name, Role.EITHER, Stage.STREAM, sends, script, expectation);
    }

    /** Makes an answer out of a Read Request. */
    @FunctionalInterface
    private interface Answer {
        Segment to(ReadRequestHeader read);
    }

    private static Case answer(String name, String sends, Answer answer, Expectation expectation) {
        Case.Script script = peer -> peer.say(answer.to(peer.awaitRead()));
        return Case.of(name, Role.INITIATOR, Stage.STREAM, sends, script, expectation);
    }

    private static void special(RawPeer peer, WriteCases.Choice choice) {
        int stag = choice.of(WriteCases.specialOf(peer.buffers()));
        peer.say(peer.read(stag, 0, LENGTH));
    }

    private static void wrongKey(RawPeer peer) {
        Buffers buffers = peer.buffers();
        peer.say(peer.read(buffers.stag() ^ 1, buffers.offset(), LENGTH));
    }

    private static void pastEnd(RawPeer peer) {
        Buffers buffers = peer.buffers();
        peer.say(peer.read(buffers.stag(), buffers.end() - LENGTH + 1, LENGTH));
    }

    private static void huge(RawPeer peer) {
        Buffers buffers = peer.buffers();
        peer.say(peer.read(buffers.stag(), buffers.offset(), -1));
    }

    private static void wrap(RawPeer peer) {
        Buffers buffers = peer.buffers();
        peer.say(peer.read(buffers.stag(), -LENGTH / 2, LENGTH));
    }

    /** In one piece, and of memory so large that the first answers fill TCP's buffers as long as nobody reads them. */
    private static void tooMany(RawPeer peer) {
        Buffers buffers = peer.buffers();
        int stag = buffers.special().map(Buffers.Special::large).orElse(buffers.stag());
        int size = buffers.special().map(Buffers.Special::largeSize).orElse(LENGTH);
        long offset = buffers.special().isPresent() ? 0 : buffers.offset();
        int room = peer.peerFrame().word().map(EnhancedWord::ird).orElse(1);
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (int i = 0; i < 2 * room + 2; i++) {
            all.writeBytes(peer.encode(peer.read(stag, offset, size)));
        }
        peer.octets(all.toByteArray());
    }
}
