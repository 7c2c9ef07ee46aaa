package io.stag.bench.compare;

import io.stag.cli.perf.PerfTest;
import io.stag.cli.perf.RunSpec;
import io.stag.verbs.ProgressMode;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What Stag wants to reach. Where the goal is another program that is not measured here, its figure was recorded
 * together with that of raw TCP on the same machine, and the ratio of the two is the limit.
 */
final class Goals {
    private static final int K = 1 << 10;
    private static final int M = 1 << 20;
    private static final int ETHERNET_SEGMENT = 1_436;
    private static final int ETHERNET_DATAGRAM = 1_472;
    private static final long A_MILLION = 1_000_000;

    // recorded: raw NIO TCP 3.36 us; libfabric 4.02 us (4 octets) and 3.84 us (64); reads 7.89, UCX fetch-add 7.96
    private static final double PEER_WRITE_4 = 4.02 / 3.36;
    private static final double PEER_WRITE_64 = 3.84 / 3.37;
    private static final double PEER_READ = 7.89 / 3.36;
    private static final double PEER_ATOMIC = 7.96 / 3.36;
    private static final double SEVEN_MICROSECONDS = 7.0 / 3.36;

    private final List<Goal> goals = new ArrayList<>();

    private Goals() {}

    /** All of them, row by row. */
    static List<Goal> all() {
        Goals all = new Goals();
        all.smallLatency();
        all.blockingLatency();
        all.largeLatency();
        all.bandwidth();
        all.reads();
        all.messageRate();
        all.segmentsAndMarkers();
        all.processorTime();
        all.atomics();
        all.parkedApplication();
        all.allocation();
        all.manyConnections();
        all.activeConnections();
        all.datagramLatency();
        all.datagramBandwidth();
        all.reliableDatagrams();
        return all.goals;
    }

    private void smallLatency() {
        String row = "small latency";
        for (PerfTest test : List.of(PerfTest.WRITE_LAT, PerfTest.SEND_LAT)) {
            for (int size : new int[] {4, 64}) {
                RunSpec run = RunSpec.of(test, size);
                String name = test + " " + size + " B / ";
                ratio(row, name + "raw TCP", Metric.LATENCY, run, run.as(PerfTest.TCP_LAT), 1.20, 1.00);
                ratio(row, name + "framed", Metric.LATENCY, run, run.as(PerfTest.FRAMED_LAT), 1.05, null);
                ratio(row, name + "Netty", Metric.LATENCY, run, run.as(PerfTest.NETTY_LAT), 1.00, null);
                ratio(
                        row,
                        name + "raw TCP, best of libfabric, Open MPI, UCX as recorded",
                        Metric.LATENCY,
                        run,
                        run.as(PerfTest.TCP_LAT),
                        size == 4 ? PEER_WRITE_4 : PEER_WRITE_64,
                        null);
            }
        }
    }

    private void blockingLatency() {
        for (PerfTest test : List.of(PerfTest.IMM_LAT, PerfTest.SEND_LAT)) { // nothing can sleep until memory changes
            for (int size : new int[] {4, 64}) {
                RunSpec run = RunSpec.of(test, size).blocking();
                String name = (test == PerfTest.IMM_LAT ? "Write with immediate" : "Send") + " " + size + " B";
                ratio(
                        "blocking latency",
                        name + " / raw blocking TCP",
                        Metric.LATENCY,
                        run,
                        run.as(PerfTest.TCP_LAT),
                        1.15,
                        0.5);
            }
        }
    }

    private void largeLatency() {
        String row = "64 KiB latency";
        RunSpec run = RunSpec.of(PerfTest.WRITE_LAT, 64 * K);
        RunSpec tcp = run.as(PerfTest.TCP_LAT);
        ratio(row, "write-lat 64 KiB, no CRC / raw TCP", Metric.LATENCY, run.withoutCrc(), tcp, 1.10, 1.05);
        ratio(row, "write-lat 64 KiB / raw TCP", Metric.LATENCY, run, tcp, 1.25, 1.15);
    }

    private void bandwidth() {
        for (int size : new int[] {64 * K, M, 4 * M}) {
            String row = "bandwidth " + (size < M ? size / K + " KiB" : size / M + " MiB");
            RunSpec crc = RunSpec.of(PerfTest.WRITE_BW, size);
            RunSpec noCrc = crc.withoutCrc();
            RunSpec tcp = crc.as(PerfTest.TCP_BW);
            ratio(row, "write-bw, no CRC / framed", Metric.BANDWIDTH, noCrc, noCrc.as(PerfTest.FRAMED_BW), 0.93, null);
            ratio(row, "write-bw / framed", Metric.BANDWIDTH, crc, crc.as(PerfTest.FRAMED_BW), 0.93, null);
            ratio(row, "write-bw, no CRC / raw TCP", Metric.BANDWIDTH, noCrc, tcp, null, 0.95);
            ratio(row, "write-bw / raw TCP", Metric.BANDWIDTH, crc, tcp, null, 0.90);
            if (size < M) {
                ratio(row, "write-bw / Netty", Metric.BANDWIDTH, crc, crc.as(PerfTest.NETTY_BW), null, 1.0);
            }
        }
    }

