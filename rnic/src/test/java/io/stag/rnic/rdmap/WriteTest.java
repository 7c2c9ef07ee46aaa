package io.stag.rnic.rdmap;

import static io.stag.rnic.rdmap.StreamFixture.ALL_RIGHTS;
import static io.stag.rnic.rdmap.StreamFixture.BASE;
import static io.stag.rnic.rdmap.StreamFixture.LENGTH;
import static io.stag.rnic.rdmap.StreamFixture.STAG;
import static io.stag.rnic.rdmap.StreamFixture.pattern;
import static org.assertj.core.api.Assertions.assertThat;

import io.stag.rnic.memory.BindResult;
import io.stag.rnic.memory.Rights;
import io.stag.rnic.memory.SoftMemoryRegion;
import io.stag.rnic.memory.SoftMemoryWindow;
import io.stag.simnet.Conforms;
import io.stag.wire.Vectors;
import io.stag.wire.rdmap.RdmapOpcode;
import java.lang.foreign.Arena;
import java.util.List;
import org.junit.jupiter.api.Test;

class WriteTest {
    private static final int OTHER_STAG = 0x0055_0001;

    private final StreamFixture fixture = new StreamFixture(Settings.initiator().emss(100)); // MULPDU 128
    private final RawPeer peer = new RawPeer(fixture);

    @Test
    @Conforms({
        "DDP-007",
        "DDP-008",
        "DDP-009",
        "DDP-011",
        "DDP-013",
        "DDP-015",
        "DDP-017",
        "DDP-019",
        "DDP-029",
        "DDP-033",
        "RDMAP-006",
        "RDMAP-019",
        "RDMAP-022"
    })
    void sendsTheVectors() {
        fixture.requests
                .write(1, STAG, BASE)
                .from(fixture.source(pattern(1, 200)), 0, 200)
                .post();
        assertThat(peer.hearsOctets())
                .isEqualTo(Vectors.positive("WRITE-SEG-1").hex()
                        + Vectors.positive("WRITE-SEG-2").hex());
        assertThat(fixture.owner.ids()).containsExactly(1L);
    }

    @Test
    void segmentsOfABatchAreCountedWhereTheyWent() {
        SoftMemoryRegion other = fixture.register(OTHER_STAG, 0, new GuardedMemory(64).segment(), ALL_RIGHTS);
        peer.says(
                Segment.write(STAG, BASE, true, pattern(1, 8)),
                Segment.write(OTHER_STAG, 0, true, pattern(1, 8)),
                Segment.write(OTHER_STAG, 8, true, pattern(1, 8)),
                Segment.write(STAG, BASE, true, pattern(1, 8)),
                Segment.write(STAG, BASE, true, pattern(1, 8)));
        assertThat(fixture.exposedRegion.snapshot().remoteWrites()).isEqualTo(3);
        assertThat(other.snapshot().remoteWrites()).isEqualTo(2);
    }

    @Test
    @Conforms({"RDMAP-020", "DDP-027"})
    void placesTheVectorsAndTellsNobody() {
        fixture.receive(1, 64);
        peer.says(Segment.ofVector("WRITE-SEG-1"), Segment.ofVector("WRITE-SEG-2"));
        assertThat(fixture.exposed.octets(0, 200)).isEqualTo(pattern(1, 200));
        assertThat(fixture.exposed.octets(200, 56)).containsOnly(0);
        assertThat(fixture.owner.completions).isEmpty();
        assertThat(fixture.owner.receivesTaken).isZero();
        assertThat(fixture.counters.messagesReceived).isEqualTo(1);
        assertThat(fixture.exposedRegion.snapshot().remoteWrites()).isEqualTo(2);
    }

    @Test
    @Conforms({"DDP-030", "RDMAP-023"})
    void sendsAnEmptyWriteAsOneSegment() {
        fixture.requests.write(1, 1, 0).post();
        assertThat(peer.hearsOctets()).isEqualTo(Vectors.positive("WRITE-ZERO").hex());
    }

    @Test
    @Conforms({"DDP-031", "RDMAP-023", "VRB-014"})
    void takesAnEmptyWriteToAnywhere() {
        peer.says(
                Segment.ofVector("WRITE-ZERO"),
                Segment.write(0, -1, true, new byte[0]),
                Segment.write(STAG, BASE + LENGTH + 1, true, new byte[0]));
        assertThat(fixture.owner.failures).isEmpty();
        assertThat(fixture.exposed.isZero()).isTrue();
    }

