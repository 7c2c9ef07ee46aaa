package io.stag.rnic.reliable;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.rnic.memory.SoftMemoryRegion;
import io.stag.rnic.reliable.ReliableNode.Sent;
import io.stag.rnic.reliable.ReliableWorld.Datagram;
import io.stag.rnic.reliable.ReliableWorld.Faults;
import io.stag.simnet.Conforms;
import io.stag.verbs.CompletionStatus;
import io.stag.wire.datagram.DatagramPrefix;
import io.stag.wire.datagram.ReliableHeader;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Whoever waits for nothing but the answer to a Read asks now and then whether there will be one (RD-036). */
class ReliableQuestionTest {
    private static final long SECOND = 1_000_000_000L;

    private final ReliableWorld world = new ReliableWorld(1);
    private final ReliableNode left = world.add(1);
    private final ReliableNode right = world.add(2);

    private boolean isAnswer(Datagram datagram) {
        return datagram.from() == right.port && datagram.header().kind() == DatagramPrefix.DATA;
    }

    private boolean isQuestion(Datagram datagram) {
        ReliableHeader header = datagram.header();
        return datagram.from() == left.port
                && header.kind() == DatagramPrefix.ACKNOWLEDGEMENT
                && (header.flags() & ReliableHeader.ACK_WANTED_FLAG) != 0;
    }

    private long questions() {
        return world.sent.stream().filter(this::isQuestion).count();
    }

    /** The request of a Read has arrived and was acknowledged; its answer never comes. */
    @BeforeEach
    void readWithoutAnswer() {
        SoftMemoryRegion source = right.region(100);
        SoftMemoryRegion sink = left.region(100);
        world.lost = this::isAnswer;
        world.faults = new Faults(0, 0, 0, 10_000, 30_000); // else answer and acknowledgement would always leave as one
        world.recording = true;
        left.requests
                .to(right.handle())
                .read(1, source.stag(), 0)
                .into(sink, 0, 100)
                .post();
        world.run(SECOND);
        assertThat(left.sent).isEmpty();
    }

    @Test
    @Conforms("RD-036")
    void aPeerThatIsThereIsWaitedForUntilItGivesUpItself() {
        world.run(8 * SECOND);
        assertThat(questions()).isBetween(6L, 9L);
        assertThat(left.sent).as("it says that it is there").isEmpty();
        world.run(6 * SECOND);
        assertThat(left.sent).extracting(Sent::status).containsExactly(CompletionStatus.REM_OP_ERR);
        assertThat(left.failures).singleElement().asString().contains("RD-013", "has forgotten this one");
    }

    @Test
    @Conforms("RD-036")
    void anotherLifeRefusesSoThatNobodyWaitsForTheFormerOne() {
        world.add(new ReliableNode(right.port, 0x7777));
        world.run(3 * SECOND);
        assertThat(left.sent).extracting(Sent::status).containsExactly(CompletionStatus.REM_OP_ERR);
        assertThat(left.failures).singleElement().asString().contains("RD-013", "made anew");
    }

    @Test
    @Conforms("RD-036")
    void whoeverSaysNothingIsGivenUp() {
        world.lost = datagram -> datagram.from() == right.port;
        world.run(7 * SECOND);
        assertThat(left.sent).isEmpty();
        world.run(5 * SECOND);
        assertThat(left.sent).extracting(Sent::status).containsExactly(CompletionStatus.RESP_TIMEOUT_ERR);
        assertThat(left.failures).singleElement().asString().contains("RD-014");
    }
}
