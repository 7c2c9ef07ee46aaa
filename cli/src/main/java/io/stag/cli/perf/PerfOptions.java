package io.stag.cli.perf;

import io.stag.cli.OctetCount;
import io.stag.cli.OnOff;
import io.stag.verbs.ProgressMode;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options that say what is measured and how. */
final class PerfOptions {
    private static final double DEFAULT_SECONDS = 2;
    private static final double MAX_SECONDS = 86_400;
    private static final double OCTETS_PER_TENTH = 1e5; // at one MB/s

    @Option(
            names = "--size",
            paramLabel = "N[,N...]",
            split = ",",
            converter = OctetCount.class,
            description = "Octets per message; k and m are 1,024 and 1,048,576. Default: 4,64,1k,64k,1m.")
    List<Integer> sizes = List.of(4, 64, 1 << 10, 64 << 10, 1 << 20);

    @Option(
            names = "--seconds",
            paramLabel = "S",
            description = "How long each size is measured, after a warm-up. Default: 2, or no limit with --iterations.")
    double seconds;

    @Option(names = "--iterations", paramLabel = "N", description = "Stop after so many messages or round trips.")
    long iterations;

    @Option(
            names = "--rate",
            paramLabel = "MB/S",
            description = "Send no more than so many millions of octets a second in bandwidth tests, and one message at"
                    + " least. Default: no limit.")
    double rate;

    @Option(
            names = "--crc",
            paramLabel = "on|off",
            description = "Protect the stream with CRC32C. Default: ${DEFAULT-VALUE}.")
    OnOff crc = OnOff.ON;

    @Option(
            names = "--markers",
            paramLabel = "on|off",
            description = "Ask the peer for MPA Markers. Default: ${DEFAULT-VALUE}.")
    OnOff markers = OnOff.OFF;

    @Option(
            names = "--transport",
            paramLabel = "tcp|udp|rd",
            description =
                    "Connections over TCP, datagrams without one, or reliable datagrams. Default: udp for tests that"
                            + " need it, else tcp.")
    @Nullable
    Transport transport;

    @Option(
            names = "--progress",
            paramLabel = "invoker|shared|dedicated",
            description = "Who drives the RNIC: whoever polls, one agent thread, or several. Default: invoker.")
    ProgressMode progress = ProgressMode.INVOKER;

    @Option(
            names = "--wait",
            paramLabel = "poll|block",
            description = "Spin, or sleep until something comes. Default: ${DEFAULT-VALUE}.")
    WaitMode waitMode = WaitMode.POLL;

    @Option(
            names = "--path",
            paramLabel = "nio|ffm",
            description = "System calls through java.nio, or direct ones (Linux). Default: ffm where it works.")
    @Nullable
    TransportPath path;

    @Option(
            names = "--segment",
            paramLabel = "N",
            description =
                    "TCP segment size from which the size of FPDUs follows, or the length of the longest datagram."
                            + " Default: that of the path.")
    int segment;

    @Option(
            names = "--depth",
            paramLabel = "N",
            description = "Requests outstanding at most in bandwidth tests. Default: 64, fewer with --rate.")
    @Nullable
    Integer depth;

    @Option(
            names = "--connections",
            paramLabel = "N",
            description = "Connections that are used in turn. Default: ${DEFAULT-VALUE}.")
    int connections = 1;

    @Option(
            names = "--idle-connections",
            paramLabel = "N",
            description = "Connections that are open besides. Default: ${DEFAULT-VALUE}.")
    int idleConnections;

    @Option(
            names = "--loss",
            paramLabel = "PERCENT",
            description =
                    "Send datagrams through a relay that loses so many percent of the packets of 1,500 octets, always"
                        + " the same ones; a datagram in several packets is lost with any of them. Default: no relay.")
    double loss;

    @Option(
            names = "--flow",
            paramLabel = "N",
            description =
                    "Flow window of datagram queue pairs: no more datagrams are on their way that the receiver has not"
                            + " reported. Default: none; the test asks its receiver by itself.")
    int flow;

    @Option(
            names = "--pin",
            paramLabel = "on|off",
            description = "Keep client and server on different processors (Linux). Default: ${DEFAULT-VALUE}.")
    OnOff pin = OnOff.ON;

    /** The run for one size; throws {@link IllegalArgumentException} when it cannot be. */
    RunSpec spec(PerfTest test, int size) {
        return new RunSpec(
                test,
                size,
                crc.isOn(),
                markers.isOn(),
                progress,
                waitMode,
                path(),
                segment,
                depth == null ? usualDepth(size) : depth,
                connections,
                idleConnections,
                transport == null ? test.usualTransport() : transport,
                loss,
                flow);
    }

    /** How long to measure; throws {@link IllegalArgumentException} when that makes no sense. */
    RunDuration duration() {
        if (!(seconds >= 0 && seconds <= MAX_SECONDS) || iterations < 0) {
            throw new IllegalArgumentException("--seconds is not in 0 to 86400, or --iterations is negative");
        }
        if (!(rate >= 0)) {
            throw new IllegalArgumentException("--rate is negative");
        }
        return new RunDuration(seconds == 0 && iterations == 0 ? DEFAULT_SECONDS : seconds, iterations, rate);
    }

    /** Sizes to measure; an atomic operation has only one. */
    List<Integer> sizes(PerfTest test) {
        return test == PerfTest.ATOMIC_LAT ? List.of(PerfTest.ATOMIC_SIZE) : sizes;
    }

    /** With a rate no more than it sends in a tenth of a second: half of the depth is sent at once, and waited for then. */
    private int usualDepth(int size) {
        return rate == 0
                ? RunSpec.DEFAULT_DEPTH
                : (int) Math.clamp(rate * OCTETS_PER_TENTH / size, 1, RunSpec.DEFAULT_DEPTH);
    }

    private TransportPath path() {
        return path == null ? TransportPath.best() : path;
    }
}
