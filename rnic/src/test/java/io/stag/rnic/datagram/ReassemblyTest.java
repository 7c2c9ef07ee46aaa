package io.stag.rnic.datagram;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.rnic.datagram.EngineFixture.Received;
import io.stag.rnic.datagram.EngineFixture.Written;
import io.stag.rnic.memory.SoftMemoryRegion;
import io.stag.simnet.Conforms;
import io.stag.verbs.CompletionStatus;
import io.stag.verbs.DatagramRefusal;
import io.stag.verbs.WorkCompletions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Messages of several datagrams, and what becomes of those that stay incomplete. */
class ReassemblyTest {
    private static final long MILLISECOND = EngineFixture.MILLISECOND;

    private final EngineFixture engine = new EngineFixture();

    private static List<List<Integer>> orders(int count) {
        if (count == 0) {
            return List.of(List.of());
        }
        List<List<Integer>> result = new ArrayList<>();
        for (List<Integer> shorter : orders(count - 1)) {
            for (int at = 0; at < count; at++) {
                List<Integer> order = new ArrayList<>(shorter);
                order.add(at, count - 1);
                result.add(order);
            }
        }
        return result;
    }

    /** So that nothing is given up because of an order that was never seen. */
    private void teachReordering(EngineFixture fixture) {
        fixture.post(900, 192);
        fixture.arrive(RawDatagram.send(1, 192, 64, 64));
        fixture.pass(MILLISECOND);
        fixture.arrive(RawDatagram.send(1, 192, 0, 64));
        fixture.arrive(RawDatagram.send(1, 192, 128, 64));
        assertThat(fixture.received).hasSize(1);
        fixture.received.clear();
    }

    @Test
    void whoeverSeesARecordFindsItCountedAndMarked() {
        SoftMemoryRegion target = engine.region(256);
        List<String> seen = new ArrayList<>();
        engine.onRecord = () -> seen.add(target.snapshot().remoteWrites() + " " + EngineFixture.takeValidity(target));
        engine.arrive(RawDatagram.write(1, target.stag(), 64, 128, 0, 128));
        assertThat(seen).containsExactly("1 0110");
    }

    @Test
    @Conforms({"DG-023", "DG-024"})
    void aSendIsDeliveredWhicheverSegmentIsLast() {
        for (List<Integer> order : orders(4)) {
            EngineFixture fixture = new EngineFixture();
            teachReordering(fixture);
            SoftMemoryRegion buffer = fixture.post(5, 250);
            for (int i = 0; i < 4; i++) {
                assertThat(fixture.received).isEmpty();
                int offset = order.get(i) * 64;
                fixture.arrive(RawDatagram.send(2, 230, offset, Math.min(64, 230 - offset))
                        .solicited());
            }
            assertThat(fixture.received)
                    .as("%s", order)
                    .containsExactly(new Received(5, CompletionStatus.SUCCESS, 230, WorkCompletions.SOLICITED, 1000));
            assertThat(EngineFixture.octets(buffer, 0, 230)).isEqualTo(RawDatagram.octets(2, 0, 230));
            assertThat(fixture.receiver.openMessages()).isZero();
        }
    }

    @Test
    @Conforms({"DG-023", "DG-025"})
    void aWriteRecordIsRecordedOnceWhicheverSegmentIsLast() {
        for (List<Integer> order : orders(4)) {
            EngineFixture fixture = new EngineFixture();
            teachReordering(fixture);
            SoftMemoryRegion target = fixture.region(512);
            for (int i = 0; i < 4; i++) {
                assertThat(fixture.written).isEmpty();
                int offset = order.get(i) * 64;
                fixture.arrive(RawDatagram.write(2, target.stag(), 100, 230, offset, Math.min(64, 230 - offset)));
            }
            assertThat(fixture.written)
                    .as("%s", order)
                    .containsExactly(new Written(1000, target.stag(), 100, 230, 230, true, 0, "1111"));
            assertThat(EngineFixture.octets(target, 100, 230)).isEqualTo(RawDatagram.octets(2, 0, 230));
            assertThat(EngineFixture.takeValidity(target)).isEqualTo("01111100");
            assertThat(EngineFixture.takeValidity(target)).isEqualTo("00000000");
        }
    }

