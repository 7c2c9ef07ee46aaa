package io.stag.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.stag.simnet.Conforms;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Multicast from one network namespace to another, over a pair of virtual Ethernet interfaces; two processes. */
class NamespaceGroupIT {
    /** Makes both namespaces; then runs a member in the inner one and, when it has joined, a sender in the outer one. */
    private static final String SCRIPT = """
        set -e
        group=$1; folder=$2; shift 2
        unshare --net sleep 300 & inner=$!
        trap 'kill $inner' EXIT
        ip link set lo up
        ip link add near type veth peer name far
        until [ "$(readlink /proc/$inner/ns/net)" != "$(readlink /proc/self/ns/net)" ]; do :; done
        ip link set far netns $inner
        ip addr add 10.83.84.1/24 dev near
        ip -6 addr add fd53::1/64 dev near nodad
        ip link set near up
        nsenter --target $inner --net sh -c 'ip link set lo up && ip addr add 10.83.84.2/24 dev far \
            && ip -6 addr add fd53::2/64 dev far nodad && ip link set far up'
        mkfifo "$folder/told"
        nsenter --target $inner --net "$@" member "$group" far > "$folder/told" & member=$!
        exec 3< "$folder/told"
        read -r line <&3 && echo "member: $line"
        "$@" sender "$group" near
        while read -r line <&3; do echo "member: $line"; done
        wait $member
        """;

    @TempDir
    private Path folder;

    private static Process start(List<String> command) throws IOException {
        return new ProcessBuilder(command).redirectErrorStream(true).start();
    }

    private static boolean canMakeNamespaces() throws IOException, InterruptedException {
        try {
            return start(List.of(
                                    "unshare",
                                    "--user",
                                    "--map-root-user",
                                    "--net",
                                    "sh",
                                    "-c",
                                    "ip link add near type veth peer name far && command -v nsenter"))
                            .waitFor()
                    == 0;
        } catch (IOException e) {
            return false; // no such command
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"239.83.84.71", "ff15::5354:4147"})
    @Conforms("DG-033")
    void aMemberInAnotherNamespaceGetsItsCopy(String group) throws Exception {
        assumeTrue(canMakeNamespaces(), "this system lets nobody make network namespaces and virtual interfaces");
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        String classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        Process process = start(Stream.concat(
                        Stream.of("unshare", "--user", "--map-root-user", "--net", "sh", "-c", SCRIPT, "sh"),
                        Stream.of(
                                group,
                                folder.toString(),
                                java,
                                "--enable-native-access=ALL-UNNAMED",
                                "-cp",
                                classPath,
                                GroupProgram.class.getName()))
                .toList());
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        assertThat(output.lines())
                .as(output)
                .containsExactly("member: joined", "SEND of 3000 octets", "member: RECEIVE of 3000 octets");
    }
}
