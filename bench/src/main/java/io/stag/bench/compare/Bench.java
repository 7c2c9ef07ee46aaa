package io.stag.bench.compare;

import io.stag.cli.CommandFailure;
import io.stag.cli.perf.Measurement;
import io.stag.cli.perf.RunDuration;
import io.stag.cli.perf.RunSpec;
import java.io.IOException;

/** Where runs are measured, one at a time. What was run once is kept ready to be measured again, until the end. */
public interface Bench extends AutoCloseable {
    /** Measures one run; throws {@link CommandFailure} with the reason when it cannot be. */
    Measurement run(RunSpec spec, RunDuration duration) throws IOException;

    /** Ends all runs; throws {@link CommandFailure} when one of them was not what it seemed. */
    @Override
    void close() throws IOException;
}
