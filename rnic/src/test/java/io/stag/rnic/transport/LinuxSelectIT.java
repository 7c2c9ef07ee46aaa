package io.stag.rnic.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
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
}
