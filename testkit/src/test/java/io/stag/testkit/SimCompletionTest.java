package io.stag.testkit;

import io.stag.testkit.contract.CompletionContract;
import io.stag.testkit.contract.ContractFixture;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

@ParameterizedClass(name = "seed {0}")
@MethodSource("io.stag.testkit.SimFixture#seeds")
class SimCompletionTest extends CompletionContract {
    private final long seed;

    SimCompletionTest(long seed) {
        this.seed = seed;
    }

    @Override
    protected ContractFixture fixture() {
        return new SimFixture(seed);
    }
}
