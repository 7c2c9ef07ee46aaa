package io.stag.rnic.datagram;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.rnic.memory.SoftMemoryRegion;
import io.stag.simnet.Conforms;
import io.stag.verbs.DatagramRefusal;
import org.junit.jupiter.api.Test;

/** Half messages and false sources cost bounded memory, and do not keep others out. */
class FloodTest {
    private static final int HONEST = 77;

    private final EngineFixture engine = new EngineFixture();

    @Test
    @Conforms("DG-017")
    void halfMessagesOfManySourcesAreBounded() {
        SoftMemoryRegion target = engine.region(1 << 20);
        for (int i = 0; i < 10_000; i++) {
            engine.sourcePort = 1000 + i % 60;
            engine.arrive(RawDatagram.write(i, target.stag(), 0, 1 << 20, 64 * (i % 100), 64));
            engine.pass(1_000);
            assertThat(engine.receiver.openMessages()).isLessThanOrEqualTo(16);
            assertThat(engine.receiver.reassemblyOctets()).isLessThanOrEqualTo(1 << 16);
        }
        assertThat(engine.refused(DatagramRefusal.TOO_MANY_MESSAGES)).isPositive();
    }

    @Test
    @Conforms("DG-017")
    void mapsThatLeaveWithTheirRecordsAreNotCountedAndOthersAreUsedAgain() {
        SoftMemoryRegion target = engine.region(1 << 20);
        for (int id = 1; id < 10; id++) {
            engine.arrive(RawDatagram.write(id, target.stag(), 0, 1 << 20, 0, 64));
            assertThat(engine.receiver.reassemblyOctets()).isEqualTo(2048);
        }
        engine.takingMaps = true;
        engine.pass(EngineFixture.MAX_TIMEOUT);
        assertThat(engine.written).hasSize(9);
        assertThat(engine.receiver.reassemblyOctets()).isZero();
    }

    @Test
    @Conforms("DG-017")
    void oneSourceCannotTakeAllPlaces() {
        SoftMemoryRegion target = engine.region(1 << 16);
        for (int i = 0; i < 100; i++) {
            engine.arrive(RawDatagram.write(1000 - i, target.stag(), 0, 256, 0, 64));
        }
        assertThat(engine.receiver.openMessages()).isEqualTo(4);
        engine.sourcePort = HONEST;
        engine.arrive(RawDatagram.write(1, target.stag(), 0, 128, 0, 64));
        engine.arrive(RawDatagram.write(1, target.stag(), 0, 128, 64, 64));
        assertThat(engine.written)
                .singleElement()
                .extracting(EngineFixture.Written::port)
                .isEqualTo(HONEST);
    }

    @Test
    @Conforms("DG-032")
    void halfSendsDoNotKeepReceivesForLong() {
        for (int i = 0; i < 4; i++) {
            engine.post(i, 256);
        }
        for (int i = 0; i < 4; i++) {
            engine.sourcePort = 2000 + i;
            engine.arrive(RawDatagram.send(1, 256, 0, 64));
        }
        engine.sourcePort = HONEST;
        engine.arrive(RawDatagram.send(1, 64, 0, 64));
        assertThat(engine.received).as("they may still go on").isEmpty();
        engine.pass(EngineFixture.MAX_TIMEOUT / 4);
        engine.arrive(RawDatagram.send(2, 64, 0, 64));
        assertThat(engine.received)
                .singleElement()
                .extracting(EngineFixture.Received::port)
                .isEqualTo(HONEST);
        assertThat(engine.counts.messagesDisplaced).isEqualTo(1);
        assertThat(engine.receiver.openMessages()).isEqualTo(3);
    }

