package io.stag.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.simnet.Conforms;
import io.stag.verbs.Access;
import io.stag.verbs.AsyncEvent;
import io.stag.verbs.CompletionStatus;
import io.stag.verbs.MemoryRegion;
import io.stag.verbs.MemoryWindow;
import io.stag.verbs.Operation;
import io.stag.verbs.ProtectionDomain;
import io.stag.verbs.QueuePair;
import io.stag.verbs.QueuePairState;
import io.stag.verbs.VerbsError;
import io.stag.verbs.cm.ConnectionConfig;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Memory regions, windows, fast registration, protection domains and rights. */
public abstract class MemoryContract extends ProviderContract {

    /** For subclasses. */
    protected MemoryContract() {}

    // registration

    @Test
    void aRegionTellsWhatItIs() {
        MemorySegment segment = client().octets(100);
        MemoryRegion region = client().domain.register(segment, EnumSet.of(Access.LOCAL_READ, Access.REMOTE_READ));
        assertThat(region.segment().address()).isEqualTo(segment.address());
        assertThat(region.length()).isEqualTo(100);
        assertThat(region.rights()).containsExactlyInAnyOrder(Access.LOCAL_READ, Access.REMOTE_READ);
        assertThat(region.protectionDomain()).isSameAs(client().domain);
        assertThat(region.isValid()).isTrue();
        assertThat(region.stag()).isNotZero();
        assertThat(region.remoteOffset(7)).isEqualTo(7);
        assertThat(region.snapshot().stag()).isEqualTo(region.stag());
        assertThat(client().rnic.snapshot().regions()).hasSize(1);
        region.close();
        region.close();
        assertThat(region.isValid()).isFalse();
        assertThat(client().rnic.snapshot().regions()).isEmpty();
    }

    @Test
    void allocatedMemoryIsZeroed() {
        MemoryRegion region = client().domain.allocate(5_000, Peer.ALL);
        assertThat(region.length()).isEqualTo(5_000);
        assertThat(Peer.bytes(region)).containsOnly(0);
        region.segment().fill((byte) 1);
        region.close();
    }

    @Conforms("VRB-013")
    @Test
    void remoteRightsNeedLocalOnes() {
        MemorySegment segment = client().octets(8);
        Set<Access> basic = EnumSet.of(
                Access.LOCAL_READ, Access.LOCAL_WRITE, Access.REMOTE_READ, Access.REMOTE_WRITE, Access.REMOTE_ATOMIC);
        for (Set<Access> rights : subsets(basic)) {
            boolean read = rights.contains(Access.LOCAL_READ);
            boolean write = rights.contains(Access.LOCAL_WRITE);
            boolean allowed = (read || write)
                    && (read || !rights.contains(Access.REMOTE_READ))
                    && (write || !rights.contains(Access.REMOTE_WRITE))
                    && ((read && write) || !rights.contains(Access.REMOTE_ATOMIC));
            if (allowed) {
                client().domain.register(segment, rights).close();
            } else {
                assertRefused(VerbsError.INVALID_ARGUMENT, () -> client().domain.register(segment, rights));
            }
        }
        assertThat(client().rnic.snapshot().regions()).isEmpty();
    }

    private static Set<Set<Access>> subsets(Set<Access> all) {
        Set<Set<Access>> subsets = new HashSet<>();
        subsets.add(EnumSet.noneOf(Access.class));
        for (Access access : all) {
            for (Set<Access> smaller : Set.copyOf(subsets)) {
                Set<Access> larger = EnumSet.of(access);
                larger.addAll(smaller);
                subsets.add(larger);
            }
        }
        return subsets;
    }

    @Test
    void memoryThatOtherThreadsCannotUseIsRefused() {
        assertRefused(
                VerbsError.INVALID_MEMORY,
                () -> client().domain.register(MemorySegment.ofArray(new byte[8]), Peer.LOCAL));
        try (Arena confined = Arena.ofConfined()) {
            MemorySegment segment = confined.allocate(8);
            assertRefused(VerbsError.INVALID_MEMORY, () -> client().domain.register(segment, Peer.LOCAL));
        }
        MemorySegment readOnly = client().octets(8).asReadOnly();
        assertRefused(VerbsError.INVALID_MEMORY, () -> client().domain.register(readOnly, Peer.LOCAL));
        client().domain.register(readOnly, EnumSet.of(Access.LOCAL_READ)).close();
        Arena arena = Arena.ofShared();
        MemorySegment gone = arena.allocate(8);
        arena.close();
        assertRefused(VerbsError.INVALID_MEMORY, () -> client().domain.register(gone, Peer.LOCAL));
        assertRefused(VerbsError.INVALID_ARGUMENT, () -> client().domain.allocate(0, Peer.LOCAL));
        assertRefused(VerbsError.INVALID_ARGUMENT, () -> client().domain.allocate(-1, Peer.LOCAL));
    }