    private void reads() {
        RunSpec bulk = RunSpec.of(PerfTest.READ_BW, M);
        ratio(
                "Read bandwidth",
                "read-bw 1 MiB / write-bw",
                Metric.BANDWIDTH,
                bulk,
                bulk.as(PerfTest.WRITE_BW),
                0.85,
                0.95);
        RunSpec small = RunSpec.of(PerfTest.READ_LAT, 8);
        ratio(
                "Read latency",
                "read-lat 8 B / raw TCP, libfabric as recorded (7.9 us)",
                Metric.LATENCY,
                small,
                small.as(PerfTest.TCP_LAT),
                PEER_READ,
                SEVEN_MICROSECONDS);
    }

    private void messageRate() {
        absolute(
                "message rate",
                "write-bw 64 B, messages/s",
                Metric.MESSAGE_RATE,
                Cell.timed(RunSpec.of(PerfTest.WRITE_BW, 64).withDepth(256)),
                7e6,
                1e7);
    }

    private void segmentsAndMarkers() {
        RunSpec bulk = RunSpec.of(PerfTest.WRITE_BW, M);
        RunSpec segments = bulk.inSegmentsOf(ETHERNET_SEGMENT);
        ratio(
                "segments",
                "write-bw 1 MiB, segments of 1,436 / framed",
                Metric.BANDWIDTH,
                segments,
                segments.as(PerfTest.FRAMED_BW),
                0.93,
                null);
        ratio("markers", "write-bw 1 MiB, markers / without", Metric.BANDWIDTH, bulk.withMarkers(), bulk, 0.8, null);
    }

    private void processorTime() {
        RunSpec run = RunSpec.of(PerfTest.WRITE_BW, M).blocking();
        RunSpec tcp = run.as(PerfTest.TCP_BW);
        String row = "processor time";
        ratio(row, "CPU of write-bw 1 MiB, blocking, no CRC / raw TCP", Metric.CPU, run.withoutCrc(), tcp, 1.15, 1.05);
        ratio(row, "CPU of write-bw 1 MiB, blocking / raw TCP", Metric.CPU, run, tcp, 1.40, 1.25);
    }

    private void atomics() {
        RunSpec run = RunSpec.of(PerfTest.ATOMIC_LAT, PerfTest.ATOMIC_SIZE);
        ratio(
                "atomics",
                "atomic-lat / raw TCP, UCX as recorded (8.0 us)",
                Metric.LATENCY,
                run,
                run.as(PerfTest.TCP_LAT),
                PEER_ATOMIC,
                SEVEN_MICROSECONDS);
    }

    private void parkedApplication() {
        RunSpec parked = RunSpec.of(PerfTest.IMM_LAT, 4).blocking();
        ratio(
                "dedicated, parked",
                "Write with immediate 4 B, dedicated, parked / invoker, parked",
                Metric.LATENCY,
                parked.drivenBy(ProgressMode.DEDICATED),
                parked,
                1.25,
                1.10);
    }

    private void allocation() {
        for (RunSpec run : List.of(
                RunSpec.of(PerfTest.WRITE_LAT, 64),
                RunSpec.of(PerfTest.SEND_LAT, 64),
                RunSpec.of(PerfTest.READ_LAT, 8),
                RunSpec.of(PerfTest.ATOMIC_LAT, PerfTest.ATOMIC_SIZE),
                RunSpec.of(PerfTest.WRITE_BW, 64),
                RunSpec.of(PerfTest.SEND_BW, 64),
                RunSpec.of(PerfTest.READ_BW, 64))) {
            absolute(
                    "allocation",
                    run.test() + " " + run.size() + " B, a million operations",
                    Metric.ALLOCATION,
                    new Cell(run, A_MILLION),
                    0.01,
                    null);
        }
    }

    private void manyConnections() {
        RunSpec alone = RunSpec.of(PerfTest.WRITE_LAT, 64);
        ratio(
                "one among 1,000",
                "write-lat 64 B beside 999 idle connections / alone",
                Metric.LATENCY,
                alone.on(1, 999),
                alone,
                1.10,
                1.05);
    }

