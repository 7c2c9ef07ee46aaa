package io.stag.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.simnet.Conforms;
import io.stag.verbs.MemoryRegion;
import io.stag.verbs.Operation;
import io.stag.verbs.QueuePair;
import io.stag.verbs.QueuePairState;
import io.stag.verbs.SendRequests;
import io.stag.verbs.VerbsError;
import io.stag.verbs.cm.ConnectionConfig;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Atomic operations (RFC 7306). */
public abstract class AtomicContract extends ProviderContract {

    /** For subclasses. */
    protected AtomicContract() {}

    @Conforms({"EXT-003", "EXT-009", "EXT-016", "EXT-019", "EXT-022", "EXT-028"})
    @Test
    void fetchAndAddGivesTheFormerValue() {
        connect();
        MemoryRegion target = server().memory(24);
        Peer.word(target, 8, 100);
        MemoryRegion result = client().memory(24);

        client().requests().fetchAdd(1, target.stag(), 8, 11).into(result, 8, 8).post();

        Completion completion = client().expect(1);
        assertThat(completion.operation()).isEqualTo(Operation.FETCH_ADD);
        assertThat(completion.length()).isEqualTo(8);
        assertThat(Peer.word(result, 8)).isEqualTo(100);
        assertThat(Peer.word(target, 8)).as("in the target's byte order").isEqualTo(111);
        assertThat(Peer.word(target, 0)).isZero();
        assertThat(Peer.word(target, 16)).isZero();
        assertThat(Peer.word(result, 0)).isZero();
        assertThat(Peer.word(result, 16)).isZero();
        server().expectNothingMore();
        assertThat(server().queuePair().snapshot().counters().atomicsServed()).isEqualTo(1);
    }

    @Test
    void addingWrapsAround() {
        connect();
        MemoryRegion target = server().memory(8);
        Peer.word(target, 0, Long.MAX_VALUE);
        MemoryRegion result = client().memory(16);

        client().requests()
                .fetchAdd(1, target.stag(), 0, 1)
                .into(result, 0, 8)
                .fetchAdd(2, target.stag(), 0, -2)
                .into(result, 8, 8)
                .post();

        client().expect(1);
        client().expect(2);
        assertThat(Peer.word(result, 0)).isEqualTo(Long.MAX_VALUE);
        assertThat(Peer.word(result, 8)).isEqualTo(Long.MIN_VALUE);
        assertThat(Peer.word(target, 0)).isEqualTo(Long.MAX_VALUE - 1);
    }

    /** Two fields of 32 bits: the carry of the lower one stops at its top. */
    @Test
    void fieldsAreAddedApart() {
        connect();
        MemoryRegion target = server().memory(8);
        Peer.word(target, 0, 0x0000_0005_FFFF_FFFFL);
        MemoryRegion result = client().memory(8);

        client().requests()
                .fetchAdd(1, target.stag(), 0, 0x0000_0001_0000_0002L, 0x8000_0000_8000_0000L)
                .into(result, 0, 8)
                .post();

        client().expect(1);
        assertThat(Peer.word(result, 0)).isEqualTo(0x0000_0005_FFFF_FFFFL);
        assertThat(Peer.word(target, 0)).isEqualTo(0x0000_0006_0000_0001L);
    }

    @Test
    void compareAndSwapChangesOnlyAnEqualWord() {
        connect();
        MemoryRegion target = server().memory(8);
        Peer.word(target, 0, 5);
        MemoryRegion result = client().memory(16);

        client().requests()
                .compareSwap(1, target.stag(), 0, 4, 9)
                .into(result, 0, 8)
                .compareSwap(2, target.stag(), 0, 5, 7)
                .into(result, 8, 8)
                .post();

        assertThat(client().expect(1).operation()).isEqualTo(Operation.COMPARE_SWAP);
        client().expect(2);
        assertThat(Peer.word(result, 0)).as("not equal: still the former value").isEqualTo(5);
        assertThat(Peer.word(result, 8)).isEqualTo(5);
        assertThat(Peer.word(target, 0)).isEqualTo(7);
    }

    @Test
    void masksChooseWhatIsComparedAndSwapped() {
        connect();
        MemoryRegion target = server().memory(8);
        Peer.word(target, 0, 0x1122_3344_5566_7788L);
        MemoryRegion result = client().memory(8);

        client().requests()
                .compareSwap(1, target.stag(), 0, 0x88, 0xFF, 0xAABB_0000_0000_0000L, 0xFFFF_0000_0000_0000L)
                .into(result, 0, 8)
                .post();

        client().expect(1);
        assertThat(Peer.word(result, 0)).isEqualTo(0x1122_3344_5566_7788L);
        assertThat(Peer.word(target, 0)).isEqualTo(0xAABB_3344_5566_7788L);
    }

