package io.stag.cli.perf;

import io.stag.verbs.ProgressMode;
import java.util.Arrays;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * One measurement, as both sides need to know it; travels over the control connection.
 *
 * @param test what to measure
 * @param size octets per message
 * @param crc whether CRC32C protects the stream
 * @param markers whether Markers are asked for
 * @param progress who drives the RNIC
 * @param waitMode how a side waits
 * @param path which system calls are used
 * @param segment TCP segment size from which FPDU sizes follow, or the length of datagrams; 0 takes the path's
 * @param depth requests outstanding at most, per connection
 * @param connections connections in use, in turn
 * @param idleConnections connections opened besides and left alone
 * @param transport what carries the messages
 * @param loss percent of the IP packets that a relay before the server loses; 0 for no relay
 * @param flow flow window of datagram queue pairs; 0 for none
 */
public record RunSpec(
        PerfTest test,
        int size,
        boolean crc,
        boolean markers,
        ProgressMode progress,
        WaitMode waitMode,
        TransportPath path,
        int segment,
        int depth,
        int connections,
        int idleConnections,
        Transport transport,
        double loss,
        int flow) {
    static final int MAX_SIZE = 1 << 30;
    static final int MAX_DEPTH = 8_192;
    static final int MAX_FLOW = 1 << 14;
    static final int MAX_CONNECTIONS = 16_384;

    static final int DEFAULT_DEPTH = 64;

    private static final long MAX_MEMORY = 2L << 30;

    /** Refuses what cannot be run; both sides check. */
    public RunSpec {
        check("--size", size, 1, MAX_SIZE);
        check("--depth", depth, 1, MAX_DEPTH);
        check("--connections", connections, 1, MAX_CONNECTIONS);
        check("--idle-connections", idleConnections, 0, MAX_CONNECTIONS);
        if (!(loss >= 0 && loss < 100)) {
            throw new IllegalArgumentException("--loss " + loss + " is not 0 or more and below 100");
        }
        if (!test.runsOver(transport)) {
            throw new IllegalArgumentException("--transport " + transport + ": there are "
                    + Arrays.stream(PerfTest.values())
                            .filter(other -> other.runsOver(transport))
                            .map(PerfTest::toString)
                            .collect(Collectors.joining(" "))
                    + ", and not " + test);
        }
        if (transport == Transport.UDP) {
            check("--flow", flow, 0, MAX_FLOW);
        } else if (flow != 0) {
            throw new IllegalArgumentException("--flow is for --transport udp");
        }
        if (transport == Transport.TCP) {
            checkStreams(segment, loss);
        } else {
            checkDatagrams(transport, crc, markers, segment, connections + idleConnections);
        }
        if (test == PerfTest.WRITE_LAT && waitMode == WaitMode.BLOCK) {
            throw new IllegalArgumentException(
                    "write-lat polls memory, which nothing can wait for; use imm-lat with --wait block");
        }
        if (2L * size * connections > MAX_MEMORY) {
            throw new IllegalArgumentException(
                    "buffers of " + connections + " connections with " + size + " octets are above 2 GiB");
        }
    }

    /**
     * A run as {@code stag perf} does it without options: CRC, no Markers, polling, one connection.
     *
     * @param test what to measure
     * @param size octets per message
     */
    public static RunSpec of(PerfTest test, int size) {
        return new RunSpec(
                test,
                size,
                true,
                false,
                ProgressMode.INVOKER,
                WaitMode.POLL,
                TransportPath.best(),
                0,
                DEFAULT_DEPTH,
                1,
                0,
                test.usualTransport(),
                0,
                0);
    }

    /** The same with another test. */
    public RunSpec as(PerfTest other) {
        return changed(draft -> draft.test = other);
    }

    /** The same without a connection. */
    public RunSpec inDatagrams() {
        return changed(draft -> draft.transport = Transport.UDP);
    }

    /** The same in reliable datagrams. */
    public RunSpec inReliableDatagrams() {
        return changed(draft -> draft.transport = Transport.RD);
    }

    /** The same through a relay that loses some percent of the packets. */
    public RunSpec losing(double percent) {
        return changed(draft -> draft.loss = percent);
    }

    /** The same with a flow window. */
    public RunSpec withFlow(int datagrams) {
        return changed(draft -> draft.flow = datagrams);
    }

    /** The same through other system calls. */
    public RunSpec by(TransportPath other) {
        return changed(draft -> draft.path = other);
    }

    /** The same with messages of another size. */
    public RunSpec ofSize(int octets) {
        return changed(draft -> draft.size = octets);
    }

    /** The same without CRC. */
    public RunSpec withoutCrc() {
        return changed(draft -> draft.crc = false);
    }

    /** The same with Markers. */
    public RunSpec withMarkers() {
        return changed(draft -> draft.markers = true);
    }

    /** The same, but both sides sleep while they wait. */
    public RunSpec blocking() {
        return changed(draft -> draft.waitMode = WaitMode.BLOCK);
    }

    /** The same, driven by someone else. */
    public RunSpec drivenBy(ProgressMode mode) {
        return changed(draft -> draft.progress = mode);
    }

    /** The same in frames that fit a TCP segment, or in datagrams of that length. */
    public RunSpec inSegmentsOf(int octets) {
        return changed(draft -> draft.segment = octets);
    }

    /** The same with more or fewer requests outstanding. */
    public RunSpec withDepth(int requests) {
        return changed(draft -> draft.depth = requests);
    }

    /** The same on several connections, with others beside them. */
    public RunSpec on(int active, int idle) {
        return changed(draft -> {
            draft.connections = active;
            draft.idleConnections = idle;
        });
    }

    private RunSpec changed(Consumer<Draft> change) {
        Draft draft = new Draft(this);
        change.accept(draft);
        return draft.spec();
    }

    /** A run whose parts can be changed one by one. */
    private static final class Draft {
        private PerfTest test;
        private int size;
        private boolean crc;
        private boolean markers;
        private ProgressMode progress;
        private WaitMode waitMode;
        private TransportPath path;
        private int segment;
        private int depth;
        private int connections;
        private int idleConnections;
        private Transport transport;
        private double loss;
        private int flow;

        Draft(RunSpec from) {
            test = from.test;
            size = from.size;
            crc = from.crc;
            markers = from.markers;
            progress = from.progress;
            waitMode = from.waitMode;
            path = from.path;
            segment = from.segment;
            depth = from.depth;
            connections = from.connections;
            idleConnections = from.idleConnections;
            transport = from.transport;
            loss = from.loss;
            flow = from.flow;
        }

        RunSpec spec() {
            return new RunSpec(
                    test,
                    size,
                    crc,
                    markers,
                    progress,
                    waitMode,
                    path,
                    segment,
                    depth,
                    connections,
                    idleConnections,
                    transport,
                    loss,
                    flow);
        }
    }

    /** Octets from the buffers of one connection to those of the next. */
    int stride() {
        return Math.addExact(size, 63) & ~63;
    }

    private static void checkStreams(int segment, double loss) {
        if (loss > 0) {
            throw new IllegalArgumentException("--loss is for --transport udp and rd");
        }
        if (segment != 0) {
            check("--segment", segment, 64, 65_535);
        }
    }

    /** A datagram always has a CRC and never a connection. */
    private static void checkDatagrams(
            Transport transport, boolean crc, boolean markers, int segment, int connections) {
        if (!crc) {
            throw new IllegalArgumentException("--crc off: datagrams always have a CRC");
        }
        if (markers) {
            throw new IllegalArgumentException(
                    "--markers on: Markers are for streams, not for --transport " + transport);
        }
        if (connections != 1) {
            throw new IllegalArgumentException("--connections, --idle-connections: --transport " + transport
                    + " has no connections, one queue pair serves all");
        }
        if (segment != 0) {
            check("--segment", segment, transport == Transport.UDP ? 106 : 118, 65_507);
        }
    }

    private static void check(String option, long value, long min, long max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(option + " " + value + " is outside " + min + " to " + max);
        }
    }
}
