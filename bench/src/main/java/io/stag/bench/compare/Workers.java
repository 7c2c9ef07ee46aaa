package io.stag.bench.compare;

import io.stag.cli.perf.Measurement;
import io.stag.cli.perf.RunDuration;
import io.stag.cli.perf.RunSpec;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;

/** The processes that measure, one pair for each kind of run; those that do not measure sleep. */
public final class Workers implements Bench {
    private final PrivateNetwork network;
    private final boolean pin;
    private final Map<Kind, WorkerProcess> processes = new LinkedHashMap<>();

    /** Runs of one kind share a process. What a JIT learned from another test would change its code for this one. */
    private record Kind(Object test, Object transport, boolean crc, Object waitMode) {
        static Kind of(RunSpec spec) {
            return new Kind(spec.test(), spec.transport(), spec.crc(), spec.waitMode());
        }
    }

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
        Kind kind = Kind.of(spec);
        WorkerProcess process = processes.get(kind);
        if (process == null) {
            process = new WorkerProcess(network, pin);
            processes.put(kind, process);
        }
        return process.run(spec, duration);
    }

    @Override
    public void close() throws IOException {
        for (WorkerProcess process : processes.values()) {
            process.close();
        }
    }
}
