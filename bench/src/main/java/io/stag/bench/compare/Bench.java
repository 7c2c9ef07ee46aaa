package io.stag.bench.compare;

import io.stag.cli.CommandFailure;
import io.stag.cli.perf.Measurement;
import io.stag.cli.perf.RunDuration;
import io.stag.cli.perf.RunSpec;
import java.io.IOException;

/** Where runs are measured. */
public interface Bench extends AutoCloseable {
    /** Measures one run; throws {@link CommandFailure} with the reason when it cannot be. */
    Measurement run(RunSpec spec, RunDuration duration) throws IOException;

    @Override
    void close() throws IOException;
}
