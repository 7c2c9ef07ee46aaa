package io.stag.cli.perf;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.verbs.AddressHandle;
import io.stag.verbs.DatagramInfo;
import io.stag.verbs.ProgressMode;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Questions and answers of the bandwidth tests without connection. */
class DatagramEndIT {
    private static final RunSpec SPEC = new RunSpec(
            PerfTest.SEND_BW,
            64,
            true,
            false,
            ProgressMode.SHARED,
            WaitMode.POLL,
            TransportPath.NIO,
            1_472,
            8,
            1,
            0,
            Transport.UDP,
            0,
            0);

    /** Keeps what was asked, in order. */
    private static final class Values implements DatagramEnd.Handler {
        private final List<Long> asked = new ArrayList<>();

        @Override
        public void arrived(DatagramInfo info, long octets) {}

        @Override
        public void probed(DatagramInfo info, long value) {
            asked.add(value);
        }

        @Override
        public void sent() {}
    }

    @Test
    void aQuestionKeepsItsValueThoughAnotherOneCameBeforeAnybodyLooked() {
        InetAddress loopback = InetAddress.getLoopbackAddress();
        try (DatagramEnd asking = new DatagramEnd(SPEC, loopback, DatagramEnd.FEW);
                DatagramEnd answering = new DatagramEnd(SPEC, loopback, DatagramEnd.FEW)) {
            AddressHandle peer = asking.queuePair.address(answering.queuePair.localAddress());
            asking.postProbe(asking.question(peer, answering.buffers()), 7);
            asking.postProbe(asking.question(peer, answering.buffers()), 8);
            while (answering.queuePair.counters().recordsComplete() < 2) {
                Thread.onSpinWait(); // its agent places both
                answering.checkSilence();
            }
            Values values = new Values();
            while (values.asked.size() < 2) {
                answering.poll(values);
                answering.checkSilence();
            }
            assertThat(values.asked).containsExactly(7L, 8L);
        }
    }
}
