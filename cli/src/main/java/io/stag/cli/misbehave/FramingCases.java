package io.stag.cli.misbehave;

import static io.stag.cli.misbehave.Expectation.closes;
import static io.stag.cli.misbehave.Expectation.goesOn;
import static io.stag.cli.misbehave.Expectation.terminates;

import io.stag.wire.mpa.Marker;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/** Wrong and unusual FPDUs (RFC 5044, sections 4 to 6). What they carry is a Write of nothing, which harms nobody. */
final class FramingCases {
    private static final String FPDU = "RFC 5044 §4.1";
    private static final String MARKERS = "RFC 5044 §4.2, §4.3";
    private static final String CRC = "RFC 5044 §4.4, §8";
    private static final String RECEIVER = "RFC 5044 §5.2, §6";
    private static final String NO_CODE = "no RFC has a code for it";
    private static final int MANY = 50;

    private FramingCases() {}

    static List<Case> all() {
        return List.of(
                stream("crc-wrong", "a wrong CRC, and good FPDUs behind it", FramingCases::badCrc, terminates(0x2002))
                        .about(CRC, "MPA-006", "MPA-038", "MPA-050", "MPA-053", "MPA-054"),
                stream("crc-unused-garbage", "garbage for CRC where none is used", FramingCases::garbageCrc, goesOn())
                        .about(CRC, "MPA-014", "MPA-037"),
                stream("pad-not-zero", "a pad of ones, CRC right", fpdu(fpdu -> fpdu.withPad(0xFF)), goesOn())
                        .about(FPDU, "MPA-012"),
                stream(
                                "length-0",
                                "ULPDU_Length 0",
                                segment(0),
                                terminates(0x1000).or(NO_CODE, 0x2003))
                        .about(FPDU, "DDP-043", "RDMAP-067", "SEC-026"),
                stream(
                                "length-10",
                                "a ULPDU of 10 octets",
                                segment(10),
                                terminates(0x1000).or(NO_CODE, 0x2003))
                        .about(FPDU, "DDP-043", "RDMAP-067", "SEC-026"),
                stream(
                                "length-13",
                                "a tagged header cut by one octet",
                                segment(13),
                                terminates(0x1000).or(NO_CODE, 0x2003))
                        .about(FPDU, "DDP-043", "SEC-026"),
                stream(
                                "length-17",
                                "an untagged header cut by one octet",
                                FramingCases::shortUntagged,
                                terminates(0x1000).or(NO_CODE, 0x2003, 0x0206, 0x1201))
                        .about(FPDU, "DDP-043", "SEC-026"),
                stream(
                                "length-oversize",
                                "a ULPDU of 65,535 octets",
                                segment(65_535),
                                terminates(0x1000, 0x1100)
                                        .or("a Marker cannot point back so far", 0x2003)
                                        .may(Outcome.WENT_ON, "only the sender is told not to do that"))
                        .about("RFC 5044 §3", "SEC-026", "SEC-027"),
                stream(
                                "length-wrong",
                                "ULPDU_Length 4 too large",
                                fpdu(fpdu -> fpdu.withLengthField(22)),
                                terminates(0x2002).or("without CRC it looks like a Write of 8 octets", 0x1100))
                        .about(RECEIVER, "MPA-045", "MPA-048", "MPA-050"),
                stream(
                                "marker-pointer",
                                "Markers that point 4 octets too far back",
                                marked(fpdu -> fpdu.withPointersOff(4)),
                                terminates(0x2003).may(Outcome.WENT_ON, "Markers may be left unchecked (MPA-046)"))
                        .about(MARKERS, "MPA-046", "MPA-051"),
                stream(
                                "marker-reserved",
                                "Markers with reserved bits set, CRC right",
                                marked(fpdu -> fpdu.withMarkerReserved(0xFFFF).withPointersOff(3)),
                                goesOn())
                        .about(MARKERS, "MPA-016", "MPA-018"),
                stream(
                                "marker-missing",
                                "no Markers although agreed on",
                                marked(OutgoingFpdu::withMarkersLeftOut),
                                terminates(0x2002, 0x2003).must(Outcome.SILENT))
                        .about(MARKERS, "MPA-020", "MPA-050"),
                stream("cut-everywhere", "an FPDU octet by octet", FramingCases::octetByOctet, goesOn())
                        .about(RECEIVER, "MPA-044", "MPA-056"),
                stream("many-at-once", MANY + " FPDUs in one piece", FramingCases::manyAtOnce, goesOn())
                        .about(RECEIVER, "MPA-044", "MPA-045"),
                ending("fin-inside-fpdu", "half an FPDU, then FIN", FramingCases::halfThenFin)
                        .about(RECEIVER, "MPA-047", "MPA-049"),
                Case.of(
                                "reset-inside-fpdu",
                                Role.INITIATOR,
                                Stage.AFTERWARDS,
                                "half an FPDU, then a reset",
                                FramingCases::halfThenReset,
                                goesOn())
                        .about(RECEIVER, "MPA-047", "MPA-049"));
    }

