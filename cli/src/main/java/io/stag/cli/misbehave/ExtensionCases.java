package io.stag.cli.misbehave;

import static io.stag.cli.misbehave.Expectation.goesOn;
import static io.stag.cli.misbehave.Expectation.terminates;

import io.stag.wire.rdmap.AtomicRequestHeader;
import io.stag.wire.rdmap.RdmapOpcode;
import java.util.List;

/** Wrong atomic operations and immediate data (RFC 7306). A peer without them answers 0x0206 (section 1.1). */
final class ExtensionCases {
    private static final String ATOMIC = "RFC 7306 §5.2, §8.2";
    private static final String IMMEDIATE = "RFC 7306 §6.3";
    private static final String UNSUPPORTED = "a peer without the extension says so";
    private static final int NOT_THERE = 0x0206;
    private static final int UNKNOWN_STAG = 0xDEAD_0001;
    private static final int WIDTH = 8;

    private ExtensionCases() {}

    static List<Case> all() {
        return List.of(
                stream(
                                "atomic-misaligned",
                                "a FetchAdd at an odd place",
                                ExtensionCases::misaligned,
                                terminates(0x0207).or(UNSUPPORTED, NOT_THERE).always())
                        .about(ATOMIC, "EXT-005", "EXT-036", "EXT-038"),
                stream(
                                "atomic-stag-unknown",
                                "a FetchAdd at an STag never given out",
                                peer -> peer.say(fetchAdd(peer, UNKNOWN_STAG, 0)),
                                terminates(0x0100).or(UNSUPPORTED, NOT_THERE))
                        .about(ATOMIC, "EXT-036", "EXT-037"),
                stream(
                                "atomic-past-end",
                                "a FetchAdd across the end",
                                ExtensionCases::pastEnd,
                                terminates(0x0101).or(UNSUPPORTED, NOT_THERE))
                        .about(ATOMIC, "EXT-037", "SEC-003"),
                stream(
                                "atomic-no-rights",
                                "a FetchAdd in memory that may only be read",
                                ExtensionCases::readOnly,
                                terminates(0x0102).or(UNSUPPORTED, NOT_THERE))
                        .about(ATOMIC, "EXT-037", "SEC-008"),
                stream(
                                "atomic-code-1",
                                "an Atomic Request with a reserved code",
                                ExtensionCases::reservedCode,
                                terminates(NOT_THERE).always())
                        .about(ATOMIC, "EXT-017"),
                stream(
                                "atomic-short",
                                "an Atomic Request cut by one octet",
                                ExtensionCases::cut,
                                terminates(0x0207, 0x02FF).or(UNSUPPORTED, NOT_THERE))
                        .about(ATOMIC, "EXT-012", "SEC-026"),
                stream(
                                "atomic-not-last",
                                "an Atomic Request without L",
                                ExtensionCases::notLast,
                                terminates(0x0207, 0x1204).or(UNSUPPORTED, NOT_THERE))
                        .about(ATOMIC, "EXT-012"),
                stream(
                                "atomic-reserved-bits",
                                "an Atomic Request with reserved bits set",
                                ExtensionCases::reservedBits,
                                goesOn().or(UNSUPPORTED, NOT_THERE))
                        .about(ATOMIC, "EXT-002", "EXT-013"),
                stream(
                                "atomic-response-unasked",
                                "an Atomic Response without a request",
                                peer -> peer.say(Segment.atomicResponse(1)),
                                terminates(NOT_THERE).or("it came on a queue without buffers", 0x1201, 0x1202, 0x1203))
                        .about("RFC 7306 §5.2.2", "EXT-023"),
                stream(
                                "immediate-7",
                                "Immediate Data of 7 octets",
                                immediate(7),
                                terminates(0x02FF, 0x0207).or(UNSUPPORTED, NOT_THERE))
                        .about(IMMEDIATE, "EXT-033"),
                stream(
                                "immediate-9",
                                "Immediate Data of 9 octets",
                                immediate(9),
                                terminates(0x02FF, 0x0207).or(UNSUPPORTED, NOT_THERE))
                        .about(IMMEDIATE, "EXT-033"),
                stream(
                                "immediate-queue-1",
                                "Immediate Data on the queue of Read Requests",
                                peer -> peer.say(Segment.immediate(peer.takeMsn(RdmapOpcode.SEND_QUEUE), WIDTH)
                                        .withQueue(RdmapOpcode.READ_REQUEST_QUEUE)),
                                terminates(NOT_THERE, 0x1201))
                        .about(IMMEDIATE, "EXT-030", "EXT-037"));
    }

    private static Case stream(String name, String sends, Case.Script script, Expectation expectation) {
        return Case.of(name, Role.EITHER, Stage.STREAM, sends, script, expectation);
    }

    private static Segment fetchAdd(RawPeer peer, int stag, long offset) {
        return Segment.fetchAdd(peer.takeMsn(RdmapOpcode.READ_REQUEST_QUEUE), stag, offset);
    }

    private static Segment right(RawPeer peer) {
        Buffers buffers = peer.buffers();
        return fetchAdd(peer, buffers.stag(), buffers.offset());
    }

    private static void misaligned(RawPeer peer) {
        Buffers buffers = peer.buffers();
        peer.say(fetchAdd(peer, buffers.stag(), buffers.offset() + 1));
    }

    private static void pastEnd(RawPeer peer) {
        Buffers buffers = peer.buffers();
        peer.say(fetchAdd(peer, buffers.stag(), buffers.end()));
    }

    private static void readOnly(RawPeer peer) {
        peer.say(fetchAdd(peer, WriteCases.specialOf(peer.buffers()).readOnly(), 0));
    }

    private static void reservedCode(RawPeer peer) {
        peer.say(right(peer).withPayloadWord(0, 1));
    }

    private static void cut(RawPeer peer) {
        Segment request = right(peer);
        peer.say(request.withLength(request.length() - 1));
    }

    private static void notLast(RawPeer peer) {
        peer.say(right(peer).withoutLast());
    }

    /** One at a time: a peer need not have room for two. */
    private static void reservedBits(RawPeer peer) {
        peer.say(right(peer)
                .withPayloadWord(0, ~0xF | AtomicRequestHeader.FETCH_ADD)
                .withInvalidateStag(UNKNOWN_STAG));
        peer.awaitAnswer();
    }

    private static Case.Script immediate(int length) {
        return peer -> peer.say(Segment.immediate(peer.takeMsn(RdmapOpcode.SEND_QUEUE), length));
    }
}
