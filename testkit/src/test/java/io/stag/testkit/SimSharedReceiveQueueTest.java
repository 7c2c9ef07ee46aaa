package io.stag.testkit;

import io.stag.testkit.contract.ContractFixture;
import io.stag.testkit.contract.SharedReceiveQueueContract;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

@ParameterizedClass(name = "seed {0}")
@MethodSource("io.stag.testkit.SimFixture#seeds")
class SimSharedReceiveQueueTest extends SharedReceiveQueueContract {
    private final long seed;

    SimSharedReceiveQueueTest(long seed) {
        this.seed = seed;
    }

    @Override
    protected ContractFixture fixture() {
        return new SimFixture(seed);
    }
}
