package io.stag.cli.perf;

import io.stag.cli.OctetCount;
import io.stag.cli.Progress;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;

/** Several measurements against one server. */
final class PerfRun {
    private static final double FIRST_WARM_UP = 1.5;

    private final PerfClient.Duration duration;
    private final boolean pin;
    private final Progress progress;

    PerfRun(PerfClient.Duration duration, boolean pin, Progress progress) {
        this.duration = duration;
        this.pin = pin;
        this.progress = progress;
    }

    /** Starts the server too, as a process of its own. */
    List<PerfResult> inTwoProcesses(List<RunSpec> runs) throws IOException {
        progress.step("starting the second process");
        try (ChildServer child = new ChildServer(pin);
                ControlChannel control = child.connect()) {
            return run(control, child.address(), runs);
        }
    }

    /** Uses a server that runs already. */
    List<PerfResult> against(InetSocketAddress server, List<RunSpec> runs) throws IOException {
        try (Socket socket = new Socket()) {
            socket.connect(server);
            return run(new ControlChannel(socket), server, runs);
        }
    }

    private List<PerfResult> run(ControlChannel control, InetSocketAddress server, List<RunSpec> runs)
            throws IOException {
        if (pin) {
            Affinity.pin(false);
        }
        PerfClient client = new PerfClient(control, server.getAddress(), FIRST_WARM_UP);
        List<PerfResult> results = new ArrayList<>();
        for (RunSpec run : runs) {
            progress.step("measuring " + run.test() + ", " + OctetCount.text(run.size()) + " octets");
            results.add(client.run(run, duration));
        }
        return results;
    }
}