    @Test
    void theSameMemoryCanBeRegisteredTwice() {
        connect();
        MemorySegment segment = server().octets(16);
        MemoryRegion one = server().domain.register(segment, Peer.ALL);
        MemoryRegion two = server().domain.register(segment, Peer.ALL);
        assertThat(one.stag()).isNotEqualTo(two.stag());
        one.close();
        client().requests().write(1, two.stag(), 3).inline(octet(5)).post();
        fence();
        assertThat(Peer.bytes(two, 3, 1)).containsExactly(5);
    }

    private static MemorySegment octet(int value) {
        return MemorySegment.ofArray(new byte[] {(byte) value});
    }

    /** Waits until all that the client posted has been carried out, and nothing of it failed. */
    private void fence() {
        client().requests().read(Long.MAX_VALUE, 0, 0).post();
        Completion completion = client().next();
        while (completion.id() != Long.MAX_VALUE) {
            assertThat(completion.isSuccess()).as("%s", completion).isTrue();
            completion = client().next();
        }
        assertThat(completion.isSuccess()).as("%s", completion).isTrue();
    }

    // rights and bounds, as peers meet them

    enum Remote {
        READ(Access.REMOTE_READ),
        WRITE(Access.REMOTE_WRITE),
        ATOMIC(Access.REMOTE_ATOMIC);

        private final Access right;

        Remote(Access right) {
            this.right = right;
        }
    }

    /** One operation of the client on the server's memory. */
    private void post(Remote operation, int stag, long offset, int length) {
        MemoryRegion local = client().memory(Math.max(length, 8));
        local.segment().fill((byte) 0x77);
        switch (operation) {
            case READ -> client().requests().read(1, stag, offset).into(local, 0, length);
            case WRITE -> client().requests().write(1, stag, offset).from(local, 0, length);
            case ATOMIC -> client().requests().fetchAdd(1, stag, offset, 1).into(local, 0, 8);
        }
        client().requests().post();
    }

    /** The operation is refused by the peer, which learns why, and its memory is as it was. */
    private AsyncEvent.PeerError assertRemoteRefusal(Remote operation, int stag, long offset, int length) {
        post(operation, stag, offset, length);
        AsyncEvent.PeerError error = server().awaitEvent(AsyncEvent.PeerError.class);
        assertThat(error.queuePair()).isSameAs(server().queuePair());
        assertThat(error.detail().clause()).contains("RFC");
        assertThat(error.detail().fact()).containsIgnoringCase(Integer.toHexString(stag));
        client().awaitEvent(AsyncEvent.TerminateReceived.class);
        client().awaitState(QueuePairState.ERROR);
        server().awaitState(QueuePairState.ERROR);
        if (operation != Remote.WRITE) {
            Completion failed = client().next();
            assertThat(failed.isSuccess()).isFalse();
        }
        return error;
    }

