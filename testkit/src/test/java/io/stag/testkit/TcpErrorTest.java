package io.stag.testkit;

import io.stag.testkit.contract.ContractFixture;
import io.stag.testkit.contract.ErrorContract;
import io.stag.verbs.ProgressMode;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass(name = "{0}")
@EnumSource
class TcpErrorTest extends ErrorContract {
    private final ProgressMode progress;

    TcpErrorTest(ProgressMode progress) {
        this.progress = progress;
    }

    @Override
    protected ContractFixture fixture() {
        return new TcpFixture(progress);
    }
}