    @Test
    @Conforms("DG-001")
    void takesDatagramsThatTheSystemJoined() {
        SoftMemoryRegion target = engine.region(512);
        byte[] first = RawDatagram.write(1, target.stag(), 0, 150, 0, 64).octets();
        byte[] second = RawDatagram.write(1, target.stag(), 0, 150, 64, 64).octets();
        byte[] third = RawDatagram.write(1, target.stag(), 0, 150, 128, 22).octets();
        byte[] joined = Arrays.copyOf(first, first.length + second.length + third.length);
        System.arraycopy(second, 0, joined, first.length, second.length);
        System.arraycopy(third, 0, joined, first.length + second.length, third.length);
        engine.arrive(joined, first.length);
        assertThat(engine.written).singleElement().matches(Written::complete);
        assertThat(engine.counts.datagramsReceived).isEqualTo(3);
    }

    @Test
    @Conforms("DG-012")
    void octetsOfAnOpenMessageArePlacedOnce() {
        SoftMemoryRegion target = engine.region(512);
        engine.arrive(RawDatagram.write(1, target.stag(), 0, 256, 0, 64));
        target.segment().fill((byte) 0x55);
        engine.arrive(RawDatagram.write(1, target.stag(), 0, 256, 0, 64));
        assertThat(engine.refused(DatagramRefusal.DUPLICATE)).isEqualTo(1);
        assertThat(EngineFixture.octets(target, 0, 512)).containsOnly(0x55);
    }

    @Test
    @Conforms("DG-011")
    void aSegmentThatContradictsEarlierOnesIsRefused() {
        SoftMemoryRegion target = engine.region(1024);
        SoftMemoryRegion other = engine.region(1024);
        engine.post(1, 1024);
        engine.arrive(RawDatagram.write(1, target.stag(), 0, 512, 128, 128));
        engine.arrive(RawDatagram.write(1, target.stag(), 0, 576, 0, 64)); // another length
        engine.arrive(RawDatagram.write(1, target.stag(), 64, 512, 0, 64)); // another place
        engine.arrive(RawDatagram.write(1, other.stag(), 0, 512, 0, 64)); // other memory
        engine.arrive(RawDatagram.send(1, 512, 0, 64)); // another kind
        engine.arrive(RawDatagram.write(1, target.stag(), 0, 512, 64, 128)); // half of it is there
        engine.arrive(RawDatagram.write(1, target.stag(), 0, 512, 0, 64).solicited());
        engine.arrive(RawDatagram.write(1, target.stag(), 0, 0, 0, 0)); // nothing at all
        assertThat(engine.refused(DatagramRefusal.INCONSISTENT)).isEqualTo(7);
        assertThat(EngineFixture.octets(target, 0, 128)).containsOnly(0);
        assertThat(EngineFixture.octets(other, 0, 1024)).containsOnly(0);
    }

    @Test
    @Conforms("DG-021")
    void messagesOfDifferentSourcesAndEpochsAreNotMixed() {
        SoftMemoryRegion target = engine.region(1024);
        engine.arrive(RawDatagram.write(1, target.stag(), 0, 128, 0, 64));
        RawDatagram successor = RawDatagram.write(1, target.stag(), 0, 128, 64, 64);
        successor.epoch++;
        engine.arrive(successor);
        engine.sourcePort++;
        engine.arrive(RawDatagram.write(1, target.stag(), 0, 128, 64, 64));
        assertThat(engine.written).noneMatch(Written::complete);
        assertThat(engine.receiver.sources()).isEqualTo(3);
    }

    @Test
    @Conforms("DG-021")
    void messagesFromDifferentAddressesAreNotMixed() {
        SoftMemoryRegion target = engine.region(1024);
        engine.arrive(RawDatagram.write(1, target.stag(), 0, 128, 0, 64));
        RawDatagram rest = RawDatagram.write(1, target.stag(), 0, 128, 64, 64);
        engine.sourceLow++; // another host
        engine.arrive(rest);
        engine.sourceHigh = 0xFE80_0000_0000_0000L; // another network
        engine.arrive(rest);
        engine.sourceScope = 2; // another link with such an address
        engine.arrive(rest);
        assertThat(engine.written).noneMatch(Written::complete);
        assertThat(engine.receiver.sources()).isEqualTo(4);
    }