    @Conforms({"SEC-008", "SEC-009", "DDP-052", "RDMAP-079"})
    @ParameterizedTest
    @EnumSource
    void eachRightIsAskedFor(Remote operation) {
        connect();
        Set<Access> others = EnumSet.copyOf(Peer.ALL);
        others.remove(operation.right);
        MemoryRegion region = server().memory(64, others);
        assertRemoteRefusal(operation, region.stag(), 0, 8);
        assertThat(Peer.bytes(region)).containsOnly(0);
        assertThat(region.snapshot().refused()).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    void eachRightIsEnough(Remote operation) {
        connect();
        MemoryRegion region = server().memory(64, Access.LOCAL_READ, Access.LOCAL_WRITE, operation.right);
        post(operation, region.stag(), 0, 8);
        fence();
        assertThat(region.snapshot().refused()).isZero();
    }

    @Conforms({"SEC-003", "DDP-053", "DDP-054", "RDMAP-030", "RDMAP-078"})
    @ParameterizedTest
    @EnumSource
    void theLastOctetIsTheLimit(Remote operation) {
        connect();
        MemoryRegion region = server().memory(64);
        post(operation, region.stag(), 56, 8);
        fence();
        byte[] before = Peer.bytes(region);
        int length = operation == Remote.ATOMIC ? 8 : 9;
        assertRemoteRefusal(operation, region.stag(), operation == Remote.ATOMIC ? 64 : 56, length);
        assertThat(Peer.bytes(region)).isEqualTo(before);
    }

    @Conforms({"DDP-053", "DDP-055"})
    @ParameterizedTest
    @ValueSource(longs = {-1, 64, 65, Long.MAX_VALUE, Long.MIN_VALUE, -8})
    void offsetsFarAwayAreRefused(long offset) {
        connect();
        MemoryRegion region = server().memory(64);
        assertRemoteRefusal(Remote.WRITE, region.stag(), offset, 16);
        assertThat(Peer.bytes(region)).containsOnly(0);
    }

    @Conforms({"VRB-012", "DDP-051"})
    @ParameterizedTest
    @EnumSource
    void allBitsOfTheStagCount(Remote operation) {
        connect();
        MemoryRegion region = server().memory(64);
        assertRemoteRefusal(operation, region.stag() ^ 1, 0, 8);
        assertThat(Peer.bytes(region)).containsOnly(0);
    }

    @Conforms({"DDP-062", "SEC-004"})
    @ParameterizedTest
    @EnumSource
    void aClosedRegionIsOutOfReach(Remote operation) {
        connect();
        MemoryRegion region = server().memory(64);
        post(operation, region.stag(), 0, 8);
        fence();
        byte[] before = Peer.bytes(region);
        MemorySegment segment = region.segment();
        int stag = region.stag();
        region.close();
        assertRemoteRefusal(operation, stag, 8, 8);
        assertThat(segment.toArray(ValueLayout.JAVA_BYTE)).isEqualTo(before);
    }

    @Conforms({"SEC-001", "DDP-060"})
    @ParameterizedTest
    @EnumSource
    void aRegionOfAnotherDomainIsOutOfReach(Remote operation) {
        connect();
        ProtectionDomain other = server().rnic.allocateProtectionDomain();
        MemoryRegion region = other.register(server().octets(64), Peer.ALL);
        assertRemoteRefusal(operation, region.stag(), 0, 8);
        assertThat(Peer.bytes(region)).containsOnly(0);
    }

    // re-registration

    @Test
    void memoryOfAnotherRnicIsRefused() {
        connect();
        MemoryRegion elsewhere = server().memory(8);
        assertRefused(
                VerbsError.INVALID_ARGUMENT, () -> client().requests().send(1).from(elsewhere, 0, 8));
        assertRefused(
                VerbsError.INVALID_ARGUMENT,
                () -> client().requests().read(1, elsewhere.stag(), 0).into(elsewhere, 0, 8));
        assertRefused(
                VerbsError.INVALID_ARGUMENT,
                () -> client().receives().receive(1).into(elsewhere, 0, 8));
    }

    @Test
    void reregistrationChangesMemoryRightsAndStag() {
        connect();
        MemoryRegion region = server().memory(64, Access.LOCAL_READ, Access.REMOTE_READ);
        int before = region.stag();
        MemorySegment other = server().octets(128);
        region.reregister(other, EnumSet.of(Access.LOCAL_WRITE, Access.REMOTE_WRITE));
        assertThat(region.stag()).isNotEqualTo(before);
        assertThat(region.stag() >>> 8).as("the index stays").isEqualTo(before >>> 8);
        assertThat(region.length()).isEqualTo(128);
        assertThat(region.rights()).containsExactlyInAnyOrder(Access.LOCAL_WRITE, Access.REMOTE_WRITE);

        client().requests().write(1, region.stag(), 100).inline(octet(9)).post();
        fence();
        assertThat(Peer.bytes(region, 100, 1)).containsExactly(9);
        assertRemoteRefusal(Remote.WRITE, before, 0, 1);
    }

    @Test
    void aRefusedReregistrationChangesNothing() {
        MemoryRegion region = client().memory(64);
        int stag = region.stag();
        assertRefused(
                VerbsError.INVALID_MEMORY, () -> region.reregister(MemorySegment.ofArray(new byte[8]), Peer.LOCAL));
        assertRefused(
                VerbsError.INVALID_ARGUMENT, () -> region.reregister(region.segment(), EnumSet.of(Access.REMOTE_READ)));
        assertThat(region.stag()).isEqualTo(stag);
        assertThat(region.isValid()).isTrue();
        region.close();
        assertRefused(VerbsError.CLOSED, () -> region.reregister(client().octets(8), Peer.LOCAL));
    }

    // local invalidation

    @Conforms("VRB-015")
    @Test
    void anInvalidatedRegionCanBeRegisteredAgainByARequest() {
        connect();
        MemoryRegion region = server().memory(64);
        int before = region.stag();
        MemorySegment memory = region.segment();
        server().requests().invalidate(1, before).invalidate(2, before).post();
        assertThat(server().expect(1).operation()).isEqualTo(Operation.LOCAL_INVALIDATE);
        server().expect(2); // twice is fine
        assertThat(region.isValid()).isFalse();

        int key = (before + 1) & 0xFF;
        server().requests()
                .fastRegister(3, region, key, memory, EnumSet.of(Access.LOCAL_WRITE, Access.REMOTE_WRITE))
                .post();
        assertThat(server().expect(3).operation()).isEqualTo(Operation.FAST_REGISTER);
        assertThat(region.isValid()).isTrue();
        assertThat(region.stag()).isEqualTo((before & ~0xFF) | key);
        client().requests().write(1, region.stag(), 5).inline(octet(4)).post();
        fence();
        assertThat(Peer.bytes(region, 5, 1)).containsExactly(4);
        assertRemoteRefusal(Remote.WRITE, before, 5, 1);
    }

    /** The registration takes effect before the next request of the same list starts. */
    @Test
    void aFastRegisteredRegionServesTheNextRequest() {
        connect();
        MemorySegment memory = client().octets(32);
        Peer.fill(memory, 3);
        MemoryRegion region = client().domain.allocateStag(false);
        assertThat(region.isValid()).isFalse();
        MemoryRegion sink = server().memory(32);
        server().postReceive(1, sink);

        client().requests()
                .fastRegister(1, region, 7, memory, Peer.LOCAL)
                .send(2)
                .from(region, 0, 32)
                .invalidate(3, (region.stag() & ~0xFF) | 7)
                .localFence()
                .post();

        client().expect(1);
        client().expect(2);
        client().expect(3);
        server().expect(1);
        assertThat(sink.segment().mismatch(memory)).isEqualTo(-1);
        assertThat(region.isValid()).isFalse();
    }

    @Conforms("VRB-023")
    @Test
    void aLocalFenceWaitsForEarlierRequests() {
        int length = world().largeMessage();
        connect();
        MemoryRegion source = server().filled(length, 1);
        MemoryRegion sink = client().memory(length);
        client().requests()
                .read(1, source.stag(), 0)
                .into(sink, 0, length)
                .invalidate(2, sink.stag())
                .localFence()
                .post();
        client().expect(1);
        client().expect(2);
        assertThat(sink.isValid()).isFalse();
        assertThat(sink.segment().mismatch(source.segment())).isEqualTo(-1);
    }

    // windows

    private MemoryWindow bind(MemoryRegion region, long offset, long length, Set<Access> rights) {
        MemoryWindow window = server().domain.allocateWindow();
        server().requests()
                .bindWindow(50, window, 0x55, region, offset, length, rights)
                .post();
        assertThat(server().expect(50).operation()).isEqualTo(Operation.BIND_WINDOW);
        assertThat(window.isBound()).isTrue();
        assertThat(window.stag() & 0xFF).isEqualTo(0x55);
        return window;
    }

    @Conforms("VRB-016")
    @Test
    void aWindowShowsPartOfARegion() {
        connect();
        MemoryRegion region = server().memory(100, Access.LOCAL_READ, Access.LOCAL_WRITE, Access.WINDOW_BIND);
        MemoryWindow window = bind(region, 20, 30, EnumSet.of(Access.REMOTE_WRITE, Access.REMOTE_READ));
        MemoryRegion sink = client().memory(30);

        client().requests()
                .write(1, window.stag(), 29)
                .inline(octet(6))
                .read(2, window.stag(), 0)
                .into(sink, 0, 30)
                .post();
        fence();
        assertThat(Peer.bytes(region, 49, 2)).containsExactly(6, 0);
        assertThat(Peer.bytes(sink, 29, 1)).containsExactly(6);
        assertRemoteRefusal(Remote.WRITE, window.stag(), 29, 2);
        assertThat(Peer.bytes(region, 50, 1)).containsExactly(0);
    }

    @Conforms("VRB-016")
    @ParameterizedTest
    @EnumSource
    void theRightsOfAWindowAreItsOwn(Remote operation) {
        connect();
        MemoryRegion region = server().memory(64);
        Set<Access> others = EnumSet.of(Access.REMOTE_READ, Access.REMOTE_WRITE, Access.REMOTE_ATOMIC);
        others.remove(operation.right);
        MemoryWindow window = bind(region, 0, 64, others);
        assertRemoteRefusal(operation, window.stag(), 0, 8);
        assertThat(Peer.bytes(region)).containsOnly(0);
    }

    @Conforms({"VRB-016", "DDP-061", "SEC-002"})
    @Test
    void aWindowBelongsToOneQueuePair() {
        connect();
        MemoryRegion region = server().memory(64);
        MemoryWindow window = bind(region, 0, 64, EnumSet.of(Access.REMOTE_WRITE));
        client().use(client().another(config -> config));
        QueuePair other = server().use(server().another(config -> config));
        connect(client(), server(), ConnectionConfig.defaults(), ConnectionConfig.defaults());

        AsyncEvent.PeerError error = assertRemoteRefusal(Remote.WRITE, window.stag(), 0, 8);
        assertThat(error.queuePair()).isSameAs(other);
        assertThat(Peer.bytes(region)).containsOnly(0);
        assertThat(window.isBound()).as("the other connection is not concerned").isTrue();
    }

    @Conforms({"VRB-015", "VRB-016"})
    @Test
    void anInvalidatedWindowIsClosedAndCanBeBoundAgain() {
        connect();
        MemoryRegion region = server().memory(64);
        MemoryWindow window = bind(region, 0, 64, EnumSet.of(Access.REMOTE_WRITE));
        int before = window.stag();
        server().requests().invalidate(1, before).post();
        server().expect(1);
        assertThat(window.isBound()).isFalse();
        server().requests()
                .bindWindow(2, window, 0x66, region, 32, 32, EnumSet.of(Access.REMOTE_WRITE))
                .post();
        server().expect(2);
        client().requests().write(1, window.stag(), 0).inline(octet(3)).post();
        fence();
        assertThat(Peer.bytes(region, 32, 1)).containsExactly(3);
        assertRemoteRefusal(Remote.WRITE, before, 0, 1);
    }

    @Test
    void aRegionWithWindowsCannotGo() {
        connect();
        MemoryRegion region = server().memory(64);
        MemoryWindow window = bind(region, 0, 64, EnumSet.of(Access.REMOTE_WRITE));
        assertRefused(VerbsError.IN_USE, region::close);
        assertRefused(VerbsError.IN_USE, () -> region.reregister(region.segment(), Peer.ALL));
        assertThat(region.isValid()).isTrue();
        window.close();
        window.close();
        region.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"bounds", "rights", "not bindable", "invalid region", "bound already", "local rights"})
    void aWrongBindFails(String what) {
        connect();
        boolean plain = what.equals("not bindable");
        MemoryRegion region =
                server().memory(64, plain ? Peer.LOCAL : EnumSet.of(Access.LOCAL_READ, Access.WINDOW_BIND));
        MemoryWindow window = server().domain.allocateWindow();
        if (what.equals("invalid region")) {
            server().requests().invalidate(1, region.stag()).unsignaled();
        } else if (what.equals("bound already")) {
            server().requests()
                    .bindWindow(1, window, 1, region, 0, 8, EnumSet.of(Access.REMOTE_READ))
                    .unsignaled();
        }
        Set<Access> rights = what.equals("rights")
                ? EnumSet.of(Access.REMOTE_WRITE)
                : what.equals("local rights") ? Peer.LOCAL : EnumSet.of(Access.REMOTE_READ);
        server().requests()
                .bindWindow(2, window, 2, region, 0, what.equals("bounds") ? 65 : 64, rights)
                .post();

        Completion failed = server().expect(2, CompletionStatus.MW_BIND_ERR);
        assertThat(failed.cause().fact()).isNotBlank();
        assertThat(failed.cause().clause()).isNotBlank();
        server().awaitState(QueuePairState.ERROR);
    }