    @Test
    @Conforms({"DG-024", "DG-032"})
    void receivesOfASharedQueueComeBackToAllThatShareIt() {
        DatagramReceiver other = sharingReceiver();
        for (int i = 0; i < 4; i++) {
            engine.post(i, 256);
        }
        halfSends(4);
        engine.arriveAt(other, RawDatagram.send(1, 64, 0, 64));
        assertThat(engine.refused(DatagramRefusal.NO_RECEIVE)).isEqualTo(1);
        engine.pass(EngineFixture.MAX_TIMEOUT);
        assertThat(engine.receiver.openMessages()).isZero();
        engine.arrive(RawDatagram.send(2, 512, 0, 64));
        assertThat(engine.refused(DatagramRefusal.RECEIVE_TOO_SHORT)).isEqualTo(1);
        for (int id = 2; id < 6; id++) {
            engine.arriveAt(other, RawDatagram.send(id, 64, 0, 64));
        }
        assertThat(engine.received).hasSize(4);
    }

    @Test
    @Conforms({"DG-024", "DG-032"})
    void aReceiverThatIsClosedLeavesTheReceivesOfHalfSendsToOthers() {
        DatagramReceiver other = sharingReceiver();
        engine.post(1, 256);
        engine.post(2, 256);
        engine.arrive(RawDatagram.write(1, engine.region(256).stag(), 0, 256, 0, 64));
        halfSends(2);
        engine.receiver.close();
        engine.arriveAt(other, RawDatagram.send(1, 64, 0, 64));
        engine.arriveAt(other, RawDatagram.send(2, 64, 0, 64));
        assertThat(engine.received).hasSize(2);
        assertThat(engine.written).as("nobody is there to hear of it").isEmpty();
    }

    private DatagramReceiver sharingReceiver() {
        return new DatagramReceiver(
                engine.settings, engine.counts, engine.stags, engine.receiveQueue, engine, engine.sender::reported);
    }

    private void halfSends(int count) {
        for (int i = 0; i < count; i++) {
            RawDatagram half = RawDatagram.send(1, 256, 0, 64);
            half.epoch = i;
            engine.arrive(half);
        }
    }

    @Test
    @Conforms("DG-032")
    void aMessageThatGoesOnIsNotDisplaced() {
        SoftMemoryRegion target = engine.region(1 << 16);
        engine.sourcePort = HONEST;
        engine.arrive(RawDatagram.write(1, target.stag(), 0, 64 * 200, 0, 64));
        for (int i = 1; i < 200; i++) {
            engine.pass(EngineFixture.MILLISECOND);
            for (int j = 0; j < 3; j++) {
                engine.sourcePort = 3000 + (3 * i + j) % 50;
                engine.arrive(RawDatagram.write(i, target.stag(), 0, 256, 0, 64));
            }
            engine.sourcePort = HONEST;
            engine.arrive(RawDatagram.write(1, target.stag(), 0, 64 * 200, 64 * i, 64));
        }
        assertThat(engine.written).anyMatch(record -> record.port() == HONEST && record.complete());
    }

    @Test
    @Conforms("DG-018")
    void falseSourcesAreBoundedAndShortSendsStillComeThrough() {
        SoftMemoryRegion target = engine.region(1 << 16);
        engine.sourcePort = HONEST;
        engine.arrive(RawDatagram.write(1, target.stag(), 0, 64, 0, 64));
        for (int i = 0; i < 100_000; i++) {
            engine.sourcePort = 1 + i % 60_000;
            RawDatagram forged = RawDatagram.write(1, target.stag(), 64, 64, 0, 64);
            forged.epoch = i;
            engine.arrive(forged);
        }
        assertThat(engine.receiver.sources()).isEqualTo(64);
        assertThat(engine.refused(DatagramRefusal.TOO_MANY_SOURCES)).isEqualTo(100_000 - 63);
        engine.sourcePort = HONEST;
        engine.written.clear();
        engine.arrive(RawDatagram.write(2, target.stag(), 0, 64, 0, 64));
        assertThat(engine.written).as("who was there before").hasSize(1);
        engine.arrive(RawDatagram.write(2, target.stag(), 0, 64, 0, 64));
        assertThat(engine.refused(DatagramRefusal.LATE)).isEqualTo(1);
        engine.sourcePort = HONEST + 1;
        engine.post(1, 64);
        engine.arrive(RawDatagram.send(1, 64, 0, 64));
        assertThat(engine.received).as("a short Send of somebody new").hasSize(1);
        engine.post(2, 128);
        engine.arrive(RawDatagram.send(2, 128, 0, 64));
        assertThat(engine.refused(DatagramRefusal.TOO_MANY_SOURCES)).isEqualTo(100_000 - 62);
        engine.pass(2_000 * EngineFixture.MILLISECOND); // the flood is over
        engine.arrive(RawDatagram.write(3, target.stag(), 0, 64, 0, 64));
        assertThat(engine.receiver.sources()).isEqualTo(64);
        assertThat(engine.written).hasSize(2);
    }

