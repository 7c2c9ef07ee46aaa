package io.stag.cli.misbehave;

import static io.stag.cli.misbehave.Expectation.goesOn;
import static io.stag.cli.misbehave.Expectation.terminates;

import java.util.List;

/**
 * RDMA Writes to memory that is not theirs (RFC 5041, section 7.1). A good Write follows each bad one, to the second half
 * of the buffer: {@link Target} sees whether it was placed, which must not be (DDP-057).
 */
final class WriteCases {
    private static final String CLAUSE = "RFC 5041 §7.1";
    private static final int UNKNOWN_STAG = 0xDEAD_0001;
    private static final int LENGTH = 16;
    private static final String NO_RIGHTS_CODE = "RFC 5041 has no code for missing rights";

    private WriteCases() {}

    static List<Case> all() {
        return List.of(
                write(
                                "write-stag-unknown",
                                "a Write to an STag never given out",
                                peer -> bad(peer, peer.buffers(), UNKNOWN_STAG, 0),
                                terminates(0x1100))
                        .about(CLAUSE, "DDP-051", "DDP-057", "RDMAP-072"),
                write("write-stag-0", "a Write to STag 0", peer -> bad(peer, peer.buffers(), 0, 0), terminates(0x1100))
                        .about(CLAUSE, "DDP-051", "DDP-057"),
                write("write-stag-key", "a Write to an STag with another key", WriteCases::wrongKey, terminates(0x1100))
                        .about("RFC 5041 §7.1, verbs §7.2", "DDP-051", "VRB-012"),
                write("write-past-end", "a Write one octet past the end", WriteCases::pastEnd, terminates(0x1101))
                        .about(CLAUSE, "DDP-054", "DDP-056", "DDP-057", "SEC-003"),
                write("write-behind-end", "a Write that begins at the end", WriteCases::behindEnd, terminates(0x1101))
                        .about(CLAUSE, "DDP-053", "DDP-054", "SEC-003"),
                write(
                                "write-before-start",
                                "a Write that begins one octet early",
                                WriteCases::early,
                                terminates(0x1101).or("an offset of 0 cannot be gone below without a wrap", 0x1103))
                        .about(CLAUSE, "DDP-053", "SEC-003"),
                write(
                                "write-wrap",
                                "a Write that passes 2^64",
                                WriteCases::wrap,
                                terminates(0x1103).or("it is outside the bounds as well", 0x1101))
                        .about(CLAUSE, "DDP-055"),
                write(
                                "write-read-only",
                                "a Write to memory that may only be read",
                                peer -> special(peer, Buffers.Special::readOnly),
                                terminates(0x1102).or(NO_RIGHTS_CODE, 0x1100))
                        .about(CLAUSE, "DDP-052"),
                write(
                                "write-no-rights",
                                "a Write to memory without remote rights",
                                peer -> special(peer, Buffers.Special::local),
                                terminates(0x1102).or(NO_RIGHTS_CODE, 0x1100))
                        .about(CLAUSE, "DDP-052"),
                write(
                                "write-other-domain",
                                "a Write to memory of another protection domain",
                                peer -> special(peer, Buffers.Special::foreign),
                                terminates(0x1102).or("nothing need be told about foreign memory", 0x1100))
                        .about("RFC 5041 §8.2", "DDP-060", "SEC-001"),
                write(
                                "write-stale",
                                "a Write to memory no longer registered",
                                peer -> special(peer, Buffers.Special::stale),
                                terminates(0x1100))
                        .about("RFC 5041 §8.3", "DDP-062", "SEC-004"),
                write(
                                "write-nothing",
                                "a Write of nothing to an unknown STag",
                                peer -> peer.say(Segment.write(UNKNOWN_STAG, -1, 0)),
                                goesOn())
                        .about("RFC 5041 §5.2", "DDP-031", "RDMAP-023"),
                write("write-never-last", "a Write without L", WriteCases::notLast, goesOn())
                        .about("RFC 5041 §4.1", "DDP-008"));
    }

    private static Case write(String name, String sends, Case.Script script, Expectation expectation) {
        return Case.of(name, Role.EITHER, Stage.STREAM, sends, script, expectation);
    }

    /** Picks one of the target's buffers. */
    @FunctionalInterface
    interface Choice {
        int of(Buffers.Special special);
    }

    static Buffers.Special specialOf(Buffers buffers) {
        return buffers.special().orElseThrow(() -> new CaseSkipped("only stag misbehave --target offers such memory"));
    }

    private static void special(RawPeer peer, Choice choice) {
        Buffers buffers = peer.buffers();
        bad(peer, buffers, choice.of(specialOf(buffers)), 0);
    }

    private static void bad(RawPeer peer, Buffers buffers, int stag, long offset) {
        peer.say(Segment.write(stag, offset, LENGTH));
        peer.say(Segment.write(buffers.stag(), buffers.offset() + buffers.size() / 2, 1));
    }

    private static void wrongKey(RawPeer peer) {
        Buffers buffers = peer.buffers();
        bad(peer, buffers, buffers.stag() ^ 1, buffers.offset());
    }

    private static void pastEnd(RawPeer peer) {
        Buffers buffers = peer.buffers();
        bad(peer, buffers, buffers.stag(), buffers.end() - LENGTH + 1);
    }

    private static void behindEnd(RawPeer peer) {
        Buffers buffers = peer.buffers();
        bad(peer, buffers, buffers.stag(), buffers.end());
    }

    private static void early(RawPeer peer) {
        Buffers buffers = peer.buffers();
        bad(peer, buffers, buffers.stag(), buffers.offset() - 1);
    }

    private static void wrap(RawPeer peer) {
        Buffers buffers = peer.buffers();
        bad(peer, buffers, buffers.stag(), -LENGTH / 2);
    }

    private static void notLast(RawPeer peer) {
        Buffers buffers = peer.buffers();
        peer.say(Segment.write(buffers.stag(), buffers.offset(), LENGTH).withoutLast());
    }
}
