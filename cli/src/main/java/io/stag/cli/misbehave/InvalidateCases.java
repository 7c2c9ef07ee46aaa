package io.stag.cli.misbehave;

import static io.stag.cli.misbehave.Expectation.terminates;

import io.stag.wire.rdmap.RdmapOpcode;
import java.util.List;

/** Send with Invalidate of STags that the sender has no business with (RFC 5040, section 5.3). */
final class InvalidateCases {
    private static final String CLAUSE = "RFC 5040 §5.3, §7.2";
    private static final String SOURCES = "sources differ about the code";
    private static final int UNKNOWN_STAG = 0xDEAD_0001;

    private InvalidateCases() {}

    static List<Case> all() {
        return List.of(
                invalidate(
                                "invalidate-unknown",
                                "an STag never given out",
                                peer -> say(peer, UNKNOWN_STAG),
                                0x0209,
                                0x0100)
                        .about(CLAUSE, "RDMAP-046", "RDMAP-077"),
                invalidate("invalidate-0", "STag 0", peer -> say(peer, 0), 0x0209, 0x0100)
                        .about(CLAUSE, "RDMAP-046", "RDMAP-077"),
                invalidate("invalidate-key", "an STag with another key", InvalidateCases::wrongKey, 0x0209, 0x0100)
                        .about(CLAUSE, "RDMAP-077", "VRB-012", "VRB-015"),
                invalidate(
                                "invalidate-stale",
                                "memory no longer registered",
                                peer -> special(peer, Buffers.Special::stale),
                                0x0209,
                                0x0100)
                        .about(CLAUSE, "RDMAP-046", "RDMAP-077"),
                invalidate(
                                "invalidate-other-domain",
                                "memory of another protection domain",
                                peer -> special(peer, Buffers.Special::foreign),
                                0x0209,
                                0x0103,
                                0x0100)
                        .about(CLAUSE, "RDMAP-046", "SEC-001", "VRB-015"),
                invalidate(
                                "invalidate-no-rights",
                                "memory without remote rights",
                                peer -> special(peer, Buffers.Special::local),
                                0x0209,
                                0x0102)
                        .about("RFC 5040 §5.3, verbs §7.8", "VRB-015"),
                invalidate(
                                "invalidate-shared",
                                "memory that other streams use too",
                                peer -> special(peer, Buffers.Special::readOnly),
                                0x0209,
                                0x0102)
                        .about("RFC 5040 §8.1.1", "SEC-005"),
                Case.of(
                                "write-after-invalidate",
                                Role.EITHER,
                                Stage.STREAM,
                                "an STag is invalidated rightly, then written to",
                                InvalidateCases::useAfter,
                                terminates(0x1100)
                                        .or("a peer may refuse to invalidate a region (SEC-005)", 0x0109, 0x0209))
                        .about("RFC 5040 §5.3", "RDMAP-045", "SEC-004"));
    }

    private static Case invalidate(String name, String what, Case.Script script, Integer... otherCodes) {
        return Case.of(
                name,
                Role.EITHER,
                Stage.STREAM,
                "Send with Invalidate: " + what,
                script,
                terminates(0x0109).or(SOURCES, otherCodes).always());
    }

    private static void say(RawPeer peer, int stag) {
        peer.say(Segment.sendInvalidate(peer.takeMsn(RdmapOpcode.SEND_QUEUE), stag));
    }

    private static void wrongKey(RawPeer peer) {
        say(peer, peer.buffers().stag() ^ 1);
    }

    private static void special(RawPeer peer, WriteCases.Choice choice) {
        say(peer, choice.of(WriteCases.specialOf(peer.buffers())));
    }

    private static void useAfter(RawPeer peer) {
        Buffers buffers = peer.buffers();
        say(peer, buffers.stag());
        peer.say(Segment.write(buffers.stag(), buffers.offset() + buffers.size() / 2, 1));
    }
}