    @Test
    @Conforms("DG-013")
    void nothingOfAClosedMessageIsTaken() {
        SoftMemoryRegion target = engine.region(1024);
        engine.arrive(RawDatagram.write(1, target.stag(), 0, 64, 0, 64));
        engine.arrive(RawDatagram.write(2, target.stag(), 64, 128, 0, 64));
        engine.pass(EngineFixture.MAX_TIMEOUT);
        assertThat(engine.written).hasSize(2);
        target.segment().fill((byte) 0x55);
        engine.arrive(RawDatagram.write(1, target.stag(), 0, 64, 0, 64)); // a duplicate
        engine.arrive(RawDatagram.write(2, target.stag(), 64, 128, 64, 64)); // too late
        engine.arrive(RawDatagram.write(2, target.stag(), 64, 128, 0, 64)); // both
        assertThat(engine.refused(DatagramRefusal.LATE)).isEqualTo(3);
        assertThat(EngineFixture.octets(target, 0, 1024)).containsOnly(0x55);
        assertThat(engine.written).hasSize(2);
        assertThat(EngineFixture.takeValidity(target)).isEqualTo("1100000000000000");
    }

    @Test
    @Conforms({"DG-014", "DG-013"})
    void theRestOfAMessageWithoutReceiveFindsNoReceiveThatCameLater() {
        engine.arrive(RawDatagram.send(1, 128, 0, 64));
        SoftMemoryRegion buffer = engine.post(1, 128);
        engine.arrive(RawDatagram.send(1, 128, 64, 64));
        assertThat(engine.refused(DatagramRefusal.NO_RECEIVE)).isEqualTo(1);
        assertThat(engine.refused(DatagramRefusal.LATE)).isEqualTo(1);
        assertThat(EngineFixture.octets(buffer, 0, 128)).containsOnly(0);
        engine.arrive(RawDatagram.send(2, 128, 0, 128));
        assertThat(engine.received).hasSize(1);
    }

    @Test
    @Conforms({"DG-013", "DG-014", "DG-015"})
    void aSendThatFoundNoReceiveIsClosedAlsoIfItCameInOneDatagram() {
        engine.arrive(RawDatagram.send(1, 64, 0, 64));
        engine.post(1, 64);
        engine.arrive(RawDatagram.send(2, 100, 0, 100));
        engine.post(2, 128);
        engine.arrive(RawDatagram.send(1, 64, 0, 64)); // duplicates
        engine.arrive(RawDatagram.send(2, 100, 0, 100));
        assertThat(engine.refused(DatagramRefusal.NO_RECEIVE)).isEqualTo(1);
        assertThat(engine.refused(DatagramRefusal.RECEIVE_TOO_SHORT)).isEqualTo(1);
        assertThat(engine.refused(DatagramRefusal.LATE)).isEqualTo(2);
        assertThat(engine.received).isEmpty();
        engine.arrive(RawDatagram.send(3, 64, 0, 64));
        assertThat(engine.received).containsExactly(new Received(1, CompletionStatus.SUCCESS, 64, 0, 1000));
    }

    @Test
    @Conforms({"DG-024", "DG-026"})
    void theReceiveOfASendThatIsGivenUpTakesTheNext() {
        SoftMemoryRegion buffer = engine.post(1, 256);
        engine.arrive(RawDatagram.send(1, 256, 0, 64));
        engine.pass(EngineFixture.MAX_TIMEOUT - 1);
        assertThat(engine.receiver.openMessages()).isEqualTo(1);
        engine.pass(1);
        assertThat(engine.receiver.openMessages()).isZero();
        assertThat(engine.received).isEmpty();
        assertThat(engine.counts.messagesTimedOut).isEqualTo(1);
        engine.arrive(RawDatagram.send(2, 100, 0, 100));
        assertThat(engine.received).containsExactly(new Received(1, CompletionStatus.SUCCESS, 100, 0, 1000));
        assertThat(EngineFixture.octets(buffer, 0, 100)).isEqualTo(RawDatagram.octets(2, 0, 100));
    }

    @Test
    @Conforms({"DG-025", "DG-026"})
    void aWriteRecordThatIsGivenUpIsRecordedWithWhatCame() {
        SoftMemoryRegion target = engine.region(1024);
        engine.arrive(RawDatagram.write(1, target.stag(), 0, 600, 64, 64));
        engine.arrive(RawDatagram.write(1, target.stag(), 0, 600, 256, 128));
        engine.pass(EngineFixture.MAX_TIMEOUT);
        assertThat(engine.written)
                .containsExactly(new Written(1000, target.stag(), 0, 600, 192, false, 0, "0100110000"));
        assertThat(EngineFixture.takeValidity(target)).isEqualTo("0100110000000000");
    }

