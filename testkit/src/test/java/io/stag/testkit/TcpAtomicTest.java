package io.stag.testkit;

import io.stag.testkit.contract.AtomicContract;
import io.stag.testkit.contract.ContractFixture;
import io.stag.verbs.ProgressMode;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass(name = "{0}")
@EnumSource
class TcpAtomicTest extends AtomicContract {
    private final ProgressMode progress;

    TcpAtomicTest(ProgressMode progress) {
        this.progress = progress;
    }

    @Override
    protected ContractFixture fixture() {
        return new TcpFixture(progress);
    }
}
