package io.stag.cli.perf;

import io.stag.cli.OctetCount;
import io.stag.cli.Progress;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;

/** Several measurements against one server. */
final class PerfRun {
    private final RunDuration duration;
    private final boolean pin;
    private final Progress progress;

    PerfRun(RunDuration duration, boolean pin, Progress progress) {
        this.duration = duration;
        this.pin = pin;
        this.progress = progress;
    }

    /** Starts the server too, as a process of its own. */
    List<Measurement> inTwoProcesses(List<RunSpec> runs) throws IOException {
        progress.step("starting the second process");
        try (PerfSession session = PerfSession.inTwoProcesses(pin)) {
            return run(session, runs);
        }
    }

    /** Uses a server that runs already. */
    List<Measurement> against(InetSocketAddress server, List<RunSpec> runs) throws IOException {
        try (PerfSession session = PerfSession.against(server, pin)) {
            return run(session, runs);
        }
    }

    private List<Measurement> run(PerfSession session, List<RunSpec> runs) throws IOException {
        List<Measurement> measurements = new ArrayList<>();
        for (RunSpec run : runs) {
            progress.step("measuring " + run.test() + ", " + OctetCount.text(run.size()) + " octets");
            measurements.add(session.run(run, duration));
        }
        return measurements;
    }
}