    @Test
    @Conforms({"DG-016", "DG-025"})
    void aWriteRecordDoesNotGoOnInOtherMemoryOfItsStag() {
        int stag = 0x00AB_CD01;
        engine.regionAs(stag, 256).close();
        SoftMemoryRegion former = engine.regionAs(stag, 256);
        engine.arrive(RawDatagram.write(1, stag, 0, 192, 0, 64));
        former.close();
        SoftMemoryRegion present = engine.regionAs(stag, 256);
        engine.arrive(RawDatagram.write(1, stag, 0, 192, 64, 64));
        engine.arrive(RawDatagram.write(1, stag, 0, 192, 128, 64));
        assertThat(engine.refused(DatagramRefusal.ACCESS)).isEqualTo(1);
        assertThat(engine.refused(DatagramRefusal.LATE)).isEqualTo(1);
        assertThat(EngineFixture.octets(present, 0, 256)).containsOnly(0);
        assertThat(EngineFixture.takeValidity(present)).isEqualTo("0000");
        assertThat(engine.written).as("it would name octets that are not there").isEmpty();
    }

    @Test
    @Conforms("DG-025")
    void aWriteRecordThatIsGivenUpIsNotRecordedWhenItsStagStandsForOtherMemory() {
        int stag = 0x00AB_CD01;
        SoftMemoryRegion former = engine.regionAs(stag, 256);
        engine.arrive(RawDatagram.write(1, stag, 0, 128, 0, 64));
        engine.sourcePort++;
        engine.arrive(RawDatagram.write(1, stag, 128, 128, 0, 64));
        former.close();
        engine.pass(EngineFixture.MAX_TIMEOUT);
        assertThat(engine.written).as("the STag stands for nothing").hasSize(2);
        former = engine.regionAs(stag, 256);
        engine.arrive(RawDatagram.write(2, stag, 0, 128, 0, 64));
        former.close();
        engine.regionAs(stag, 256);
        engine.pass(EngineFixture.MAX_TIMEOUT);
        assertThat(engine.written).hasSize(2);
        assertThat(engine.receiver.openMessages()).isZero();
    }

    @Test
    @Conforms("DG-026")
    void theTimeOutFollowsTheGaps() {
        SoftMemoryRegion target = engine.region(1 << 20);
        for (int i = 0; i < 8; i++) {
            engine.arrive(RawDatagram.write(1, target.stag(), 0, 1024, 64 * i, 64));
            engine.pass(3 * MILLISECOND);
        }
        assertThat(engine.receiver.openMessages()).isEqualTo(1);
        engine.pass(9 * MILLISECOND - 1); // 12 ms after the last, four times the gap
        assertThat(engine.receiver.openMessages()).isEqualTo(1);
        engine.pass(1);
        assertThat(engine.receiver.openMessages()).isZero();
        assertThat(engine.written).hasSize(1);
        // gaps that are gone are forgotten, slowly
        for (int i = 0; i < 16_000; i++) {
            engine.arrive(RawDatagram.write(2, target.stag(), 0, 1 << 20, 64 * i, 64));
        }
        engine.pass(EngineFixture.MIN_TIMEOUT - 1);
        assertThat(engine.receiver.openMessages()).isEqualTo(1);
        engine.pass(1);
        assertThat(engine.receiver.openMessages()).isZero();
    }

    @Test
    @Conforms("DG-027")
    void aMessageWhoseEndCameIsGivenUpAtOnceWhereNothingIsOvertaken() {
        SoftMemoryRegion target = engine.region(1024);
        engine.arrive(RawDatagram.write(1, target.stag(), 0, 256, 0, 64));
        engine.arrive(RawDatagram.write(1, target.stag(), 0, 256, 192, 64));
        assertThat(engine.written).singleElement().extracting(Written::map).isEqualTo("1001");
        engine.arrive(RawDatagram.write(2, target.stag(), 0, 256, 0, 64));
        engine.arrive(RawDatagram.write(3, target.stag(), 0, 64, 0, 64)); // a later message, a short one
        assertThat(engine.written).extracting(Written::map).containsExactlyInAnyOrder("1001", "1000", "1");
        engine.arrive(RawDatagram.write(4, target.stag(), 0, 256, 0, 64));
        engine.arrive(RawDatagram.write(5, target.stag(), 0, 256, 0, 64)); // a later message, a long one
        assertThat(engine.written).hasSize(4);
        assertThat(engine.counts.messagesTimedOut).isZero();
        assertThat(engine.receiver.openMessages()).isEqualTo(1);
    }