    @Test
    @Conforms({"DDP-032", "RDMAP-021"})
    void writesGoOutInTheOrderOfPosting() {
        for (int i = 0; i < 10; i++) {
            fixture.requests.write(i, STAG, BASE + i).from(fixture.source(new byte[1]), 0, 1);
        }
        fixture.requests.post();
        List<Segment> heard = peer.hears();
        assertThat(heard).extracting(Segment::taggedOffset).isSorted().hasSize(10);
    }

    @Test
    @Conforms("DDP-034")
    void placesSegmentsInAnyOrderAndTwice() {
        peer.says(
                Segment.write(STAG, BASE + 20, false, pattern(21, 10)),
                Segment.write(STAG, BASE, false, pattern(1, 10)),
                Segment.write(STAG, BASE + 10, false, pattern(11, 10)),
                Segment.write(STAG, BASE, false, pattern(1, 10)),
                Segment.write(STAG, BASE + 30, true, pattern(31, 10)));
        byte[] expected = new byte[40];
        for (int i = 0; i < 4; i++) {
            System.arraycopy(pattern(10 * i + 1, 10), 0, expected, 10 * i, 10);
        }
        assertThat(fixture.exposed.octets(0, 40)).isEqualTo(expected);
    }

    @Test
    @Conforms({"DDP-012", "RDMAP-005"})
    void ignoresReservedBits() {
        peer.says(Segment.write(STAG, BASE, true, new byte[] {7}).with(0, 0xC1 | 0x3C, 0x40 | 0x30));
        assertThat(fixture.exposed.octets(0, 1)).containsExactly(7);
    }

    @Test
    @Conforms({"DDP-053", "DDP-054", "SEC-003"})
    void theRangeOfAnStagHoldsToTheOctet() {
        peer.says(
                Segment.write(STAG, BASE, true, pattern(1, LENGTH)),
                Segment.write(STAG, BASE + LENGTH - 1, true, new byte[] {9}));
        assertThat(fixture.owner.failures).isEmpty();
        assertThat(fixture.exposed.octets(0, LENGTH - 1)).isEqualTo(pattern(1, LENGTH - 1));
        assertThat(fixture.exposed.octets(LENGTH - 1, 1)).containsExactly(9);

        refuses(Segment.write(STAG, BASE - 1, true, new byte[1]), 0x1101);
        refuses(Segment.write(STAG, BASE - 1, true, new byte[LENGTH]), 0x1101);
        refuses(Segment.write(STAG, BASE + LENGTH, true, new byte[1]), 0x1101);
        refuses(Segment.write(STAG, BASE + 1, true, new byte[LENGTH]), 0x1101);
        refuses(Segment.write(STAG, 0, true, new byte[1]), 0x1101);
    }

    @Test
    @Conforms("DDP-055")
    void anOffsetThatWrapsIsRefused() {
        refuses(Segment.write(STAG, -1, true, new byte[2]), 0x1103);
        refuses(Segment.write(STAG, -1, true, new byte[1]), 0x1101, 0x1103);
    }

    @Test
    @Conforms("VRB-012")
    void allBitsOfAnStagCount() {
        for (int bit = 0; bit < 32; bit++) {
            refuses(Segment.write(STAG ^ 1 << bit, BASE, true, new byte[1]), 0x1100);
        }
    }

    @Test
    @Conforms("DDP-052")
    void memoryThatThePeerMayNotWriteIsRefused() {
        var memory = new GuardedMemory(8);
        SoftMemoryRegion refusing =
                fixture.register(OTHER_STAG, 0, memory.segment(), ALL_RIGHTS & ~Rights.REMOTE_WRITE);
        peer.says(Segment.write(OTHER_STAG, 0, true, new byte[] {1}));
        peer.hearsTerminate(0x1102, 0x1100);
        assertThat(refusing.snapshot().refused()).isEqualTo(1);
        assertThat(memory.isZero()).isTrue();
    }

    @Test
    @Conforms({"DDP-060", "SEC-001"})
    void memoryOfAnotherDomainIsRefused() {
        var memory = new GuardedMemory(8);
        fixture.register(OTHER_STAG, 0, StreamFixture.DOMAIN + 1, memory.segment(), ALL_RIGHTS);
        peer.says(Segment.write(OTHER_STAG, 0, true, new byte[] {1}));
        peer.hearsTerminate(0x1102);
        assertThat(memory.isZero()).isTrue();
        assertThat(fixture.owner.failure().detail().fact()).contains("0x00550001", "protection domain");
    }

