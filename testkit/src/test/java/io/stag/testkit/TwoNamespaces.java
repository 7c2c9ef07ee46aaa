package io.stag.testkit;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * Two network namespaces, one made by the other and joined to it by a pair of virtual Ethernet interfaces, {@code near} and
 * {@code far}; in each runs a program of this JVM's class path.
 */
final class TwoNamespaces {
    /** The addresses of {@code near} end in 1, those of {@code far} in 2. */
    private static final String MAKE = """
        set -e
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
        """;

    /** Runs a program in the inner namespace and, when it has said its first line, one in the outer namespace. */
    private static final String RUN = """
        folder=$1; name=$2; within=$3; outside=$4; shift 4
        mkfifo "$folder/told"
        nsenter --target $inner --net "$@" $within > "$folder/told" & program=$!
        exec 3< "$folder/told"
        read -r line <&3 && echo "$name: $line"
        "$@" $outside
        while read -r line <&3; do echo "$name: $line"; done
        wait $program
        """;

    /**
     * How it ended.
     *
     * @param exitCode 0 when both programs ended well
     * @param output what both said, the inner one behind its name
     */
    record Outcome(int exitCode, String output) {}

    private final String setUp;

    /** Namespaces in which a piece of shell script was run after they were made; {@code $inner} is in the inner one. */
    TwoNamespaces(String furtherSetUp) {
        setUp = MAKE + furtherSetUp;
    }

    /** Why there can be no such network here, or nothing. */
    String obstacle() throws InterruptedException {
        try {
            Outcome outcome = execute(setUp);
            return outcome.exitCode() == 0 ? "" : outcome.output();
        } catch (IOException e) {
            return String.valueOf(e.getMessage());
        }
    }

    /**
     * Runs a class in both.
     *
     * @param folder an empty one
     * @param name of the inner program, for its lines
     * @param within arguments of the inner program
     * @param outside arguments of the outer one
     */
    Outcome run(Path folder, Class<?> program, String name, String within, String outside)
            throws IOException, InterruptedException {
        return execute(
                setUp + RUN,
                folder.toString(),
                name,
                within,
                outside,
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                program.getName());
    }

    private static Outcome execute(String script, String... arguments) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(Stream.concat(
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
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Outcome(process.waitFor(), output);
    }
}
