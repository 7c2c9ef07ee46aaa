package io.stag.rnic.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.simnet.Seeds;
import java.io.IOException;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class LinuxSelectIT extends SelectContract {
    @Override
    Transport open() throws IOException {
        return LinuxTests.open();
    }

    /** NIO reports it for ever: an agent with such a stream would not come to rest. */
    @Test
    void theEndOfInputIsReportedUntilItIsRead() throws IOException {
        Transport transport = transport();
        Pair pair = pair(transport);
        pair.client.finishOutput();
        until(() -> pair.serverReady.calls > 1, transport);
        awaitEnd(transport, pair.server);
        int before = pair.serverReady.calls;
        drive(transport);
        assertThat(pair.serverReady.calls).isEqualTo(before);

        pair.server.awaitWritable(true);
        drive(transport);
        assertThat(pair.serverReady.calls).isEqualTo(before + 1);
        pair.server.awaitWritable(false);
        drive(transport);
        assertThat(pair.serverReady.calls).isEqualTo(before + 1);

        pair.client.abort();
        until(() -> pair.serverReady.calls > before + 1, transport);
        pair.close();
    }

    @Test
    void aPolledStreamIsReportedForOutputOnlyAndForInputAtOnceWhenPollingEnds() throws IOException {
        long seed = Seeds.all().findFirst().orElseThrow();
        SplittableRandom random = new SplittableRandom(seed);
        Transport transport = transport();
        Pair pair = pair(transport);
        send(pair.client, "ab");
        until(() -> pair.serverReady.calls > 0, transport);
        boolean polled = false;
        boolean writable = false;
        for (int i = 0; i < 200; i++) { // the input waits all the time
            if (random.nextBoolean()) {
                polled = random.nextBoolean();
                pair.server.pollsInput(polled);
            } else {
                writable = random.nextBoolean();
                pair.server.awaitWritable(writable);
            }
            int before = pair.serverReady.calls;
            drive(transport);
            assertThat(pair.serverReady.calls - before)
                    .as("polled %s, output awaited %s, %s", polled, writable, Seeds.replay(seed))
                    .isEqualTo(!polled || writable ? 1 : 0);
        }
        assertThat(receive(transport, pair.server, 2)).isEqualTo("ab");
        pair.close();
    }

    @Test
    void theEndOfAPolledStreamIsReportedWhenPollingEnds() throws IOException {
        Transport transport = transport();
        Pair pair = pair(transport);
        pair.server.pollsInput(true);
        pair.client.close();
        awaitEnd(transport, pair.server); // by looking
        assertThat(pair.serverReady.calls).isZero();

        Pair next = pair(transport);
        next.server.pollsInput(true);
        next.client.abort();
        next.server.pollsInput(false);
        until(() -> next.serverReady.calls > 0, transport);
        pair.close();
        next.close();
    }

    @Test
    void aStreamMayBeClosedOrMovedWhileItIsPolled() throws IOException {
        Transport transport = transport();
        Pair pair = pair(transport);
        int open = openDescriptors();
        send(pair.client, "ab");
        pair.server.pollsInput(true);
        pair.server.close();
        pair.server.pollsInput(false); // too late, and no error
        settle(transport);
        assertThat(openDescriptors()).isEqualTo(open - 1);

        Pair next = pair(transport); // perhaps with the same descriptor
        send(next.client, "cd");
        until(() -> next.serverReady.calls > 0, transport);
        assertThat(pair.serverReady.calls).isZero();
        next.server.pollsInput(true);
        next.server.release();
        Transport other = transport();
        Handler moved = new Handler();
        other.adopt(next.server, moved);
        until(() -> moved.calls > 0, other);
        pair.client.close();
        next.client.close();
        next.server.close();
        settle(transport);
        settle(other);
    }
}