    @Test
    @Conforms("DG-027")
    void whereDatagramsOvertakeEachOtherLateOnesAreAwaited() {
        SoftMemoryRegion target = engine.region(1024);
        engine.arrive(RawDatagram.write(1, target.stag(), 0, 256, 0, 192));
        engine.arrive(RawDatagram.write(2, target.stag(), 0, 64, 0, 64));
        engine.pass(2 * MILLISECOND);
        engine.arrive(RawDatagram.write(1, target.stag(), 0, 256, 192, 64)); // lost by impatience, once
        assertThat(engine.refused(DatagramRefusal.LATE)).isEqualTo(1);
        engine.written.clear();
        engine.arrive(RawDatagram.write(3, target.stag(), 0, 256, 64, 192));
        engine.pass(3 * MILLISECOND);
        engine.arrive(RawDatagram.write(3, target.stag(), 0, 256, 0, 64));
        assertThat(engine.written).singleElement().matches(Written::complete);
        engine.arrive(RawDatagram.write(4, target.stag(), 0, 256, 64, 192));
        engine.pass(100 * MILLISECOND);
        assertThat(engine.written).hasSize(2);
        assertThat(engine.written.getLast().map()).isEqualTo("0111");
    }

    @Test
    @Conforms("DG-027")
    void whatIsOvertakenAmongDatagramsThatComeAtOnceIsAwaitedToo() {
        int messages = 2_000;
        for (int id = 1; id <= messages; id++) {
            engine.post(id, 192);
            engine.arrive(RawDatagram.send(id, 192, 0, 64));
            engine.arrive(RawDatagram.send(id, 192, 128, 64));
            engine.arrive(RawDatagram.send(id, 192, 64, 64));
            engine.pass(MILLISECOND);
        }
        assertThat(engine.refused(DatagramRefusal.LATE))
                .as("lost by impatience, once")
                .isEqualTo(1);
        assertThat(engine.received).hasSize(messages - 1);
    }

    @Test
    @Conforms("DG-027")
    void aTailThatComesAtOnceWithTheMessageThatOvertookItIsAwaitedToo() {
        SoftMemoryRegion target = engine.region(1024);
        int pairs = 1_000;
        for (int id = 1; id < 2 * pairs; id += 2) {
            engine.arrive(RawDatagram.write(id, target.stag(), 0, 128, 0, 64));
            engine.arrive(RawDatagram.write(id + 1, target.stag(), 0, 128, 0, 64));
            engine.arrive(RawDatagram.write(id, target.stag(), 0, 128, 64, 64));
            engine.arrive(RawDatagram.write(id + 1, target.stag(), 0, 128, 64, 64));
            engine.pass(MILLISECOND);
        }
        assertThat(engine.refused(DatagramRefusal.LATE))
                .as("lost by impatience, once")
                .isEqualTo(1);
        assertThat(engine.written).filteredOn(Written::complete).hasSize(2 * pairs - 1);
    }

    @Test
    @Conforms({"DG-027", "DG-032"})
    void aLaterSendGetsTheReceiveOfTheOneWhoseTailIsLost() {
        engine.post(1, 256);
        engine.arrive(RawDatagram.send(1, 256, 0, 64));
        engine.arrive(RawDatagram.send(2, 256, 0, 64)); // a long one
        engine.arrive(RawDatagram.send(3, 64, 0, 64)); // a short one
        assertThat(engine.received).containsExactly(new Received(1, CompletionStatus.SUCCESS, 64, 0, 1000));
        assertThat(engine.refusals).isEmpty();
        assertThat(engine.receiver.openMessages()).isZero();
    }

    @Test
    @Conforms({"DG-027", "DG-032"})
    void aLaterMessageGetsThePlaceOfTheOneWhoseTailIsLost() {
        EngineFixture one = new EngineFixture(EngineFixture.settings(16, 1, 1 << 16, 64));
        SoftMemoryRegion target = one.region(1024);
        one.post(1, 128);
        one.arrive(RawDatagram.write(1, target.stag(), 0, 256, 0, 64));
        one.arrive(RawDatagram.write(2, target.stag(), 256, 192, 0, 64));
        one.arrive(RawDatagram.send(3, 128, 0, 64));
        one.arrive(RawDatagram.send(3, 128, 64, 64));
        assertThat(one.written).extracting(Written::map).containsExactly("1000", "100");
        assertThat(one.received).hasSize(1);
        assertThat(one.refusals).isEmpty();
    }

