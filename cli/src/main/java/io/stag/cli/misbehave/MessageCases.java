package io.stag.cli.misbehave;

import static io.stag.cli.misbehave.Expectation.closes;
import static io.stag.cli.misbehave.Expectation.terminates;

import io.stag.wire.rdmap.RdmapOpcode;
import java.util.List;

/** Messages with wrong sequence numbers, offsets, queues and lengths (RFC 5041, section 7.1; RFC 5040, section 5). */
final class MessageCases {
    private static final String DDP = "RFC 5041 §7.1";
    private static final String SEND = "RFC 5040 §5.3";
    private static final String READ = "RFC 5040 §5.2.1";
    private static final String TERMINATE = "RFC 5040 §5.4";
    private static final String SOURCES = "sources differ about the code";
    private static final int ANNOUNCEMENT = Buffers.ANNOUNCEMENT; // what every peer that speaks rping takes
    private static final String NO_CODE = "no RFC has a code for it";
    private static final int FLOOD = 200;
    private static final int TOO_LONG = 2_000;

    private MessageCases() {}

    static List<Case> all() {
        return List.of(
                stream("send-queue-4", "a Send on queue 4", send(segment -> segment.withQueue(4)), terminates(0x1201))
                        .about(DDP, "DDP-046"),
                stream(
                                "send-queue-1",
                                "a Send on the queue of Read Requests",
                                send(segment -> segment.withQueue(1)),
                                terminates(0x0206, 0x1201))
                        .about("RFC 5040 §4.1", "RDMAP-001", "RDMAP-075"),
                stream(
                                "send-queue-huge",
                                "a Send on queue 2^32-1",
                                send(segment -> segment.withQueue(-1)),
                                terminates(0x1201))
                        .about(DDP, "DDP-046", "SEC-026"),
                stream(
                                "send-msn-gap",
                                "a first Send with sequence number 2",
                                send(segment -> segment.withMsn(2)),
                                terminates(0x1203).or(SOURCES, 0x1202))
                        .about(DDP, "DDP-050"),
                stream(
                                "send-msn-0",
                                "a first Send with sequence number 0",
                                send(segment -> segment.withMsn(0)),
                                terminates(0x1203).or(SOURCES, 0x1202))
                        .about(DDP, "DDP-050"),
                stream(
                                "send-msn-twice",
                                "two Sends with one sequence number",
                                MessageCases::twice,
                                terminates(0x1203).or(SOURCES, 0x1202))
                        .about(DDP, "DDP-050", "DDP-035"),
                stream(
                                "send-offset-beyond",
                                "a Send that begins at octet 65,537",
                                send(segment -> segment.withMessageOffset(65_537)),
                                terminates(0x1204))
                        .about(DDP, "DDP-048"),
                stream(
                                "send-offset-gap",
                                "a second segment with a gap before it",
                                MessageCases::gap,
                                terminates(0x1204).or(SOURCES, 0x1205, 0x1202))
                        .about(DDP, "DDP-048"),
                stream(
                                "send-offset-wrap",
                                "an offset just below 2^32",
                                send(segment -> segment.withMessageOffset(-4)),
                                terminates(0x1204).or(SOURCES, 0x1205, 0x1202))
                        .about(DDP, "DDP-048", "DDP-049", "SEC-026"),
                stream(
                                "send-too-long",
                                "a Send of 2,000 octets",
                                peer -> peer.say(peer.send(TOO_LONG)),
                                terminates(0x1205).or(SOURCES, 0x1202, 0x0000))
                        .about(SEND, "DDP-049", "RDMAP-040"),
                stream(
                                "send-no-buffer",
                                FLOOD + " Sends, more than receives",
                                MessageCases::flood,
                                terminates(0x1202)
                                        .may(Outcome.WENT_ON, "the peer posts receives quickly enough")
                                        .may(Outcome.SILENT, "the peer is busy with the Sends"))
                        .about(DDP, "DDP-047"),
                stream(
                                "send-interleaved",
                                "a second Send inside the first",
                                MessageCases::interleaved,
                                terminates(0x1203, 0x1204).or(SOURCES, 0x1202))
                        .about("RFC 5041 §5.3", "DDP-050", "DDP-035"),
                stream(
                                "send-changes-opcode",
                                "a Send whose second segment is another kind",
                                MessageCases::changed,
                                terminates(0x0206).may(Outcome.SILENT, "only the sender is told not to do that"))
                        .about("RFC 5041 §4.3", "DDP-017"),
                stream(
                                "read-request-queue-0",
                                "a Read Request on the queue of Sends",
                                peer -> peer.say(peer.read(1, 0, 0).withQueue(0)),
                                terminates(0x0206, 0x1201))
                        .about("RFC 5040 §4.1", "RDMAP-001", "RDMAP-075"),
                stream(
                                "read-request-msn-gap",
                                "a Read Request with a number left out",
                                peer -> peer.say(peer.read(1, 0, 0).withMsn(9)),
                                terminates(0x1203).or(SOURCES, 0x1202))
                        .about(READ, "DDP-050"),
                stream(
                                "read-request-not-last",
                                "a Read Request without L",
                                peer -> peer.say(peer.read(1, 0, 0).withoutLast()),
                                terminates(0x0207, 0x1204))
                        .about(READ, "RDMAP-025"),
                stream(
                                "read-request-short",
                                "a Read Request cut by one octet",
                                peer -> peer.say(peer.read(1, 0, 0).withLength(45)),
                                terminates(0x0207, 0x02FF, 0x1204).or(NO_CODE, 0x2003, 0x1000))
                        .about(READ, "RDMAP-010", "SEC-026"),
                stream(
                                "read-request-long",
                                "a Read Request of 4 octets more",
                                peer -> peer.say(peer.read(1, 0, 0).withLength(50)),
                                terminates(0x0207, 0x02FF, 0x1205)
                                        .may(Outcome.WENT_ON, "nothing forbids to ignore the rest"))
                        .about(READ, "RDMAP-010"),
                stream(
                                "read-request-offset",
                                "a Read Request at message offset 4",
                                peer -> peer.say(peer.read(1, 0, 0).withMessageOffset(4)),
                                terminates(0x1204, 0x0207))
                        .about(READ, "DDP-048"),
                ending("terminate", "a Terminate", peer -> peer.say(Segment.terminate(0x0000)))
                        .about(TERMINATE, "RDMAP-048", "VRB-005"),
                ending(
                                "terminate-unassigned",
                                "a Terminate with code 0xFFFF",
                                peer -> peer.say(Segment.terminate(0xFFFF)))
                        .about(TERMINATE, "RDMAP-048", "VRB-005", "SEC-026"),
                malformed(
                                "terminate-short",
                                "a Terminate without its control octets",
                                peer -> peer.say(Segment.terminate(0).withLength(18)))
                        .about(TERMINATE, "VRB-005", "SEC-026"),
                ending(
                                "terminate-msn-2",
                                "a Terminate with sequence number 2",
                                peer -> peer.say(Segment.terminate(0).withMsn(2)))
                        .about(TERMINATE, "VRB-005"),
                malformed(
                                "terminate-queue-0",
                                "a Terminate on the queue of Sends",
                                peer -> peer.say(Segment.terminate(0).withQueue(0)))
                        .about(TERMINATE, "RDMAP-047", "VRB-005"),
                ending(
                                "terminate-headers-missing",
                                "a Terminate that claims headers it has not",
                                peer -> peer.say(Segment.terminate(0x0100).withPayloadWord(0, 0x0100_E000)))
                        .about("RFC 5040 §4.8", "RDMAP-015", "RDMAP-016", "SEC-026"),
                ending("terminate-then-more", "a Terminate and more behind it", MessageCases::goOn)
                        .about(TERMINATE, "RDMAP-050", "VRB-005"));
    }

