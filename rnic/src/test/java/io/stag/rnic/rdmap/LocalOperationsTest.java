package io.stag.rnic.rdmap;

import static io.stag.rnic.rdmap.StreamFixture.BASE;
import static io.stag.rnic.rdmap.StreamFixture.SINK_STAG;
import static io.stag.rnic.rdmap.StreamFixture.STAG;
import static io.stag.rnic.rdmap.StreamFixture.pattern;
import static org.assertj.core.api.Assertions.assertThat;

import io.stag.rnic.memory.SoftMemoryRegion;
import io.stag.rnic.memory.SoftMemoryWindow;
import io.stag.rnic.rdmap.RecordingOwner.Completion;
import io.stag.simnet.Conforms;
import io.stag.verbs.Access;
import io.stag.verbs.CompletionStatus;
import io.stag.verbs.Operation;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Requests that change STags and send nothing: bind, fast registration, local invalidation. */
class LocalOperationsTest {
    private static final Set<Access> EVERYTHING = EnumSet.of(
            Access.LOCAL_READ, Access.LOCAL_WRITE, Access.REMOTE_READ, Access.REMOTE_WRITE, Access.REMOTE_ATOMIC);

    private final StreamFixture fixture = new StreamFixture(Settings.initiator());
    private final RawPeer peer = new RawPeer(fixture);

    @Test
    @Conforms({"VRB-016", "DDP-061", "DDP-062"})
    void bindsAWindowForThePeer() {
        SoftMemoryWindow window = fixture.window();
        fixture.requests
                .bindWindow(1, window, 0x42, fixture.exposedRegion, 100, 10, Set.of(Access.REMOTE_WRITE))
                .post();
        assertThat(peer.hears()).isEmpty();
        assertThat(fixture.owner.completions).extracting(Completion::operation).containsExactly(Operation.BIND_WINDOW);
        assertThat(window.stag() & 0xFF).isEqualTo(0x42);
        peer.says(Segment.write(window.stag(), 0, true, pattern(1, 10)));
        assertThat(fixture.exposed.octets(100, 10)).isEqualTo(pattern(1, 10));
        peer.says(Segment.write(window.stag(), 1, true, pattern(1, 10)));
        peer.hearsTerminate(0x1101);
    }

    @Test
    @Conforms("DDP-062")
    void registersAndInvalidatesMemoryInTheOrderOfTheQueue() {
        var memory = new GuardedMemory(16);
        memory.put(0, pattern(1, 16));
        SoftMemoryRegion region = fixture.stags.allocateStag(StreamFixture.DOMAIN, true, fixture.regionOwner());
        fixture.requests
                .fastRegister(1, region, 7, memory.segment(), EVERYTHING)
                .send(2)
                .from(region, 4, 8)
                .invalidate(3, region.stag() & ~0xFF | 7)
                .localFence()
                .send(4)
                .post();
        List<Segment> first = peer.hearsAtMost(1000);
        assertThat(first)
                .extracting(Segment::payload)
                .as("it uses the new memory")
                .containsExactly(memory.octets(4, 8));
        assertThat(region.isValid()).isTrue();
        assertThat(peer.hears()).as("the fence is open now").hasSize(1);
        assertThat(region.isValid()).isFalse();
        assertThat(fixture.owner.ids()).containsExactly(1L, 2L, 3L, 4L);
    }

    @Test
    void doesNotWaitForEarlierRequestsUnlessFenced() {
        fixture.requests
                .read(1, STAG, BASE)
                .into(fixture.sinkRegion, 0, 8)
                .invalidate(2, STAG)
                .post();
        assertThat(peer.hears()).hasSize(1);
        assertThat(fixture.exposedRegion.isValid()).isFalse();
        assertThat(fixture.owner.completions).as("in order all the same").isEmpty();
    }

    @Test
    void refusalsEndTheStreamWithTheirOwnStatus() {
        SoftMemoryWindow window = fixture.window();
        fixture.requests
                .send(1)
                .bindWindow(2, window, 0, fixture.sinkRegion, 0, 8, Set.of(Access.REMOTE_WRITE))
                .send(3)
                .post();
        List<Segment> heard = peer.hears();
        assertThat(heard).hasSize(2);
        peer.assertTerminate(heard.getLast(), 0x0000);
        fixture.flush();
        assertThat(fixture.owner.completions)
                .extracting(Completion::status)
                .startsWith(CompletionStatus.SUCCESS, CompletionStatus.MW_BIND_ERR, CompletionStatus.WR_FLUSH_ERR);
        assertThat(fixture.owner.failure().detail().fact()).contains("WINDOW_BIND");

        refusesInvalidation(STAG + 1);
        refusesFastRegistration();
    }

    private static void refusesInvalidation(int stag) {
        var fixture = new StreamFixture(Settings.initiator());
        fixture.requests.invalidate(1, stag).post();
        var peer = new RawPeer(fixture);
        peer.assertTerminate(peer.hearsOne(), 0x0000);
        assertThat(fixture.owner.failure().status()).isEqualTo(CompletionStatus.MW_BIND_ERR);
    }

    private static void refusesFastRegistration() {
        var fixture = new StreamFixture(Settings.initiator());
        fixture.requests
                .fastRegister(1, fixture.sinkRegion, 1, new GuardedMemory(8).segment(), EVERYTHING)
                .post();
        var peer = new RawPeer(fixture);
        peer.assertTerminate(peer.hearsOne(), 0x0000);
        assertThat(fixture.owner.failure().detail().fact()).contains("invalidate it first");
        assertThat(fixture.sinkRegion.stag()).isEqualTo(SINK_STAG);
    }

    @Test
    void aLocalInvalidationStopsAReadThatIsBeingServed() {
        var narrow = new StreamFixture(Settings.initiator().emss(100));
        var reader = new RawPeer(narrow);
        reader.says(Segment.readRequest(1, 0, 0, 256, STAG, BASE));
        assertThat(reader.hearsAtMost(136)).hasSize(1);
        narrow.stags.invalidate(STAG, StreamFixture.DOMAIN, StreamFixture.QUEUE_PAIR, false, false);
        Segment terminate = reader.hearsOne();
        reader.assertTerminate(terminate, 0x0100);
    }

    @Test
    void anAtomicWhoseMemoryIsNoLongerAlignedIsRefused() {
        var memory = new GuardedMemory(32);
        SoftMemoryRegion region = fixture.stags.allocateStag(StreamFixture.DOMAIN, true, fixture.regionOwner());
        fixture.requests
                .fastRegister(1, region, 7, memory.segment(), EVERYTHING)
                .post();
        peer.hears();
        peer.says(Segment.fetchAdd(1, 1, region.stag(), 0, 1, 0));
        fixture.stags.invalidate(region.stag(), StreamFixture.DOMAIN, StreamFixture.QUEUE_PAIR, false, false);
        fixture.stags.fastRegister(
                region, 7, memory.segment().asSlice(1, 16), StreamFixture.ALL_RIGHTS, StreamFixture.DOMAIN);
        Segment terminate = peer.hearsOne();
        peer.assertTerminate(terminate, 0x0207);
        assertThat(terminate.terminateHeader().headerControl()).isEqualTo(0xC000);
        assertThat(memory.isZero()).isTrue();
    }
}
