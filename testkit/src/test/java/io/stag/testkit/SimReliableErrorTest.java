package io.stag.testkit;

import io.stag.testkit.contract.ContractFixture;
import io.stag.testkit.contract.ReliableErrorContract;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

@ParameterizedClass(name = "seed {0}")
@MethodSource("io.stag.testkit.SimFixture#seeds")
class SimReliableErrorTest extends ReliableErrorContract {
    private final long seed;

    SimReliableErrorTest(long seed) {
        this.seed = seed;
    }

    @Override
    protected ContractFixture fixture() {
        return new SimFixture(seed);
    }
}
