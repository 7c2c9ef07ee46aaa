package io.stag.testkit;

import io.stag.testkit.contract.AtomicContract;
import io.stag.testkit.contract.ContractFixture;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

@ParameterizedClass(name = "seed {0}")
@MethodSource("io.stag.testkit.SimFixture#seeds")
class SimAtomicTest extends AtomicContract {
    private final long seed;

    SimAtomicTest(long seed) {
        this.seed = seed;
    }

    @Override
    protected ContractFixture fixture() {
        return new SimFixture(seed);
    }
}
