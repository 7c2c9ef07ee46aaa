package io.stag.testkit;

import io.stag.testkit.contract.ConnectionContract;
import io.stag.testkit.contract.ContractFixture;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

@ParameterizedClass(name = "{0}")
@MethodSource("io.stag.testkit.TcpFixture#variants")
class TcpConnectionIT extends ConnectionContract {
    private final TcpFixture.Variant variant;

    TcpConnectionIT(TcpFixture.Variant variant) {
        this.variant = variant;
    }

    @Override
    protected ContractFixture fixture() {
        return new TcpFixture(variant);
    }
}
