package io.stag.testkit;

import io.stag.testkit.contract.AtomicContract;
import io.stag.testkit.contract.ContractFixture;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

@ParameterizedClass(name = "{0}")
@MethodSource("io.stag.testkit.TcpFixture#variants")
class TcpAtomicIT extends AtomicContract {
    private final TcpFixture.Variant variant;

    TcpAtomicIT(TcpFixture.Variant variant) {
        this.variant = variant;
    }

    @Override
    protected ContractFixture fixture() {
        return new TcpFixture(variant);
    }
}