    /** Changes a segment. */
    @FunctionalInterface
    private interface Change {
        Segment of(Segment segment);
    }

    private static Case stream(String name, String sends, Case.Script script, Expectation expectation) {
        return Case.of(name, Role.EITHER, Stage.STREAM, sends, script, expectation);
    }

    /** A Terminate ends the stream and is not answered. */
    private static Case ending(String name, String sends, Case.Script script) {
        Expectation end = closes().may(Outcome.SILENT, "no time is set for the close");
        return Case.of(name, Role.EITHER, Stage.ENDING, sends, script, end);
    }

    /** Not known as a Terminate by its queue or its length, so it may be answered. */
    private static Case malformed(String name, String sends, Case.Script script) {
        Expectation end = terminates(0x0206, 0x1201)
                .or(NO_CODE, 0x2003, 0x1000)
                .must(Outcome.CLOSED)
                .may(Outcome.SILENT, "no time is set for the close");
        return Case.of(name, Role.EITHER, Stage.ENDING, sends, script, end);
    }

    private static Case.Script send(Change change) {
        return peer -> peer.say(change.of(peer.send(ANNOUNCEMENT)));
    }

    private static void twice(RawPeer peer) {
        Segment send = peer.send(ANNOUNCEMENT);
        peer.say(send);
        peer.say(send);
    }

    private static void gap(RawPeer peer) {
        Segment send = peer.send(4);
        peer.say(send.withoutLast());
        peer.say(send.withMessageOffset(8));
    }

    private static void flood(RawPeer peer) {
        for (int i = 0; i < FLOOD; i++) {
            peer.say(peer.send(ANNOUNCEMENT));
        }
    }

    private static void interleaved(RawPeer peer) {
        peer.say(peer.send(4).withoutLast());
        peer.say(peer.send(4));
    }

    private static void changed(RawPeer peer) {
        Segment send = peer.send(8);
        peer.say(send.withoutLast());
        peer.say(send.withMessageOffset(8).withOpcode(RdmapOpcode.SEND_WITH_SOLICITED_EVENT));
    }

    private static void goOn(RawPeer peer) {
        peer.say(Segment.terminate(0));
        peer.say(Segment.write(1, 0, 8));
        peer.say(peer.send(ANNOUNCEMENT).withQueue(4));
    }
}
