package io.stag.bench.compare;

import io.stag.cli.perf.Measurement;
import io.stag.cli.perf.RunDuration;
import io.stag.cli.perf.RunSpec;
import java.io.IOException;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The processes that measure, a client and a server for each run. What a JIT learned from another run would change its code for
 * this one. Those whose turn it is not stand still, so turns can be short: what disturbs one, such as a processor that moves on
 * its host, then disturbs the next as well.
 */
public final class Workers implements Bench {
    private final PrivateNetwork network;
    private final boolean pin;
    private final Map<RunSpec, WorkerProcess> processes = new LinkedHashMap<>();

    /**
     * No process yet.
     *
     * @param network where they are to measure
     * @param pin whether client and server keep to different processors
     */
    public Workers(PrivateNetwork network, boolean pin) {
        this.network = network;
        this.pin = pin;
    }

    @Override
    public Measurement run(RunSpec spec, RunDuration duration) throws IOException {
        WorkerProcess process = processes.get(spec);
        if (process == null) {
            process = new WorkerProcess(network, pin);
            processes.put(spec, process);
        } else {
            process.goOn();
        }
        try {
            return process.run(spec, duration);
        } finally {
            process.standStill();
        }
    }

    @Override
    public void close() throws IOException {
        closeFrom(processes.values().iterator());
    }

    /** The others too if one fails. */
    private static void closeFrom(Iterator<WorkerProcess> rest) throws IOException {
        if (rest.hasNext()) {
            try (WorkerProcess _ = rest.next()) {
                closeFrom(rest);
            }
        }
    }
}
