package io.stag.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Datagrams that are longer than the packets of their path: the kernel cuts no rows of them, and they travel in fragments. */
class NamespaceFragmentIT {
    private static final TwoNamespaces NAMESPACES = new TwoNamespaces("");

    @TempDir
    private Path folder;

    @Test
    void aMessageOfLongDatagramsArrives() throws Exception {
        String obstacle = NAMESPACES.obstacle();
        assumeTrue(
                obstacle.isEmpty(),
                "this system lets nobody make network namespaces and virtual interfaces: " + obstacle);
        TwoNamespaces.Outcome outcome = NAMESPACES.run(
                folder,
                OneMessageProgram.class,
                "receiver",
                "receiver 10.83.84.2 far 8000",
                "sender 10.83.84.2 near 8000");
        assertThat(outcome.exitCode()).as(outcome.output()).isZero();
        assertThat(outcome.output().lines().filter(line -> !line.startsWith("Picked up "))) // a JVM, of its environment
                .as(outcome.output())
                .containsExactly("receiver: listens", "SEND of 30000 octets", "receiver: RECEIVE of 30000 octets");
    }
}