    private void activeConnections() {
        String row = "64 connections";
        RunSpec run = RunSpec.of(PerfTest.WRITE_BW, 4 * K).on(64, 0);
        ratio(row, "write-bw 4 KiB on 64 / raw TCP on 64", Metric.BANDWIDTH, run, run.as(PerfTest.TCP_BW), 0.9, 1.0);
        absolute(row, "write-bw 4 KiB on 64, fairness", Metric.FAIRNESS, Cell.timed(run), 0.95, null);
    }

    /**
     * What the paper says of datagrams and connections is the mean of the sizes up to 2 KiB, and its connections have markers.
     * Those of Stag have none unless asked for, so each size beside one without markers is an aim.
     */
    private void datagramLatency() {
        String row = "datagram latency";
        List<RunSpec> sends = new ArrayList<>();
        List<RunSpec> records = new ArrayList<>();
        List<RunSpec> writes = new ArrayList<>();
        for (int size : new int[] {4, 64, K, 2 * K}) {
            RunSpec send = RunSpec.of(PerfTest.SEND_LAT, size);
            RunSpec write = RunSpec.of(PerfTest.WRITE_LAT, size);
            RunSpec record = RunSpec.of(PerfTest.WRITE_RECORD_LAT, size);
            RunSpec socket = RunSpec.of(PerfTest.UDP_LAT, size);
            sends.add(send);
            records.add(record);
            writes.add(write);
            String name = size + " B: ";
            ratio(row, name + "UD Send / UDP socket", Metric.LATENCY, send.inDatagrams(), socket, 1.15, null);
            ratio(row, name + "UD Write-Record / UDP socket", Metric.LATENCY, record, socket, 1.15, null);
            ratio(row, name + "UD Send / RC Send", Metric.LATENCY, send.inDatagrams(), send, null, 0.82);
            ratio(row, name + "UD Write-Record / RC Write", Metric.LATENCY, record, write, null, 0.76);
        }
        mean(
                row,
                "mean of 4 B to 2 KiB: UD Send / RC Send with markers",
                Metric.LATENCY,
                sends.stream().map(RunSpec::inDatagrams),
                sends.stream().map(RunSpec::withMarkers),
                0.82);
        mean(
                row,
                "mean of 4 B to 2 KiB: UD Write-Record / RC Write with markers",
                Metric.LATENCY,
                records.stream(),
                writes.stream().map(RunSpec::withMarkers),
                0.76);
    }

    private void datagramBandwidth() {
        String row = "datagram bandwidth";
        RunSpec record = RunSpec.of(PerfTest.WRITE_RECORD_BW, 64 * K);
        RunSpec socket = RunSpec.of(PerfTest.UDP_BW, ETHERNET_DATAGRAM);
        ratio(
                row,
                "UD Write-Record 64 KiB, datagrams of 1,472 / UDP socket, one of them per call",
                Metric.BANDWIDTH,
                record.inSegmentsOf(ETHERNET_DATAGRAM),
                socket,
                8.0,
                null);
        ratio(
                row,
                "UD Write-Record 64 KiB / RC Write",
                Metric.BANDWIDTH,
                record,
                RunSpec.of(PerfTest.WRITE_BW, 64 * K),
                0.8,
                null);
    }

    private void reliableDatagrams() {
        RunSpec bulk = RunSpec.of(PerfTest.WRITE_BW, M);
        ratio(
                "reliable datagram bandwidth",
                "RD Write 1 MiB / RC Write",
                Metric.BANDWIDTH,
                bulk.inReliableDatagrams(),
                bulk,
                0.7,
                null);
        String row = "reliable datagram latency";
        RunSpec send = RunSpec.of(PerfTest.SEND_LAT, 4);
        ratio(row, "RD Send 4 B / UD Send", Metric.LATENCY, send.inReliableDatagrams(), send.inDatagrams(), 1.10, null);
        ratio(
                row,
                "RD Write 4 B / UD Write-Record",
                Metric.LATENCY,
                send.as(PerfTest.WRITE_LAT).inReliableDatagrams(),
                RunSpec.of(PerfTest.WRITE_RECORD_LAT, 4),
                1.10,
                null);
    }

    private void ratio(
            String row,
            String what,
            Metric metric,
            RunSpec measured,
            RunSpec against,
            @Nullable Double floor,
            @Nullable Double aim) {
        goals.add(new Goal(row, what, metric, Cell.timed(measured), Cell.timed(against), floor, aim));
    }

    private void mean(
            String row, String what, Metric metric, Stream<RunSpec> measured, Stream<RunSpec> against, double floor) {
        goals.add(new Goal(
                row,
                what,
                metric,
                measured.map(Cell::timed).toList(),
                against.map(Cell::timed).toList(),
                floor,
                null));
    }

    private void absolute(
            String row, String what, Metric metric, Cell measured, @Nullable Double floor, @Nullable Double aim) {
        goals.add(new Goal(row, what, metric, measured, null, floor, aim));
    }
}