    @Conforms({"EXT-015", "EXT-018", "EXT-021", "EXT-024", "EXT-027", "EXT-029"})
    @Test
    void atomicsBeyondOrdWaitAndAreAnsweredInOrder() {
        int count = 20;
        client().create(config -> config.maxOutboundReads(3));
        connect();
        MemoryRegion target = server().memory(8);
        MemoryRegion result = client().memory(count * 8L);
        MemoryRegion sink = client().memory(8);
        for (int i = 0; i < count; i++) {
            client().requests().fetchAdd(i, target.stag(), 0, 1).into(result, i * 8L, 8);
            if (i % 4 == 0) {
                client().requests().read(100 + i, target.stag(), 0).into(sink, 0, 8);
            }
        }
        client().requests().post();

        for (int i = 0; i < count; i++) {
            client().expect(i);
            assertThat(Peer.word(result, i * 8L)).isEqualTo(i);
            if (i % 4 == 0) {
                client().expect(100 + i);
            }
        }
        assertThat(Peer.word(target, 0)).isEqualTo(count);
    }

    @Conforms("EXT-026")
    @Test
    void anAtomicSeesTheWriteBeforeIt() {
        connect();
        MemoryRegion target = server().memory(8);
        MemoryRegion source = client().memory(8);
        Peer.word(source, 0, 40);
        MemoryRegion result = client().memory(8);

        client().requests()
                .write(1, target.stag(), 0)
                .from(source, 0, 8)
                .fetchAdd(2, target.stag(), 0, 2)
                .into(result, 0, 8)
                .post();

        client().expect(1);
        client().expect(2);
        assertThat(Peer.word(result, 0)).isEqualTo(40);
        assertThat(Peer.word(target, 0)).isEqualTo(42);
    }

    @Conforms("EXT-004")
    @Test
    void atomicsOfSeveralConnectionsNeverLoseAnUpdate() {
        int connections = 4;
        int each = 25;
        MemoryRegion target = server().memory(8);
        List<SendRequests> lists = new ArrayList<>();
        MemoryRegion result = client().memory((long) connections * each * 8);
        for (int c = 0; c < connections; c++) {
            QueuePair active = client().use(client().another(config -> config.sendDepth(each)));
            server().use(server().another(config -> config));
            connect(client(), server(), ConnectionConfig.defaults(), ConnectionConfig.defaults());
            lists.add(active.newSendRequests());
        }
        for (int i = 0; i < each; i++) {
            for (int c = 0; c < connections; c++) {
                int at = (c * each + i) * 8;
                lists.get(c)
                        .fetchAdd(at, target.stag(), 0, 1)
                        .into(result, at, 8)
                        .post();
            }
        }

        for (Completion completion : client().next(connections * each)) {
            assertThat(completion.isSuccess()).as("%s", completion).isTrue();
        }
        assertThat(Peer.word(target, 0)).isEqualTo((long) connections * each);
        List<Long> former = new ArrayList<>();
        for (int i = 0; i < connections * each; i++) {
            former.add(Peer.word(result, i * 8L));
        }
        assertThat(former).as("every value was seen by exactly one").doesNotHaveDuplicates();
    }

    @Conforms("VRB-023")
    @Test
    void aReadFenceWaitsForAtomicsToo() {
        connect();
        MemoryRegion target = server().memory(8);
        MemoryRegion result = client().memory(8);
        MemoryRegion source = client().memory(8);
        Peer.word(source, 0, 1_000);

        client().requests()
                .fetchAdd(1, target.stag(), 0, 5)
                .into(result, 0, 8)
                .write(2, target.stag(), 0)
                .from(source, 0, 8)
                .readFence()
                .read(3, 0, 0)
                .post();

        client().expect(1);
        client().expect(2);
        client().expect(3);
        assertThat(Peer.word(result, 0)).isZero();
        assertThat(Peer.word(target, 0)).as("the write came last").isEqualTo(1_000);
    }

    @Test
    void wrongAtomicsAreRefusedAtTheCall() {
        connect();
        MemoryRegion region = client().memory(32);

        assertRefused(VerbsError.INVALID_ARGUMENT, () -> newFetchAdd().into(region, 0, 4));
        assertRefused(VerbsError.INVALID_ARGUMENT, () -> newFetchAdd().into(region, 0, 16));
        assertRefused(
                VerbsError.INVALID_ARGUMENT,
                () -> newFetchAdd().into(region, 0, 8).into(region, 8, 8));
        assertRefused(VerbsError.INVALID_ARGUMENT, () -> newFetchAdd().from(region, 0, 8));
        assertRefused(VerbsError.INVALID_ARGUMENT, () -> newFetchAdd().post());
        assertThat(client().state()).isEqualTo(QueuePairState.RTS);
        client().expectNothingMore();
    }

    private SendRequests newFetchAdd() {
        return client().queuePair().newSendRequests().fetchAdd(1, 1, 0, 1);
    }
}
