package io.stag.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.simnet.Conforms;
import io.stag.verbs.MemoryRegion;
import io.stag.verbs.Operation;
import io.stag.verbs.VerbsError;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Immediate data (RFC 7306), alone and behind an RDMA Write. */
public abstract class ImmediateContract extends ProviderContract {

    /** For subclasses. */
    protected ImmediateContract() {}

    @Conforms("EXT-031")
    @ParameterizedTest
    @ValueSource(longs = {0, 1, -1, Long.MIN_VALUE, 0x0123_4567_89AB_CDEFL})
    void immediateDataCompletesAReceive(long value) {
        connect();
        MemoryRegion buffer = server().memory(16);
        server().postReceive(5, buffer);

        client().requests().immediate(1, value).post();

        Completion sent = client().expect(1);
        assertThat(sent.operation()).isEqualTo(Operation.IMMEDIATE);
        Completion received = server().expect(5);
        assertThat(received.operation()).isEqualTo(Operation.RECEIVE_IMMEDIATE);
        assertThat(received.hasImmediate()).isTrue();
        assertThat(received.immediate()).isEqualTo(value);
        assertThat(received.length()).isZero();
        assertThat(Peer.bytes(buffer)).as("its buffer is not touched").containsOnly(0);
    }

    @Conforms("EXT-032")
    @Test
    void immediateDataKeepsItsPlaceAmongSends() {
        connect();
        MemoryRegion buffers = server().memory(100);
        for (int i = 0; i < 10; i++) {
            server().receives().receive(i).into(buffers, i * 10L, 10);
        }
        server().receives().post();

        for (int i = 0; i < 10; i++) {
            if (i % 3 == 1) {
                client().requests().immediate(i, 1_000 + i);
            } else {
                client().requests().send(i).inline(MemorySegment.ofArray(new byte[] {(byte) (i + 1)}));
            }
        }
        client().requests().post();

        for (int i = 0; i < 10; i++) {
            client().expect(i);
            Completion received = server().expect(i);
            if (i % 3 == 1) {
                assertThat(received.immediate()).isEqualTo(1_000 + i);
                assertThat(Peer.bytes(buffers, i * 10L, 10)).containsOnly(0);
            } else {
                assertThat(received.hasImmediate()).isFalse();
                assertThat(received.operation()).isEqualTo(Operation.RECEIVE);
                assertThat(Peer.bytes(buffers, i * 10L, 1)).containsExactly(i + 1);
            }
        }
    }

    @Conforms("EXT-034")
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2_000, 20_000})
    void aWriteWithImmediateIsPlacedBeforeTheReceiveCompletes(int length) {
        connect();
        MemoryRegion source = client().filled(Math.max(1, length), 2);
        MemoryRegion target = server().memory(length + 8L);
        server().postEmptyReceives(3, 1);

        client().requests()
                .writeImmediate(1, target.stag(), 8, 77)
                .from(source, 0, length)
                .post();

        Completion received = server().expect(3);
        assertThat(received.operation()).isEqualTo(Operation.RECEIVE_IMMEDIATE);
        assertThat(received.immediate()).isEqualTo(77);
        assertThat(Peer.bytes(target, 8, length)).isEqualTo(Peer.bytes(source, 0, length));
        assertThat(Peer.bytes(target, 0, 8)).containsOnly(0);
        assertThat(client().expect(1).operation()).isEqualTo(Operation.RDMA_WRITE);
        client().expectNothingMore();
        server().expectNothingMore();
    }

    @Test
    void solicitedImmediateDataIsMarked() {
        connect();
        server().postEmptyReceives(1, 3);

        client().requests()
                .immediate(1, 1)
                .immediate(2, 2)
                .solicited()
                .writeImmediate(3, 0, 0, 3)
                .solicited()
                .post();

        assertThat(server().expect(1).solicited()).isFalse();
        assertThat(server().expect(2).solicited()).isTrue();
        assertThat(server().expect(3).solicited()).isTrue();
    }

    @Test
    void manyImmediatesInARow() {
        connect();
        server().postEmptyReceives(0, 60);

        for (int i = 0; i < 60; i++) {
            client().requests().immediate(i, i * 3L);
        }
        assertThat(client().requests().post()).isEqualTo(60);

        for (int i = 0; i < 60; i++) {
            assertThat(server().expect(i).immediate()).isEqualTo(i * 3L);
            client().expect(i);
        }
    }

    @Test
    void immediateDataHasNoPayloadOfItsOwn() {
        connect();
        MemoryRegion region = client().memory(8);

        assertRefused(
                VerbsError.INVALID_ARGUMENT,
                () -> client().queuePair().newSendRequests().immediate(1, 1).from(region, 0, 8));
        assertRefused(
                VerbsError.INVALID_ARGUMENT,
                () -> client().queuePair()
                        .newSendRequests()
                        .immediate(1, 1)
                        .inline(MemorySegment.ofArray(new byte[1])));
    }
}