    @ParameterizedTest
    @ValueSource(strings = {"still valid", "no remote access", "heap", "rights"})
    void aWrongFastRegistrationFails(String what) {
        connect();
        MemoryRegion region = what.equals("still valid")
                ? server().memory(8)
                : server().domain.allocateStag(!what.equals("no remote access"));
        MemorySegment memory = what.equals("heap") ? MemorySegment.ofArray(new byte[8]) : server().octets(8);
        Set<Access> rights = what.equals("rights") ? EnumSet.of(Access.REMOTE_READ) : Peer.ALL;
        server().requests().fastRegister(2, region, 2, memory, rights).post();

        Completion failed = server().expect(2, CompletionStatus.MW_BIND_ERR);
        assertThat(failed.cause().fact()).isNotBlank();
        server().awaitState(QueuePairState.ERROR);
    }

    // remote invalidation

    @Conforms({"VRB-015", "VRB-022", "RDMAP-045"})
    @Test
    void aPeerInvalidatesARegionThatAllowsIt() {
        connect();
        MemoryRegion region = server().memory(
                        8, Access.LOCAL_READ, Access.LOCAL_WRITE, Access.REMOTE_WRITE, Access.REMOTE_INVALIDATE);
        int stag = region.stag();
        server().postEmptyReceives(1, 1);
        client().requests().sendInvalidate(1, stag).post();
        assertThat(server().expect(1).invalidatedStag()).isEqualTo(stag);
        assertThat(region.isValid()).isFalse();
        client().expect(1);
        assertRemoteRefusal(Remote.WRITE, stag, 0, 1);
    }

