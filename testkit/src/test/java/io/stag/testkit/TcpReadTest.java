package io.stag.testkit;

import io.stag.testkit.contract.ContractFixture;
import io.stag.testkit.contract.ReadContract;
import io.stag.verbs.ProgressMode;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass(name = "{0}")
@EnumSource
class TcpReadTest extends ReadContract {
    private final ProgressMode progress;

    TcpReadTest(ProgressMode progress) {
        this.progress = progress;
    }

    @Override
    protected ContractFixture fixture() {
        return new TcpFixture(progress);
    }
}