    @Test
    @Conforms({"DG-027", "DG-038"})
    void messagesOfWhichMoreWasAnnouncedStayOpen() {
        SoftMemoryRegion target = engine.region(1024);
        arriveWithoutTheirEnds(target);
        engine.pass(EngineFixture.MIN_TIMEOUT - 1);
        assertThat(engine.receiver.openMessages()).isEqualTo(3);
        for (int id = 1; id <= 3; id++) {
            engine.arrive(RawDatagram.write(id, target.stag(), 0, 100, 64, 36));
        }
        assertThat(engine.written).hasSize(3).allMatch(Written::complete);
        assertThat(engine.receiver.openMessages()).isZero();
    }

    @Test
    @Conforms({"DG-027", "DG-038"})
    void whatWasAnnouncedAndLeftOutIsLostWhenLaterSegmentsCome() {
        SoftMemoryRegion target = engine.region(1024);
        arriveWithoutTheirEnds(target);
        engine.arrive(RawDatagram.write(2, target.stag(), 0, 100, 64, 36)); // so that of message 1 is lost
        assertThat(engine.written).extracting(Written::map).containsExactly("10", "11");
        assertThat(engine.receiver.openMessages()).isEqualTo(1);
        engine.arrive(RawDatagram.write(4, target.stag(), 0, 64, 0, 64));
        assertThat(engine.written).extracting(Written::map).containsExactly("10", "11", "10", "1");
        assertThat(engine.counts.messagesTimedOut).isZero();
    }

    /** Messages 1 to 3. */
    private void arriveWithoutTheirEnds(SoftMemoryRegion target) {
        engine.arrive(RawDatagram.write(1, target.stag(), 0, 100, 0, 64));
        engine.arrive(RawDatagram.write(2, target.stag(), 0, 100, 0, 64).withEarlierFollowing());
        engine.arrive(RawDatagram.write(3, target.stag(), 0, 100, 0, 64).withEarlierFollowing());
    }

    @Test
    @Conforms({"DG-026", "DG-038"})
    void whatWasAnnouncedIsAwaitedLonger() {
        SoftMemoryRegion target = engine.region(1024);
        engine.arrive(RawDatagram.write(1, target.stag(), 0, 200, 0, 64));
        engine.arrive(RawDatagram.write(1, target.stag(), 0, 200, 64, 64)); // so it knows of gaps
        engine.arrive(RawDatagram.write(2, target.stag(), 0, 200, 0, 64).withEarlierFollowing());
        engine.pass(EngineFixture.MIN_TIMEOUT);
        assertThat(engine.written).extracting(Written::map).containsExactly("1000");
        engine.pass(EngineFixture.MAX_TIMEOUT - EngineFixture.MIN_TIMEOUT - 1);
        assertThat(engine.receiver.openMessages()).isEqualTo(1);
        engine.pass(1);
        assertThat(engine.written).extracting(Written::map).containsExactly("1000", "1100");
    }

    @Test
    @Conforms("DG-020")
    void messageNumbersMaySkipAndWrap() {
        SoftMemoryRegion target = engine.region(1024);
        for (int id : new int[] {-5, -1, 0, 700, 100_000, 1 << 30, Integer.MIN_VALUE}) {
            engine.arrive(RawDatagram.write(id, target.stag(), 0, 64, 0, 64));
            engine.arrive(RawDatagram.write(id, target.stag(), 0, 64, 0, 64));
        }
        assertThat(engine.written).hasSize(7);
        assertThat(engine.refused(DatagramRefusal.LATE)).isEqualTo(7);
        engine.arrive(RawDatagram.write(Integer.MIN_VALUE - 1023, target.stag(), 0, 64, 0, 64));
        assertThat(engine.written).hasSize(8);
        engine.arrive(RawDatagram.write(Integer.MIN_VALUE - 1024, target.stag(), 0, 64, 0, 64));
        assertThat(engine.written).as("too old to be known").hasSize(8);
    }
}