    @Test
    @Conforms({"DDP-061", "SEC-002"})
    void aWindowServesTheQueuePairItIsBoundToAndNoOther() {
        int own = bindWindow(StreamFixture.QUEUE_PAIR);
        peer.says(Segment.write(own, 3, true, new byte[] {5}));
        assertThat(fixture.exposed.octets(16 + 3, 1)).containsExactly(5);

        int other = bindWindow(StreamFixture.QUEUE_PAIR + 1);
        peer.says(Segment.write(other, 0, true, new byte[] {6}));
        peer.hearsTerminate(0x1102);
        assertThat(fixture.exposed.octets(16, 1)).containsExactly(0);
    }

    @Test
    void aQueuePairThatAllowsNoWritesTakesEmptyOnesOnly() {
        var closed = new StreamFixture(Settings.initiator().allowRemoteWrite(false));
        var writer = new RawPeer(closed);
        writer.says(Segment.write(STAG, BASE, true, new byte[0]));
        assertThat(closed.owner.failures).isEmpty();
        writer.says(Segment.write(STAG, BASE, true, new byte[] {1}));
        writer.hearsTerminate(0x1102);
        assertThat(closed.exposed.isZero()).isTrue();
    }

    @Test
    @Conforms({"DDP-062", "SEC-004"})
    void afterDeregistrationNothingIsPlaced() {
        peer.says(Segment.write(STAG, BASE, true, new byte[] {1}));
        fixture.exposedRegion.close();
        peer.says(Segment.write(STAG, BASE, true, new byte[] {2}));
        peer.hearsTerminate(0x1100);
        assertThat(fixture.exposed.octets(0, 1)).containsExactly(1);
    }

    @Test
    void memoryThatTheProgramTookAwayEndsTheStream() {
        Arena arena = Arena.ofShared();
        fixture.register(OTHER_STAG, 0, arena.allocate(8), ALL_RIGHTS);
        arena.close();
        peer.says(Segment.write(OTHER_STAG, 0, true, new byte[] {1}));
        peer.hearsTerminate(0x1100);
        assertThat(fixture.counters.writesReceived).isZero();
    }

    @Test
    @Conforms({"DDP-058", "RDMAP-015", "RDMAP-072"})
    void theTerminateIsTheOneOfTheVector() {
        fixture.register(0x55aa5500, 0, new GuardedMemory(0x4000 + 63).segment(), ALL_RIGHTS);
        peer.says(Segment.write(0x55aa5500, 0x4000, true, new byte[64]));
        assertThat(peer.hearsOctets())
                .isEqualTo(Vectors.positive("TERM-DDP-TAGGED-BOUNDS").hex());
    }

    @Test
    void gathersFromSeveralBuffers() {
        SoftMemoryRegion source = fixture.source(pattern(1, 200));
        fixture.requests
                .write(1, STAG, BASE)
                .from(source, 0, 0)
                .from(source, 0, 113)
                .from(source, 113, 87)
                .post();
        assertThat(peer.hears()).containsExactly(Segment.ofVector("WRITE-SEG-1"), Segment.ofVector("WRITE-SEG-2"));
    }

    @Test
    @Conforms("RDMAP-071")
    void aWriteFromMemoryThatMayNotBeReadFails() {
        SoftMemoryRegion writeOnly =
                fixture.register(OTHER_STAG, 0, new GuardedMemory(8).segment(), Rights.LOCAL_WRITE);
        fixture.requests.write(1, STAG, BASE).from(writeOnly, 0, 8).post();
        List<Segment> heard = peer.hears();
        assertThat(heard).hasSize(1);
        peer.assertTerminate(heard.getFirst(), 0x0000);
        assertThat(heard.getFirst().opcode()).isEqualTo(RdmapOpcode.TERMINATE);
        assertThat(fixture.owner.failure().status()).hasToString("LOC_ACCESS_ERR");
    }

    private int bindWindow(int queuePair) {
        SoftMemoryWindow window = fixture.window();
        BindResult result = fixture.stags.bind(
                window, 1, fixture.exposedRegion, 16, 8, Rights.REMOTE_WRITE, StreamFixture.DOMAIN, queuePair);
        assertThat(result).isEqualTo(BindResult.OK);
        return window.stag();
    }

    private static void refuses(Segment write, Integer... codes) {
        var fixture = new StreamFixture(Settings.initiator());
        var peer = new RawPeer(fixture);
        peer.says(write);
        peer.hearsTerminate(codes);
        assertThat(fixture.exposed.isZero()).isTrue();
        assertThat(fixture.exposed.guardsAreIntact()).isTrue();
    }
}
