package io.stag.rnic.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;

/** Tests of {@link LinuxTransport} are left out on other platforms, and only there. */
final class LinuxTests {
    private LinuxTests() {}

    static LinuxTransport open() throws IOException {
        String processor = System.getProperty("os.arch");
        assumeTrue(System.getProperty("os.name").equals("Linux"), "not Linux");
        assumeTrue(processor.equals("amd64") || processor.equals("aarch64"), "no layouts for " + processor);
        assertThat(LinuxTransport.obstacle()).isEmpty();
        return new LinuxTransport();
    }
}
