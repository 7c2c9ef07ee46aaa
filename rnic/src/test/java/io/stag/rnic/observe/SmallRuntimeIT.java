package io.stag.rnic.observe;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.verbs.Rnic;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
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

    private static String run(String... options) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of(options));
        command.add("-cp");
        command.add(System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")));
        command.add(Program.class.getName());
        Process child = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(child.waitFor()).as(output).isZero();
        return output;
    }

    @Test
    void anRnicWorksWithoutTheModuleOfJmx() throws Exception {
        assertThat(run("--limit-modules", "java.base,jdk.jfr"))
                .contains("opened stag0")
                .doesNotContain("Exception");
    }

    @Test
    void noEventIsLoadedBeforeSomebodyRecords() throws Exception {
        assertThat(run("-Xlog:class+load"))
                .contains("opened stag0")
                .contains("io.stag.rnic.observe.FlightEvents ")
                .doesNotContainPattern("io\\.stag\\.rnic\\.observe\\.\\w+Event ");
    }
}
