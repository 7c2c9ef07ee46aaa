package io.stag.testkit;

import io.stag.testkit.contract.ContractFixture;
import io.stag.testkit.contract.ReliableErrorContract;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

@ParameterizedClass(name = "{0}")
@MethodSource("io.stag.testkit.TcpFixture#variants")
class UdpReliableErrorIT extends ReliableErrorContract {
    private final TcpFixture.Variant variant;

    UdpReliableErrorIT(TcpFixture.Variant variant) {
        this.variant = variant;
    }

    @Override
    protected ContractFixture fixture() {
        return new TcpFixture(variant);
    }
}
