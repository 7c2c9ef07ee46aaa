package io.stag.rnic.datagram;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.rnic.memory.SoftMemoryRegion;
import io.stag.simnet.Conforms;
import io.stag.verbs.DatagramRefusal;
import org.junit.jupiter.api.Test;

/** How long a source has been silent, though nobody asks for the time when a datagram comes alone. */
class SourceAgeTest {
    private static final long MILLISECOND = EngineFixture.MILLISECOND;
    private static final long IDLE = 1_000 * MILLISECOND;
    private static final int FIRST = 1000;
    private static final int SECOND = 2000;
    private static final int NEWCOMER = 3000;

    private int messages;

    private static EngineFixture ofSources(int most) {
        return new EngineFixture(EngineFixture.settings(16, 4, 1 << 16, most));
    }

    private void hear(EngineFixture engine, SoftMemoryRegion target, int port) {
        engine.sourcePort = port;
        engine.arrive(RawDatagram.write(++messages, target.stag(), 0, 64, 0, 64));
    }

    @Test
    void theClockIsAskedForWhatDependsOnTimeOnly() {
        EngineFixture engine = new EngineFixture();
        SoftMemoryRegion target = engine.region(1024);
        hear(engine, target, FIRST);
        assertThat(engine.timesAsked).as("somebody new").isEqualTo(1);
        hear(engine, target, FIRST);
        hear(engine, target, FIRST);
        assertThat(engine.timesAsked).as("a lone message").isEqualTo(1);
        engine.receiver.nothingCame(engine.clock);
        engine.receiver.nothingCame(engine.clock);
        assertThat(engine.timesAsked).as("once behind it").isEqualTo(2);
        engine.arrive(RawDatagram.write(++messages, target.stag(), 0, 256, 0, 64));
        assertThat(engine.timesAsked).as("part of a message").isEqualTo(3);
    }

    @Test
    @Conforms("DG-018")
    void whoWasHeardJustNowIsNotForgotten() {
        EngineFixture engine = ofSources(1);
        SoftMemoryRegion target = engine.region(1024);
        hear(engine, target, FIRST);
        engine.pass(2 * IDLE);
        hear(engine, target, FIRST);
        hear(engine, target, NEWCOMER);
        assertThat(engine.refused(DatagramRefusal.TOO_MANY_SOURCES)).isEqualTo(1);
    }

    @Test
    @Conforms("DG-018")
    void silenceCountsFromTheLookThatFoundNothing() {
        EngineFixture engine = ofSources(1);
        SoftMemoryRegion target = engine.region(1024);
        hear(engine, target, FIRST);
        engine.pass(2 * IDLE);
        hear(engine, target, FIRST);
        engine.receiver.nothingCame(engine.clock);
        engine.pass(IDLE - MILLISECOND);
        hear(engine, target, NEWCOMER);
        assertThat(engine.refused(DatagramRefusal.TOO_MANY_SOURCES)).isEqualTo(1);
        engine.pass(MILLISECOND);
        hear(engine, target, NEWCOMER);
        assertThat(engine.refused(DatagramRefusal.TOO_MANY_SOURCES)).isEqualTo(1);
        assertThat(engine.written).hasSize(3);
    }

    @Test
    @Conforms("DG-018")
    void silenceCountsFromTheMessageOfSomebodyElse() {
        EngineFixture engine = ofSources(2);
        SoftMemoryRegion target = engine.region(1024);
        hear(engine, target, FIRST);
        hear(engine, target, SECOND);
        engine.pass(2 * IDLE);
        hear(engine, target, FIRST);
        engine.pass(MILLISECOND);
        hear(engine, target, SECOND);
        engine.pass(IDLE - MILLISECOND);
        hear(engine, target, NEWCOMER);
        assertThat(engine.refused(DatagramRefusal.TOO_MANY_SOURCES)).isEqualTo(1);
        engine.pass(MILLISECOND);
        hear(engine, target, NEWCOMER);
        assertThat(engine.refused(DatagramRefusal.TOO_MANY_SOURCES)).isEqualTo(1);
        assertThat(engine.written).hasSize(5);
    }
}
