package io.stag.rnic.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.rnic.ChildJvm;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The JIT removes what is allocated in vain, but only where it sees through everything: so this is without it. */
class InterpretedAllocationIT {

    /** What the child process runs. */
    static final class Program {
        private Program() {}

        private interface Step {
            void run(LinuxAllocationIT test) throws Exception;
        }

        public static void main(String[] arguments) throws Exception {
            List<Step> steps = List.of(
                    LinuxAllocationIT::lookingForInputAllocatesNothing,
                    LinuxAllocationIT::selectingAllocatesNothing,
                    LinuxAllocationIT::wakingAllocatesNothing,
                    LinuxAllocationIT::movingOctetsAllocatesNothing,
                    LinuxAllocationIT::aFullStreamAllocatesNothing,
                    LinuxAllocationIT::lookingForDatagramsAllocatesNothing);
            for (Step step : steps) {
                LinuxAllocationIT test = new LinuxAllocationIT();
                test.connect();
                step.run(test);
                test.closeTransports();
            }
            System.out.println(steps.size() + " steps");
        }
    }

    @Test
    void systemCallsAllocateNothing() throws Exception {
        LinuxTests.open().close(); // or there is nothing to test here
        assertThat(ChildJvm.run(Program.class, "-Xint", "--enable-native-access=ALL-UNNAMED"))
                .contains("6 steps");
    }
}
