package io.stag.cli.perf;

import io.stag.cli.CommandFailure;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/** The server in a process of its own: this JVM once more, with the same flags. It ends with its parent. */
final class ChildServer implements AutoCloseable {
    /** What the child prints before its port. */
    static final String GREETING = "stag-perf-server ";

    private static final long EXIT_LIMIT_SECONDS = 5;
    private static final String MAIN = "io.stag.cli.Stag";

    private final Process process;
    private final int port;

    /**
     * Starts the child and waits until it listens.
     *
     * @param pin whether it keeps to its half of the processors
     */
    ChildServer(boolean pin) throws IOException {
        List<String> command = jvm();
        command.addAll(List.of("perf", "--child", "--pin", pin ? "on" : "off"));
        process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        port = readPort();
    }

    /** A control connection to the child. */
    ControlChannel connect() throws IOException {
        Socket socket = new Socket();
        socket.connect(address());
        return new ControlChannel(socket);
    }

    InetSocketAddress address() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    private int readPort() throws IOException {
        BufferedReader out =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        String line = out.readLine();
        while (line != null && !line.startsWith(GREETING)) {
            line = out.readLine();
        }
        if (line == null) {
            process.destroyForcibly();
            throw new CommandFailure("the second process did not start", "Its own output is above.");
        }
        return Integer.parseInt(line.substring(GREETING.length()));
    }

    private static List<String> jvm() {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(argument -> !argument.startsWith("-agentlib:jdwp")) // its port is taken
                .forEach(command::add);
        String mainModule = System.getProperty("jdk.module.main");
        String classPath = System.getProperty("java.class.path", "");
        if (mainModule != null
                && mainModule.equals(ChildServer.class.getModule().getName())) {
            command.addAll(List.of("-p", System.getProperty("jdk.module.path", ""), "-m", mainModule + "/" + MAIN));
        } else {
            command.addAll(List.of("-cp", absolute(classPath), MAIN));
        }
        return command;
    }

    private static String absolute(String classPath) {
        List<String> entries = new ArrayList<>();
        for (String entry : classPath.split(Pattern.quote(File.pathSeparator), -1)) {
            entries.add(Path.of(entry).toAbsolutePath().toString());
        }
        return String.join(File.pathSeparator, entries);
    }

    /** Closing its standard input tells the child to end. */
    @Override
    public void close() throws IOException {
        process.getOutputStream().close();
        try {
            if (!process.waitFor(EXIT_LIMIT_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException _) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
