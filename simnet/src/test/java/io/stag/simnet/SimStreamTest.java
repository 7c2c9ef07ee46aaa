package io.stag.simnet;

import static io.stag.simnet.StreamPair.counting;
import static io.stag.simnet.StreamPair.octets;
import static io.stag.simnet.StreamPair.read;
import static io.stag.simnet.StreamPair.write;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;

/** A stream behaves towards its user as a non-blocking TCP socket does. */
class SimStreamTest {
    private static int end(SimStream stream) throws IOException {
        return stream.read(MemorySegment.ofArray(new byte[1]), 0, 1);
    }

    @Test
    void octetsTravelBothWays() throws IOException {
        StreamPair pair = StreamPair.connect();
        assertThat(pair.server().readable()).isFalse();
        assertThat(write(pair.client(), octets(1, 2, 3))).isEqualTo(3);
        assertThat(write(pair.server(), octets(4))).isEqualTo(1);
        assertThat(read(pair.server())).as("nothing arrives without time").isEmpty();
        pair.settle();
        assertThat(pair.server().readable()).isTrue();
        assertThat(read(pair.server())).containsExactly(1, 2, 3);
        assertThat(read(pair.client())).containsExactly(4);
        assertThat(pair.client().octetsWritten()).isEqualTo(3);
        assertThat(pair.client().octetsDelivered()).isEqualTo(3);
        assertThat(pair.client().octetsRead()).isEqualTo(1);
        assertThat(pair.server().octetsRead()).isEqualTo(3);
    }

    @Test
    void offsetsAndLengthsAreKept() throws IOException {
        StreamPair pair = StreamPair.connect();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(8);
            memory.copyFrom(octets(1, 2, 3, 4, 5, 6, 7, 8));
            assertThat(pair.client().write(memory, 2, 4)).isEqualTo(4);
            pair.settle();
            assertThat(pair.server().read(memory, 5, 2)).isEqualTo(2);
            assertThat(memory.toArray(ValueLayout.JAVA_BYTE)).containsExactly(1, 2, 3, 4, 5, 3, 4, 8);
            assertThatThrownBy(() -> pair.client().write(memory, 7, 2)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> pair.server().read(memory, -1, 2)).isInstanceOf(IndexOutOfBoundsException.class);
        }
    }

    @Test
    void theWindowFillsAndOpensAgainWhenThePeerHasRead() throws IOException {
        StreamPair pair = StreamPair.connect(StreamFaults.builder().window(100).build());
        assertThat(write(pair.client(), counting(150))).isEqualTo(100);
        assertThat(pair.client().writable()).isFalse();
        pair.settle();
        assertThat(write(pair.client(), counting(150))).as("arrived, not read").isZero();
        assertThat(pair.server().read(MemorySegment.ofArray(new byte[30]), 0, 30))
                .isEqualTo(30);
        assertThat(pair.client().writable()).as("has not heard of it").isFalse();
        assertThat(pair.network().step()).as("the news is an event").isTrue();
        assertThat(write(pair.client(), counting(150))).isEqualTo(30);
    }

    @Test
    void shutdownOutputLetsThePeerAnswer() throws IOException {
        StreamPair pair = StreamPair.connect();
        write(pair.client(), octets(1));
        pair.client().shutdownOutput();
        assertThatThrownBy(() -> write(pair.client(), octets(2))).hasMessage("closed");
        assertThat(pair.client().writable()).isFalse();
        pair.settle();
        assertThat(read(pair.server())).containsExactly(1);
        assertThat(pair.server().readable()).as("the end is readable").isTrue();
        assertThat(end(pair.server())).isEqualTo(-1);
        assertThat(end(pair.server())).isEqualTo(-1);
        write(pair.server(), octets(3));
        pair.server().close();
        pair.settle();
        assertThat(read(pair.client())).containsExactly(3);
        assertThat(end(pair.client())).isEqualTo(-1);
        assertThat(pair.client().failed()).isFalse();
    }

    @Test
    void closeDeliversWhatWasWrittenAndThenTheEnd() throws IOException {
        StreamPair pair = StreamPair.connect();
        write(pair.client(), octets(1, 2));
        pair.client().close();
        assertThatThrownBy(() -> read(pair.client())).hasMessage("closed");
        assertThatThrownBy(() -> write(pair.client(), octets(1))).hasMessage("closed");
        pair.settle();
        assertThat(read(pair.server())).containsExactly(1, 2);
        assertThat(end(pair.server())).isEqualTo(-1);
    }

    @Test
    void closeWithUnreadInputResetsThePeer() throws IOException {
        StreamPair pair = StreamPair.connect();
        write(pair.server(), octets(1));
        pair.settle();
        pair.client().close();
        pair.settle();
        assertThat(pair.server().failed()).isTrue();
        assertThat(pair.server().readable()).isTrue();
        assertThat(pair.server().writable()).isTrue();
        assertThatThrownBy(() -> read(pair.server())).hasMessage("connection reset");
        assertThatThrownBy(() -> write(pair.server(), octets(1))).hasMessage("connection reset");
    }

    @Test
    void inputThatArrivesAfterCloseResetsThePeer() throws IOException {
        StreamPair pair = StreamPair.connect();
        pair.client().close();
        pair.settle();
        assertThat(end(pair.server())).isEqualTo(-1);
        write(pair.server(), octets(1));
        pair.settle();
        assertThat(pair.server().failed()).isTrue();
        assertThat(end(pair.server())).as("an end stays an end").isEqualTo(-1);
        assertThatThrownBy(() -> write(pair.server(), octets(1))).hasMessage("connection reset");
    }

    @Test
    void resetLeavesWhatHadArrivedToBeRead() throws IOException {
        StreamPair pair = StreamPair.connect();
        write(pair.client(), octets(1));
        pair.settle();
        pair.client().reset();
        assertThatThrownBy(() -> read(pair.client())).hasMessage("closed");
        pair.settle();
        assertThat(read(pair.server())).containsExactly(1);
        assertThatThrownBy(() -> read(pair.server()))
                .isInstanceOf(IOException.class)
                .hasMessage("connection reset");
    }

    @Test
    void resetMayTakeWhatHadArrivedWithIt() throws IOException {
        StreamPair pair = StreamPair.connect(
                StreamFaults.builder().resetDiscardsInput(true).build());
        write(pair.client(), octets(1));
        pair.settle();
        pair.client().reset();
        pair.settle();
        assertThatThrownBy(() -> read(pair.server())).hasMessage("connection reset");
    }

    @Test
    void resetOvertakesWhatIsStalled() throws IOException {
        StreamPair pair = StreamPair.connect(
                StreamFaults.builder().stalls(1, 1_000_000_000L).build());
        write(pair.client(), octets(1));
        pair.client().reset();
        pair.settle();
        assertThat(pair.server().failed()).isTrue();
        assertThat(pair.server().octetsRead()).isZero();
        assertThatThrownBy(() -> read(pair.server())).hasMessage("connection reset");
    }

    @Test
    void captureKeepsTheFirstOctetsAsTheyWereWritten() throws IOException {
        StreamPair pair = StreamPair.connect(StreamFaults.builder().corruptAt(1).build());
        write(pair.client(), octets(9));
        pair.client().capture(4);
        write(pair.client(), octets(1, 2, 3));
        write(pair.client(), octets(4, 5, 6));
        assertThat(pair.client().captured()).containsExactly(1, 2, 3, 4);
        assertThat(pair.server().captured()).isEmpty();
    }
}
