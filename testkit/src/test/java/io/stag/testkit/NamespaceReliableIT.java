package io.stag.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.stag.simnet.Conforms;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reliable datagrams between two network namespaces whose packet filters drop one datagram of twenty; two processes. */
class NamespaceReliableIT {
    private static final TwoNamespaces NAMESPACES = new TwoNamespaces("""
        lose='add table inet loss; add chain inet loss in { type filter hook input priority 0; };
            add rule inet loss in meta l4proto udp numgen random mod 100 < 5 drop'
        nft "$lose"
        nsenter --target $inner --net nft "$lose"
        """);

    @TempDir
    private Path folder;

    @Test
    @Conforms({"RD-001", "RD-002", "RD-021", "RD-031", "RD-032"})
    void everythingTakesEffectOnceAndInOrderThoughDatagramsAreLost() throws Exception {
        String obstacle = NAMESPACES.obstacle();
        assumeTrue(obstacle.isEmpty(), "no namespaces with a packet filter that loses: " + obstacle);
        TwoNamespaces.Outcome outcome = NAMESPACES.run(folder, LossyPathProgram.class, "server", "server", "client");
        assertThat(outcome.exitCode()).as(outcome.output()).isZero();
        assertThat(outcome.output().lines())
                .as(outcome.output())
                .containsExactly(
                        "server: ready",
                        "client: 1010 messages there and back, 100 Writes, 100 Reads, 100 atomics, some sent again",
                        "server: 1010 messages, counted to 100, some sent again");
    }
}
