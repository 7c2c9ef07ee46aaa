package io.stag.testkit;

import io.stag.testkit.contract.ConnectionContract;
import io.stag.testkit.contract.ContractFixture;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

@ParameterizedClass(name = "seed {0}")
@MethodSource("io.stag.testkit.SimFixture#seeds")
class SimConnectionTest extends ConnectionContract {
    private final long seed;

    SimConnectionTest(long seed) {
        this.seed = seed;
    }

    @Override
    protected ContractFixture fixture() {
        return new SimFixture(seed);
    }
}
