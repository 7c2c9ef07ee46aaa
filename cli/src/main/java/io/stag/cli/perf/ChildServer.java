package io.stag.cli.perf;

import io.stag.cli.CommandFailure;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;

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
        List<String> command = JvmCommand.running(MAIN);
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