    @Conforms({"SEC-005", "RDMAP-046", "RDMAP-077"})
    @ParameterizedTest
    @ValueSource(strings = {"shared", "no remote right", "unknown", "other domain", "windows bound"})
    void aPeerInvalidatesNothingElse(String what) {
        connect();
        Set<Access> allowing = EnumSet.copyOf(Peer.ALL);
        allowing.add(Access.REMOTE_INVALIDATE);
        MemoryRegion region = switch (what) {
            case "shared" -> server().memory(8);
            case "no remote right" ->
                server().memory(8, Access.LOCAL_READ, Access.LOCAL_WRITE, Access.REMOTE_INVALIDATE);
            case "other domain" -> server().rnic.allocateProtectionDomain().register(server().octets(8), allowing);
            default -> server().memory(8, allowing);
        };
        if (what.equals("windows bound")) {
            bind(region, 0, 8, EnumSet.of(Access.REMOTE_READ));
        }
        server().postEmptyReceives(1, 2);
        client().requests()
                .sendInvalidate(1, what.equals("unknown") ? region.stag() ^ 0x80 : region.stag())
                .post();

        Completion failed = server().expect(1, CompletionStatus.REM_INV_REQ_ERR);
        assertThat(failed.cause().fact()).containsIgnoringCase("invalidat");
        server().expect(2, CompletionStatus.WR_FLUSH_ERR);
        assertThat(region.isValid()).isTrue();
        client().awaitEvent(AsyncEvent.TerminateReceived.class);
    }

