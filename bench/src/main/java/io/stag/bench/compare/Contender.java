package io.stag.bench.compare;

import io.stag.cli.perf.PerfTest;
import io.stag.cli.perf.RunSpec;
import io.stag.cli.perf.Transport;
import io.stag.cli.perf.WaitMode;
import io.stag.verbs.ProgressMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Who is compared, by the name that users write. */
enum Contender {
    TCP(PerfTest.TCP_LAT, PerfTest.TCP_BW, false),
    FRAMED(PerfTest.FRAMED_LAT, PerfTest.FRAMED_BW, true),
    WRITE(PerfTest.WRITE_LAT, PerfTest.WRITE_BW, true),
    SEND(PerfTest.SEND_LAT, PerfTest.SEND_BW, true),
    READ(PerfTest.READ_LAT, PerfTest.READ_BW, true),
    ATOMIC(PerfTest.ATOMIC_LAT, PerfTest.ATOMIC_LAT, true),
    NETTY(PerfTest.NETTY_LAT, PerfTest.NETTY_BW, false),
    AERON(PerfTest.AERON_LAT, PerfTest.AERON_BW, false);

    private static final String NO_CRC = ", no CRC";

    private final PerfTest latency;
    private final PerfTest bandwidth;
    private final boolean hasCrc;

    Contender(PerfTest latency, PerfTest bandwidth, boolean hasCrc) {
        this.latency = latency;
        this.bandwidth = bandwidth;
        this.hasCrc = hasCrc;
    }

    /** Latency runs of a size, with and without CRC where there is one. */
    List<RunSpec> latencyRuns(int size) {
        if (this == ATOMIC) {
            return size == PerfTest.ATOMIC_SIZE ? runs(latency, size) : List.of();
        }
        return runs(latency, size);
    }

    List<RunSpec> bandwidthRuns(int size) {
        return this == ATOMIC ? List.of() : runs(bandwidth, size);
    }

    private List<RunSpec> runs(PerfTest test, int size) {
        List<RunSpec> runs = new ArrayList<>();
        runs.add(RunSpec.of(test, size));
        if (hasCrc) {
            runs.add(RunSpec.of(test, size).withoutCrc());
        }
        return runs;
    }

    /** How a run is called in tables and plots, for instance {@code write-lat, no CRC}. */
    static String nameOf(RunSpec spec) {
        boolean crc = spec.crc()
                || !(spec.test().isVerbs()
                        || spec.test().layer() == PerfTest.Layer.FRAMED); // they have none to leave away
        StringBuilder name = new StringBuilder(spec.test().toString());
        name.append(spec.test().isVerbs() && spec.transport() == Transport.UDP ? ", datagrams" : "");
        name.append(spec.transport() == Transport.RD ? ", reliable datagrams" : "");
        name.append(spec.flow() == 0 ? "" : ", flow window " + spec.flow());
        name.append(spec.loss() == 0 ? "" : ", " + spec.loss() + " % lost");
        name.append(crc ? "" : NO_CRC);
        name.append(spec.markers() ? ", markers" : "");
        name.append(spec.segment() == 0 ? "" : ", segments of " + spec.segment());
        name.append(spec.connections() == 1 ? "" : ", " + spec.connections() + " connections");
        name.append(spec.idleConnections() == 0 ? "" : ", " + spec.idleConnections() + " idle besides");
        name.append(
                spec.test().isVerbs() && spec.progress() != ProgressMode.INVOKER
                        ? ", " + spec.progress().name().toLowerCase(Locale.ROOT)
                        : "");
        name.append(spec.waitMode() == WaitMode.BLOCK ? ", blocking" : "");
        return name.toString();
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
