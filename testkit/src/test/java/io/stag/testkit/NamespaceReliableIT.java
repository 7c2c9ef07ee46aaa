package io.stag.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.stag.simnet.Conforms;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reliable datagrams between two network namespaces whose packet filters drop one datagram of twenty; two processes. */
class NamespaceReliableIT {
    private static final String NAMESPACES = """
        set -e
        unshare --net sleep 300 & inner=$!
        trap 'kill $inner' EXIT
        ip link set lo up
        ip link add near type veth peer name far
        until [ "$(readlink /proc/$inner/ns/net)" != "$(readlink /proc/self/ns/net)" ]; do :; done
        ip link set far netns $inner
        ip addr add 10.83.84.1/24 dev near
        ip link set near up
        nsenter --target $inner --net sh -c 'ip link set lo up && ip addr add 10.83.84.2/24 dev far && ip link set far up'
        lose='add table inet loss; add chain inet loss in { type filter hook input priority 0; };
            add rule inet loss in meta l4proto udp numgen random mod 100 < 5 drop'
        nft "$lose"
        nsenter --target $inner --net nft "$lose"
        """;

    /** Runs the server in the inner namespace and, when it is ready, the client in the outer one. */
    private static final String PROGRAMS = """
        folder=$1; shift
        mkfifo "$folder/told"
        nsenter --target $inner --net "$@" server > "$folder/told" & server=$!
        exec 3< "$folder/told"
        read -r line <&3 && echo "server: $line"
        "$@" client
        while read -r line <&3; do echo "server: $line"; done
        wait $server
        """;

    @TempDir
    private Path folder;

    private static Process start(String script, String... arguments) throws IOException {
        return new ProcessBuilder(Stream.concat(
                                Stream.of(
                                        "timeout",
                                        "60",
                                        "unshare",
                                        "--user",
                                        "--map-root-user",
                                        "--net",
                                        "sh",
                                        "-c",
                                        script,
                                        "sh"),
                                Stream.of(arguments))
                        .toList())
                .redirectErrorStream(true)
                .start();
    }

    /** Why there can be no such network here, or nothing. */
    private static String obstacle() throws InterruptedException {
        try {
            Process process = start(NAMESPACES);
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return process.waitFor() == 0 ? "" : "no namespaces with a packet filter that loses: " + output;
        } catch (IOException e) {
            return "no namespaces: " + e.getMessage();
        }
    }

    @Test
    @Conforms({"RD-001", "RD-002", "RD-021", "RD-031", "RD-032"})
    void everythingTakesEffectOnceAndInOrderThoughDatagramsAreLost() throws Exception {
        String obstacle = obstacle();
        assumeTrue(obstacle.isEmpty(), obstacle);
        Process process = start(
                NAMESPACES + PROGRAMS,
                folder.toString(),
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                LossyPathProgram.class.getName());
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        assertThat(output.lines())
                .as(output)
                .containsExactlyElementsOf(List.of(
                        "server: ready",
                        "client: 1010 messages there and back, 100 Writes, 100 Reads, 100 atomics, some sent again",
                        "server: 1010 messages, counted to 100, some sent again"));
    }
}