    // domains

    @Test
    void aDomainInUseCannotBeClosed() {
        ProtectionDomain domain = client().rnic.allocateProtectionDomain();
        MemoryRegion region = domain.allocate(8, Peer.LOCAL);
        assertRefused(VerbsError.IN_USE, domain::close);
        region.close();
        MemoryWindow window = domain.allocateWindow();
        assertRefused(VerbsError.IN_USE, domain::close);
        window.close();
        domain.close();
        domain.close();
        assertRefused(VerbsError.CLOSED, () -> domain.allocate(8, Peer.LOCAL));
        assertRefused(VerbsError.CLOSED, domain::allocateWindow);
    }

    // memory that vanishes

    @ParameterizedTest
    @EnumSource
    void memoryWhoseArenaWasClosedIsGone(Remote operation) {
        assume(ContractFixture.Feature.VANISHING_MEMORY);
        connect();
        Arena arena = Arena.ofShared();
        MemoryRegion region = server().domain.register(arena.allocate(64, 8), Peer.ALL);
        arena.close();
        assertRemoteRefusal(operation, region.stag(), 0, 8);
        region.close();
    }

    @Test
    void aSourceWhoseArenaWasClosedFailsItsRequest() {
        assume(ContractFixture.Feature.VANISHING_MEMORY);
        connect();
        Arena arena = Arena.ofShared();
        MemoryRegion region = client().domain.register(arena.allocate(64, 8), Peer.LOCAL);
        arena.close();
        client().requests().send(1).from(region, 0, 64).post();
        Completion failed = client().expect(1, CompletionStatus.LOC_PROT_ERR);
        assertThat(failed.cause().fact()).contains("arena");
    }
}
