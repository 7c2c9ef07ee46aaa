package io.stag.testkit;

import io.stag.testkit.contract.CompletionContract;
import io.stag.testkit.contract.ContractFixture;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

@ParameterizedClass(name = "{0}")
@MethodSource("io.stag.testkit.TcpFixture#variants")
class TcpCompletionIT extends CompletionContract {
    private final TcpFixture.Variant variant;

    TcpCompletionIT(TcpFixture.Variant variant) {
        this.variant = variant;
    }

    @Override
    protected ContractFixture fixture() {
        return new TcpFixture(variant);
    }
}
