package io.stag.bench.compare;

import io.stag.cli.perf.PerfTest;
import io.stag.cli.perf.RunSpec;
import io.stag.cli.perf.WaitMode;

/** Which run another one is compared with. */
final class Baseline {
    private Baseline() {}

    /** Raw TCP, which has no CRC to switch. */
    static Cell tcp(Cell cell) {
        RunSpec run = cell.spec();
        RunSpec tcp = RunSpec.of(run.test().isLatency() ? PerfTest.TCP_LAT : PerfTest.TCP_BW, run.size())
                .on(run.connections(), run.idleConnections());
        return Cell.timed(run.waitMode() == WaitMode.BLOCK ? tcp.blocking() : tcp);
    }

    /** The framing loop with the same CRC. */
    static Cell framed(Cell cell) {
        RunSpec run = cell.spec();
        boolean others = !run.test().isVerbs();
        RunSpec framed = tcp(cell).spec().as(run.test().isLatency() ? PerfTest.FRAMED_LAT : PerfTest.FRAMED_BW);
        return Cell.timed(run.crc() || others ? framed : framed.withoutCrc());
    }
}