    /** Changes the frame of an FPDU. */
    @FunctionalInterface
    private interface Change {
        OutgoingFpdu of(OutgoingFpdu fpdu);
    }

    private static Case stream(String name, String sends, Case.Script script, Expectation expectation) {
        return Case.of(name, Role.EITHER, Stage.STREAM, sends, script, expectation);
    }

    private static Case ending(String name, String sends, Case.Script script) {
        Expectation end = closes().may(Outcome.TERMINATED, "an FPDU that is cut off can be called an error");
        return Case.of(name, Role.EITHER, Stage.ENDING, sends, script, end);
    }

    private static Segment harmless() {
        return Segment.write(1, 0, 0);
    }

    private static Case.Script fpdu(Change change) {
        return peer -> peer.say(change.of(OutgoingFpdu.of(harmless())));
    }

    private static Case.Script segment(int length) {
        return peer -> peer.say(harmless().withLength(length));
    }

    /** FPDUs until a Marker was due, with a changed frame. */
    private static Case.Script marked(Change change) {
        return peer -> {
            if (!peer.sendsMarkers()) {
                throw new CaseSkipped("the peer asks for no Markers");
            }
            while (Marker.countBefore(peer.sent(), harmless().length()) == 0) {
                peer.say(harmless());
            }
            // the one at the length field points nowhere, and a wrong pointer there would hide among them
            peer.say(change.of(OutgoingFpdu.of(harmless())));
        };
    }

    private static void badCrc(RawPeer peer) {
        if (!peer.usesCrc()) {
            throw new CaseSkipped("no CRC was agreed on");
        }
        peer.say(OutgoingFpdu.of(harmless()).withBadCrc());
    }

    private static void garbageCrc(RawPeer peer) {
        if (peer.usesCrc()) {
            throw new CaseSkipped("CRC was agreed on; try --crc off");
        }
        peer.say(OutgoingFpdu.of(harmless()).withBadCrc());
    }

    private static void shortUntagged(RawPeer peer) {
        peer.say(peer.send(0).withLength(17));
    }

    private static void octetByOctet(RawPeer peer) {
        peer.drip(peer.encode(harmless()), Duration.ZERO);
    }

    private static void manyAtOnce(RawPeer peer) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (int i = 0; i < MANY; i++) {
            all.writeBytes(peer.encode(harmless()));
        }
        peer.octets(all.toByteArray());
    }

    private static void half(RawPeer peer) {
        byte[] fpdu = peer.encode(harmless());
        peer.octets(Arrays.copyOf(fpdu, fpdu.length / 2));
    }

    private static void halfThenFin(RawPeer peer) {
        half(peer);
        peer.finish();
    }

    private static void halfThenReset(RawPeer peer) {
        peer.start();
        half(peer);
        peer.reset();
    }
}
