package io.stag.cli.perf;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;

class DeliveryTest {
    @Test
    void countsWhatWasLostOneWay() {
        Delivery delivery = Delivery.of(100, 10, new Arrivals(90, 4, 925));
        assertThat(delivery).isEqualTo(new Delivery(100, 90, 4, 6, 92.5));
        assertThat(Delivery.of(0, 10, new Arrivals(0, 0, 0)).octetsPercent()).isEqualTo(100);
    }

    @Test
    void countsRoundTrips() {
        assertThat(Delivery.ofRoundTrips(3, 1)).isEqualTo(new Delivery(4, 3, 0, 1, 75));
    }

    @Test
    void goodputIsWhatArrived() {
        Samples samples = new Samples(SamplesTest.spec(PerfTest.WRITE_RECORD_BW, 1_000));
        samples.record(1);
        samples.record(1);
        samples.elapsed(1_000_000_000L);
        PerfResult result = samples.result(new Meters(0, 0), new Arrivals(1, 1, 1_600));
        assertThat(result.mbPerS()).isEqualTo(0.002);
        assertThat(result.msgsPerS()).isEqualTo(2);
        assertThat(result.transport()).isEqualTo("udp");
        assertThat(result.crc()).isTrue();
        assertThat(result.markers()).as("there are none in datagrams").isNull();
        assertThat(result.congestionControl()).as("UDP has none").isNull();
        assertThat(result.delivery()).isEqualTo(new Delivery(2, 1, 1, 0, 80));
        assertThat(new Samples(SamplesTest.spec(PerfTest.TCP_BW, 8))
                        .result(new Meters(0, 0), null)
                        .delivery())
                .isNull();
    }

    @Test
    void theTableSaysWhatWasLost() {
        RunSpec spec = SamplesTest.spec(PerfTest.WRITE_RECORD_BW, 1_024);
        Samples samples = new Samples(spec);
        samples.record(1);
        StringWriter out = new StringWriter();
        ResultTable.print(
                List.of(samples.measurement(new Meters(0, 0), 0, new Arrivals(0, 1, 512))), new PrintWriter(out));
        assertThat(out.toString())
                .contains("write-record-bw, 1k octets: sent 1, received 0, in part 1, lost 0; 50.000 % of the octets");
    }
}