    @Test
    @Conforms("DG-018")
    void aSendThatGoesOnDoesNotKeepIdleSourcesFromBeingForgotten() {
        EngineFixture few = new EngineFixture(EngineFixture.settings(16, 4, 1 << 16, 3));
        SoftMemoryRegion target = few.region(1024);
        few.post(1, 64 * 100);
        few.arrive(RawDatagram.send(1, 64 * 100, 0, 64));
        few.sourcePort = 2000;
        few.arrive(RawDatagram.write(1, target.stag(), 0, 64, 0, 64));
        few.sourcePort = 3000;
        few.arrive(RawDatagram.write(1, target.stag(), 0, 64, 0, 64));
        few.sourcePort = 1000;
        for (int i = 1; i < 50; i++) {
            few.pass(EngineFixture.MAX_TIMEOUT / 2);
            few.arrive(RawDatagram.send(1, 64 * 100, 64 * i, 64));
        }
        few.sourcePort = 4000;
        few.arrive(RawDatagram.write(1, target.stag(), 0, 64, 0, 64));
        assertThat(few.refused(DatagramRefusal.TOO_MANY_SOURCES)).isZero();
        assertThat(few.receiver.openMessages()).isEqualTo(1);
    }

    @Test
    @Conforms("DG-018")
    void theSourceOfASendIsRememberedFromItsLastDatagramOn() {
        EngineFixture one = new EngineFixture(EngineFixture.settings(16, 4, 1 << 16, 1));
        SoftMemoryRegion target = one.region(1024);
        one.post(1, 64 * 50);
        for (int i = 0; i < 50; i++) {
            one.pass(EngineFixture.MAX_TIMEOUT / 2);
            one.arrive(RawDatagram.send(1, 64 * 50, 64 * i, 64));
        }
        assertThat(one.received).hasSize(1);
        one.sourcePort = HONEST;
        one.arrive(RawDatagram.write(1, target.stag(), 0, 64, 0, 64));
        assertThat(one.refused(DatagramRefusal.TOO_MANY_SOURCES)).isEqualTo(1);
        one.sourcePort = 1000;
        one.arrive(RawDatagram.send(1, 64 * 50, 0, 64)); // a duplicate
        assertThat(one.refused(DatagramRefusal.LATE)).isEqualTo(1);
    }

    @Test
    @Conforms({"DG-016", "DG-018"})
    void whoHasNoRightLeavesNoTrace() {
        for (int i = 0; i < 1_000; i++) {
            engine.sourcePort = 1 + i;
            engine.arrive(RawDatagram.write(1, 0x1234_5678, 0, 256, 0, 64));
        }
        assertThat(engine.receiver.sources()).isZero();
        assertThat(engine.receiver.openMessages()).isZero();
        assertThat(engine.refusals).as("the rest is only counted").hasSize(100);
        assertThat(engine.refused(DatagramRefusal.ACCESS)).isEqualTo(1_000);
    }

    @Test
    @Conforms("DG-029")
    void errorsThatFindNoRoomAreCounted() {
        for (int i = 0; i < 300; i++) {
            RawDatagram wrong = RawDatagram.send(i, 64, 0, 64); // no receive
            wrong.versionAndKind = i % 2 == 0 ? 0x11 : 0x21;
            engine.arrive(wrong);
            engine.arrive(new byte[3]); // nobody's error
        }
        assertThat(engine.refusals).hasSize(100);
        assertThat(engine.counts.errorsDropped).isEqualTo(200);
    }
}
