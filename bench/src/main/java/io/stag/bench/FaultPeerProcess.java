package io.stag.bench;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** A {@link FaultPeer} in a JVM of its own. It ends with us at the latest. */
final class FaultPeerProcess implements AutoCloseable {
    private final Process process;

    private FaultPeerProcess(List<String> prefix, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(prefix);
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of(
                "-Xmx64m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "--enable-native-access=ALL-UNNAMED"));
        String transport = System.getProperty("stag.transport");
        if (transport != null) {
            command.add("-Dstag.transport=" + transport);
        }
        command.addAll(List.of("-cp", absolute(System.getProperty("java.class.path", ""))));
        command.add(FaultPeer.class.getName());
        command.addAll(List.of(arguments));
        process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    private static String absolute(String classPath) {
        List<String> entries = new ArrayList<>();
        for (String entry : classPath.split(Pattern.quote(File.pathSeparator), -1)) {
            entries.add(Path.of(entry).toAbsolutePath().toString());
        }
        return String.join(File.pathSeparator, entries);
    }

    /** Connects to us. */
    static FaultPeerProcess connecting(InetSocketAddress address) throws IOException {
        return new FaultPeerProcess(
                List.of(),
                FaultPeer.CONNECT,
                address.getAddress().getHostAddress(),
                Integer.toString(address.getPort()));
    }

    /** Waits for us at an address. */
    static FaultPeerProcess listening(InetAddress address) throws IOException {
        return listening(List.of(), address);
    }

    /** Started by another command, for instance one that changes the network namespace. */
    static FaultPeerProcess listening(List<String> prefix, InetAddress address) throws IOException {
        return new FaultPeerProcess(prefix, FaultPeer.LISTEN, address.getHostAddress());
    }

    /** The port of one that listens. */
    int port() throws IOException {
        var out = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        String line = out.readLine();
        while (line != null && !line.startsWith(FaultPeer.GREETING)) {
            line = out.readLine();
        }
        if (line == null) {
            throw new Program.Failure("the peer process did not start");
        }
        return Integer.parseInt(line.substring(FaultPeer.GREETING.length()));
    }

    /** As {@code kill -9}; returns when it is dead. */
    void kill() {
        process.destroyForcibly();
        try {
            process.waitFor();
        } catch (InterruptedException e) {
            throw new Program.Failure("interrupted", e);
        }
    }

    /** As {@code kill -STOP}. */
    void freeze() {
        Shell.run("kill", "-STOP", Long.toString(process.pid()));
    }

    @Override
    public void close() throws IOException {
        kill();
        process.getInputStream().close();
        process.getOutputStream().close();
    }
}
