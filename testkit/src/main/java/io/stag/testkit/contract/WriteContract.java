package io.stag.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.simnet.Conforms;
import io.stag.verbs.Access;
import io.stag.verbs.AsyncEvent;
import io.stag.verbs.MemoryRegion;
import io.stag.verbs.Operation;
import io.stag.verbs.QueuePairState;
import io.stag.verbs.SendRequests;
import io.stag.verbs.VerbsError;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.EnumSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** RDMA Write. */
public abstract class WriteContract extends ProviderContract {

    /** For subclasses. */
    protected WriteContract() {}

    @Conforms("RDMAP-020")
    @Test
    void aWritePlacesItsOctetsAndTellsNobody() {
        connect();
        MemoryRegion source = client().filled(50, 1);
        MemoryRegion target = server().memory(200);
        server().postEmptyReceives(9, 1);

        client().requests()
                .write(1, target.stag(), target.remoteOffset(75))
                .from(source, 0, 50)
                .send(2)
                .post();

        Completion written = client().expect(1);
        assertThat(written.operation()).isEqualTo(Operation.RDMA_WRITE);
        client().expect(2);
        server().expect(9); // the Send, not the Write before it
        server().expectNothingMore();
        assertThat(Peer.bytes(target, 0, 75)).containsOnly(0);
        assertThat(Peer.bytes(target, 75, 50)).isEqualTo(Peer.bytes(source));
        assertThat(Peer.bytes(target, 125, 75)).containsOnly(0);
        assertThat(target.snapshot().remoteWrites()).isPositive();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5, 64, 1405, 1406, 1407, 1408, 1409, 1410, 3000})
    void writesOfAnyLengthAreExact(int length) {
        connect();
        MemoryRegion source = client().filled(length, length);
        MemoryRegion target = server().memory(length + 2L);

        client().requests().write(1, target.stag(), 1).from(source, 0, length).post();
        flush();

        assertThat(Peer.bytes(target, 1, length)).isEqualTo(Peer.bytes(source));
        assertThat(Peer.bytes(target, 0, 1)).containsOnly(0);
        assertThat(Peer.bytes(target, length + 1L, 1)).containsOnly(0);
    }

    /** A Read of nothing comes back when everything before it is placed. */
    private void flush() {
        client().requests().read(Long.MAX_VALUE, 0, 0).post();
        Completion completion = client().next();
        while (completion.id() != Long.MAX_VALUE) {
            assertThat(completion.isSuccess()).as("%s", completion).isTrue();
            completion = client().next();
        }
        assertThat(completion.isSuccess()).as("%s", completion).isTrue();
    }

    @Conforms("DDP-027")
    @Test
    void aLargeWriteArrivesWhole() {
        int length = world().largeMessage();
        connect();
        MemoryRegion source = client().filled(length, 9);
        MemoryRegion target = server().memory(length);

        client().requests().write(1, target.stag(), 0).from(source, 0, length).post();
        flush();

        assertThat(target.segment().mismatch(source.segment())).isEqualTo(-1);
    }

    @Conforms({"RDMAP-023", "DDP-031", "VRB-014"})
    @Test
    void anEmptyWriteNeedsNoTarget() {
        connect();
        MemoryRegion region = client().memory(8, EnumSet.of(Access.LOCAL_WRITE));
        int unknownStag = 0x7777_7777;

        client().requests()
                .write(1, unknownStag, -1)
                .write(2, unknownStag, Long.MAX_VALUE)
                .from(region, 8, 0) // not even a right to read
                .post();
        flush();

        assertThat(client().state()).isEqualTo(QueuePairState.RTS);
        assertThat(server().state()).isEqualTo(QueuePairState.RTS);
        assertThat(server().events).isEmpty();
    }

    /** Polling memory is not enough, but who gets the Send may read what was written before it. */
    @Conforms("DDP-010")
    @Test
    void aSendIsDeliveredAfterTheWritesBeforeIt() {
        int rounds = 20;
        connect();
        MemoryRegion source = client().memory(2_000);
        MemoryRegion target = server().memory(2_000);
        server().postEmptyReceives(0, rounds);
        for (int i = 0; i < rounds; i++) {
            source.segment().fill((byte) (i + 1));
            client().requests()
                    .write(i, target.stag(), 0)
                    .from(source, 0, 2_000)
                    .send(1_000 + i)
                    .post();
            server().expect(i);
            assertThat(Peer.bytes(target)).containsOnly(i + 1);
            client().expect(i);
            client().expect(1_000 + i);
        }
    }

    @Conforms("RDMAP-055")
    @Test
    void whatWasWrittenIsReadBack() {
        connect();
        MemoryRegion source = client().filled(1_000, 4);
        MemoryRegion back = client().memory(1_000);
        MemoryRegion target = server().memory(1_000);
        for (int i = 0; i < 10; i++) {
            int at = i * 100;
            client().requests()
                    .write(2L * i, target.stag(), at)
                    .from(source, at, 100)
                    .read(2L * i + 1, target.stag(), at)
                    .into(back, at, 100);
        }
        client().requests().post();

        for (int i = 0; i < 20; i++) {
            client().expect(i);
        }
        assertThat(Peer.bytes(back)).isEqualTo(Peer.bytes(source));
    }

    @Test
    void aWriteGathersSeveralBuffers() {
        connect();
        MemoryRegion source = client().filled(2_000, 3);
        MemoryRegion target = server().memory(1_700);

        client().requests()
                .write(1, target.stag(), 0)
                .from(source, 1_000, 3)
                .from(source, 0, 1_600)
                .from(source, 7, 0)
                .from(source, 1_903, 97)
                .post();
        flush();

        byte[] expected = new byte[1_700];
        byte[] all = Peer.bytes(source);
        System.arraycopy(all, 1_000, expected, 0, 3);
        System.arraycopy(all, 0, expected, 3, 1_600);
        System.arraycopy(all, 1_903, expected, 1_603, 97);
        assertThat(Peer.bytes(target)).isEqualTo(expected);
    }

    @Test
    void anInlineWriteIsTakenAtOnce() {
        connect();
        MemoryRegion target = server().memory(8);
        MemorySegment payload = MemorySegment.ofArray(new byte[] {1, 2, 3});

        SendRequests list = client().requests().write(1, target.stag(), 2).inline(payload);
        payload.fill((byte) 0);
        list.post();
        flush();

        assertThat(Peer.bytes(target)).containsExactly(0, 0, 1, 2, 3, 0, 0, 0);
    }

    @Test
    void memoryCanBeAddressedByItsVirtualAddress() {
        connect();
        MemoryRegion target =
                server().memory(64, EnumSet.of(Access.LOCAL_WRITE, Access.REMOTE_WRITE, Access.VIRTUAL_ADDRESS));
        assertThat(target.remoteOffset(5)).isEqualTo(target.segment().address() + 5);

        client().requests()
                .write(1, target.stag(), target.remoteOffset(5))
                .inline(MemorySegment.ofArray(new byte[] {6}))
                .post();
        flush();

        assertThat(target.segment().get(ValueLayout.JAVA_BYTE, 5)).isEqualTo((byte) 6);
    }

    @Test
    void bothSidesWriteAtOnce() {
        int length = 3_000;
        connect();
        MemoryRegion atClient = client().memory(length);
        MemoryRegion atServer = server().memory(length);
        MemoryRegion fromClient = client().filled(length, 1);
        MemoryRegion fromServer = server().filled(length, 2);
        client().postEmptyReceives(9, 1);
        server().postEmptyReceives(9, 1);

        for (int at = 0; at < length; at += 300) {
            client().requests()
                    .write(1, atServer.stag(), at)
                    .from(fromClient, at, 300)
                    .unsignaled();
            server().requests()
                    .write(1, atClient.stag(), at)
                    .from(fromServer, at, 300)
                    .unsignaled();
        }
        client().requests().send(2).unsignaled().post();
        server().requests().send(2).unsignaled().post();

        client().expect(9);
        server().expect(9);
        assertThat(Peer.bytes(atClient)).isEqualTo(Peer.bytes(fromServer));
        assertThat(Peer.bytes(atServer)).isEqualTo(Peer.bytes(fromClient));
    }

    @Test
    void aQueuePairMayForbidWrites() {
        server().create(config -> config.allowRemoteWrite(false));
        connect();
        MemoryRegion target = server().memory(8);

        client().requests()
                .write(1, target.stag(), 0)
                .inline(MemorySegment.ofArray(new byte[] {1}))
                .post();

        server().awaitEvent(AsyncEvent.PeerError.class);
        client().awaitEvent(AsyncEvent.TerminateReceived.class);
        assertThat(Peer.bytes(target)).containsOnly(0);
    }

    @Test
    void aWriteBringsNothingBack() {
        connect();
        MemoryRegion region = client().memory(8);

        assertRefused(
                VerbsError.INVALID_ARGUMENT,
                () -> client().queuePair().newSendRequests().write(1, 1, 0).into(region, 0, 8));
        assertRefused(
                VerbsError.INVALID_ARGUMENT,
                () -> client().queuePair().newSendRequests().write(1, 1, 0).solicited());
    }
}
