package io.stag.cli.misbehave;

import static io.stag.cli.misbehave.Expectation.goesOn;
import static io.stag.cli.misbehave.Expectation.terminates;

import io.stag.wire.rdmap.RdmapOpcode;
import java.util.List;

/** Wrong control fields of DDP and RDMAP, and reserved ones that nobody may look at (RFC 5041, 5040: section 4.1). */
final class HeaderCases {
    private static final String DDP = "RFC 5041 §4.1";
    private static final String RDMAP = "RFC 5040 §4.1, §7.2";

    private HeaderCases() {}

    static List<Case> all() {
        return List.of(
                stream(
                                "ddp-version-tagged",
                                "DDP version 2 in a Write",
                                peer -> peer.say(Segment.write(1, 0, 0).withDdpVersion(2)),
                                terminates(0x1104))
                        .about(DDP, "DDP-014"),
                stream(
                                "ddp-version-untagged",
                                "DDP version 0 in a Send",
                                peer -> peer.say(peer.send(16).withDdpVersion(0)),
                                terminates(0x1206))
                        .about(DDP, "DDP-014"),
                stream(
                                "rdmap-version-tagged",
                                "RDMAP version 0 in a Write",
                                peer -> peer.say(Segment.write(1, 0, 0).withRdmapVersion(0)),
                                terminates(0x0205))
                        .about(RDMAP, "RDMAP-076"),
                stream(
                                "rdmap-version-untagged",
                                "RDMAP version 2 in a Send",
                                peer -> peer.say(peer.send(16).withRdmapVersion(2)),
                                terminates(0x0205))
                        .about(RDMAP, "RDMAP-076"),
                stream(
                                "opcode-12",
                                "opcode 12, untagged",
                                peer -> peer.say(peer.send(16).withOpcode(12)),
                                terminates(0x0206))
                        .about(RDMAP, "RDMAP-075"),
                stream(
                                "opcode-15",
                                "opcode 15, tagged",
                                peer -> peer.say(Segment.write(1, 0, 8).withOpcode(15)),
                                terminates(0x0206))
                        .about(RDMAP, "RDMAP-075"),
                stream(
                                "send-tagged",
                                "a Send in a tagged segment",
                                peer -> peer.say(Segment.write(1, 0, 8).withOpcode(RdmapOpcode.SEND)),
                                terminates(0x0206)
                                        .or("read as the untagged header that the opcode asks for", 0x1201, 0x1203))
                        .about(RDMAP, "RDMAP-006", "RDMAP-075"),
                stream(
                                "write-untagged",
                                "a Write in an untagged segment",
                                peer -> peer.say(peer.send(8).withOpcode(RdmapOpcode.RDMA_WRITE)),
                                terminates(0x0206).or("read as the tagged header that the opcode asks for", 0x1100))
                        .about(RDMAP, "RDMAP-006", "RDMAP-075"),
                stream(
                                "ddp-reserved-bits",
                                "all reserved bits of DDP set",
                                peer -> peer.say(Segment.write(1, 0, 0).withDdpReservedBits()),
                                goesOn())
                        .about(DDP, "DDP-012"),
                stream(
                                "rdmap-reserved-bits",
                                "all reserved bits of RDMAP set",
                                peer -> peer.say(Segment.write(1, 0, 0).withRdmapReservedBits()),
                                goesOn())
                        .about(RDMAP, "RDMAP-005"),
                Case.of(
                                "reserved-stag-field",
                                Role.EITHER,
                                Stage.ENDING,
                                "a Read Request with an STag to invalidate",
                                peer -> peer.say(peer.probe().withInvalidateStag(0xDEAD_0001)),
                                goesOn())
                        .about(RDMAP, "RDMAP-009"));
    }

    private static Case stream(String name, String sends, Case.Script script, Expectation expectation) {
        return Case.of(name, Role.EITHER, Stage.STREAM, sends, script, expectation);
    }
}
