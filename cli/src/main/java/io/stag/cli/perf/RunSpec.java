package io.stag.cli.perf;

import io.stag.verbs.ProgressMode;

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
 * @param segment TCP segment size from which FPDU sizes follow; 0 takes the path's
 * @param depth requests outstanding at most, per connection
 * @param connections connections in use, in turn
 * @param idleConnections connections opened besides and left alone
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
        int idleConnections) {
    static final int MAX_SIZE = 1 << 30;
    static final int MAX_DEPTH = 8_192;
    static final int MAX_CONNECTIONS = 16_384;

    static final int DEFAULT_DEPTH = 64;

    private static final long MAX_MEMORY = 2L << 30;

    /** Refuses what cannot be run; both sides check. */
    public RunSpec {
        check("--size", size, 1, MAX_SIZE);
        check("--depth", depth, 1, MAX_DEPTH);
        check("--connections", connections, 1, MAX_CONNECTIONS);
        check("--idle-connections", idleConnections, 0, MAX_CONNECTIONS);
        if (segment != 0) {
            check("--segment", segment, 64, 65_535);
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
                0);
    }

    /** The same with another test. */
    public RunSpec as(PerfTest other) {
        return new RunSpec(
                other, size, crc, markers, progress, waitMode, path, segment, depth, connections, idleConnections);
    }

    /** The same with messages of another size. */
    public RunSpec ofSize(int octets) {
        return new RunSpec(
                test, octets, crc, markers, progress, waitMode, path, segment, depth, connections, idleConnections);
    }

    /** The same without CRC. */
    public RunSpec withoutCrc() {
        return new RunSpec(
                test, size, false, markers, progress, waitMode, path, segment, depth, connections, idleConnections);
    }

    /** The same with Markers. */
    public RunSpec withMarkers() {
        return new RunSpec(
                test, size, crc, true, progress, waitMode, path, segment, depth, connections, idleConnections);
    }

    /** The same, but both sides sleep while they wait. */
    public RunSpec blocking() {
        return new RunSpec(
                test, size, crc, markers, progress, WaitMode.BLOCK, path, segment, depth, connections, idleConnections);
    }

    /** The same, driven by someone else. */
    public RunSpec drivenBy(ProgressMode mode) {
        return new RunSpec(
                test, size, crc, markers, mode, waitMode, path, segment, depth, connections, idleConnections);
    }

    /** The same in frames that fit a TCP segment. */
    public RunSpec inSegmentsOf(int octets) {
        return new RunSpec(
                test, size, crc, markers, progress, waitMode, path, octets, depth, connections, idleConnections);
    }

    /** The same with more or fewer requests outstanding. */
    public RunSpec withDepth(int requests) {
        return new RunSpec(
                test, size, crc, markers, progress, waitMode, path, segment, requests, connections, idleConnections);
    }

    /** The same on several connections, with others beside them. */
    public RunSpec on(int active, int idle) {
        return new RunSpec(test, size, crc, markers, progress, waitMode, path, segment, depth, active, idle);
    }

    /** Octets from the buffers of one connection to those of the next. */
    int stride() {
        return Math.addExact(size, 63) & ~63;
    }

    private static void check(String option, long value, long min, long max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(option + " " + value + " is outside " + min + " to " + max);
        }
    }
}
