package io.stag.rnic.observe;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.rnic.ChildJvm;
import io.stag.verbs.Rnic;
import org.junit.jupiter.api.Test;

/** What a program without JMX or without a flight recording pays for them. */
class SmallRuntimeIT {

    /** What the child process runs. */
    static final class Program {
        private Program() {}

        public static void main(String[] arguments) {
            try (Rnic rnic = Rnic.open()) {
                rnic.allocateProtectionDomain();
                System.out.println("opened " + rnic.snapshot().name());
            }
        }
    }

    @Test
    void anRnicWorksWithoutTheModuleOfJmx() throws Exception {
        assertThat(ChildJvm.run(Program.class, "--limit-modules", "java.base,jdk.jfr"))
                .contains("opened stag0")
                .doesNotContain("Exception");
    }

    @Test
    void noEventIsLoadedBeforeSomebodyRecords() throws Exception {
        assertThat(ChildJvm.run(Program.class, "-Xlog:class+load"))
                .contains("opened stag0")
                .contains("io.stag.rnic.flight.FlightEvents ")
                .doesNotContainPattern("io\\.stag\\.rnic\\.flight\\.\\w+Event ");
    }
}
