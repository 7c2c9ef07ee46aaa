package io.stag.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.stag.simnet.Conforms;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Multicast from one network namespace to another, over a pair of virtual Ethernet interfaces; two processes. */
class NamespaceGroupIT {
    private static final TwoNamespaces NAMESPACES = new TwoNamespaces("");

    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"239.83.84.71", "ff15::5354:4147"})
    @Conforms("DG-033")
    void aMemberInAnotherNamespaceGetsItsCopy(String group) throws Exception {
        String obstacle = NAMESPACES.obstacle();
        assumeTrue(
                obstacle.isEmpty(),
                "this system lets nobody make network namespaces and virtual interfaces: " + obstacle);
        TwoNamespaces.Outcome outcome = NAMESPACES.run(
                folder,
                OneMessageProgram.class,
                "member",
                "receiver " + group + " far 0",
                "sender " + group + " near 0");
        assertThat(outcome.exitCode()).as(outcome.output()).isZero();
        assertThat(outcome.output().lines().filter(line -> !line.startsWith("Picked up "))) // a JVM, of its environment
                .as(outcome.output())
                .containsExactly("member: listens", "SEND of 30000 octets", "member: RECEIVE of 30000 octets");
    }
}
