package io.stag.bench.compare;

import io.stag.cli.CommandFailure;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Benchmarks of others that are programs of their own: both ends of one are started where they are installed. */
enum ExternalTool {
    /** UCX over TCP: put, the median of the round trips halved. */
    UCX("ucx_perftest") {
        @Override
        String arguments(Metric metric, int size) {
            String test = metric == Metric.LATENCY ? "ucp_put_lat" : "ucp_put_bw";
            long count = count(metric, size);
            return "-t " + test + " -s " + size + " -n " + count + " -w " + count / 10 + " -p " + PORT + " -f -v -R 50";
        }

        @Override
        String server(String arguments) {
            return command() + " " + arguments;
        }

        @Override
        String client(String arguments) {
            return command() + " 127.0.0.1 " + arguments;
        }

        // Iterations, median, mean of the last part, mean; bandwidth of the last part, mean; rates likewise.
        @Override
        double parse(Metric metric, String lastLine) {
            String[] fields = lastLine.split(",", -1);
            return metric == Metric.LATENCY
                    ? Double.parseDouble(fields[1].strip())
                    : Double.parseDouble(fields[5].strip()) * MEBI / MEGA;
        }
    },

    /** Libfabric over TCP: messages back and forth. */
    LIBFABRIC("fi_pingpong") {
        @Override
        String arguments(Metric metric, int size) {
            return "-p tcp -e msg -d lo -S " + size + " -I " + count(metric, size);
        }

        @Override
        String server(String arguments) {
            return command() + " " + arguments + " -B " + PORT;
        }

        @Override
        String client(String arguments) {
            return command() + " " + arguments + " -P " + PORT + " 127.0.0.1";
        }

        // Size, sent, acknowledged, total, time, MB/s, microseconds per message, millions per second.
        @Override
        double parse(Metric metric, String lastLine) {
            String[] fields = lastLine.strip().split(" +", -1);
            return Double.parseDouble(fields[metric == Metric.LATENCY ? 6 : 5]);
        }
    };

    private static final int PORT = 13_337;
    private static final double MEBI = 1 << 20;
    private static final double MEGA = 1e6;
    private static final double OCTETS_PER_RUN = 1e9;
    private static final long LIMIT_SECONDS = 60;

    private final String command;

    ExternalTool(String command) {
        this.command = command;
    }

    abstract String arguments(Metric metric, int size);

    abstract String server(String arguments);

    abstract String client(String arguments);

    abstract double parse(Metric metric, String lastLine);

    String command() {
        return command;
    }

    /** Messages that take well below a second. */
    private static long count(Metric metric, int size) {
        long most = metric == Metric.LATENCY ? 20_000 : 100_000;
        return Math.clamp((long) (OCTETS_PER_RUN / size), 200, most);
    }

    /** How it is called in tables. */
    String nameOf(Metric metric) {
        return command + (metric == Metric.LATENCY ? " latency" : " bandwidth");
    }

    /** fi_pingpong goes back and forth, which says nothing about bandwidth. */
    boolean measures(Metric metric) {
        return this == UCX || metric == Metric.LATENCY;
    }

    boolean isInstalled() {
        String path = System.getenv().getOrDefault("PATH", "");
        return Stream.of(path.split(Pattern.quote(File.pathSeparator), -1))
                .map(folder -> Path.of(folder, command))
                .anyMatch(Files::isExecutable);
    }

    /**
     * Runs both ends.
     *
     * @param network where; both ends must be in the same
     * @param metric latency or bandwidth
     * @param size octets per message
     */
    double run(PrivateNetwork network, Metric metric, int size) throws IOException {
        String arguments = arguments(metric, size);
        List<String> both = new ArrayList<>(network.prefix());
        both.addAll(List.of(
                "sh",
                "-c",
                server(arguments) + " >/dev/null 2>&1 & server=$!; sleep 1; " + client(arguments)
                        + "; code=$?; kill $server 2>/dev/null; exit $code"));
        ProcessBuilder builder = new ProcessBuilder(both).redirectError(ProcessBuilder.Redirect.DISCARD);
        builder.environment().put("UCX_TLS", "tcp,self");
        builder.environment().put("UCX_NET_DEVICES", "lo");
        builder.environment().put("UCX_LOG_LEVEL", "error");
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException _) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
        String lastLine = output.lines().filter(line -> !line.isBlank()).reduce("", (_, line) -> line);
        try {
            return parse(metric, lastLine);
        } catch (RuntimeException e) {
            throw new CommandFailure(command + " said something unexpected: " + lastLine, "", e);
        }
    }
}
