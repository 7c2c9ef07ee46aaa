package io.stag.testkit;

import io.stag.testkit.contract.ContractFixture;
import io.stag.testkit.contract.ReliableContract;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

@ParameterizedClass(name = "{0}")
@MethodSource("io.stag.testkit.TcpFixture#variants")
class UdpReliableIT extends ReliableContract {
    private final TcpFixture.Variant variant;

    UdpReliableIT(TcpFixture.Variant variant) {
        this.variant = variant;
    }

    @Override
    protected ContractFixture fixture() {
        return new TcpFixture(variant);
    }
}
