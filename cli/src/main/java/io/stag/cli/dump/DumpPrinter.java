package io.stag.cli.dump;

import java.io.PrintWriter;
import java.util.Locale;

/** Prints one line per frame and counts. */
final class DumpPrinter implements DumpOutput {
    private static final int NAME_WIDTH = 16;

    private final PrintWriter out;
    private final boolean withTime;
    private long firstTimestampNanos = Long.MIN_VALUE;
    private long frames;
    private long anomalies;
    private int connections;
    private int datagramPairs;
    private int withoutStartup;

    DumpPrinter(PrintWriter out, boolean withTime) {
        this.out = out;
        this.withTime = withTime;
    }

    @Override
    public void connection(int number, String endpoints) {
        connections++;
        out.println("#" + number + " " + endpoints);
    }

    @Override
    public void datagrams(int number, String endpoints) {
        datagramPairs++;
        out.println("#" + number + " " + endpoints + ", datagrams");
    }

    @Override
    public void frame(Frame frame) {
        if (firstTimestampNanos == Long.MIN_VALUE) {
            firstTimestampNanos = frame.timestampNanos();
        }
        frames++;
        anomalies += frame.hasAnomaly() ? 1 : 0;
        StringBuilder line = new StringBuilder();
        if (withTime) {
            line.append(seconds(frame.timestampNanos() - firstTimestampNanos)).append(' ');
        }
        line.append('#').append(frame.connection()).append(' ').append(frame.direction());
        line.append(String.format(Locale.ROOT, " %8d ", frame.offset()));
        line.append(frame.name())
                .repeat(' ', Math.max(1, NAME_WIDTH - frame.name().length()));
        line.append(frame.summary());
        frame.remarks().forEach(remark -> line.append("  ").append(remark));
        out.println(line.toString().stripTrailing());
        frame.details().forEach(detail -> out.println("      " + detail));
    }

    @Override
    public void withoutStartup(String endpoints, long octets) {
        withoutStartup++;
        out.println("-- " + endpoints + ": the startup frames are not in the capture, " + octets
                + " octets left out (--guess looks for FPDUs in them)");
    }

    boolean foundAnomalies() {
        return anomalies > 0;
    }

    /** How FPDUs sit in TCP segments; nothing when {@code text} is empty. */
    void alignment(String text) {
        if (!text.isEmpty()) {
            out.println(text);
        }
    }

    /** The last line. */
    void summary(String statistics) {
        StringBuilder line = new StringBuilder(statistics);
        if (withTime) {
            line.append(", ").append(connections).append(connections == 1 ? " connection" : " connections");
            line.append(" with MPA");
            line.append(datagramPairs == 0 ? "" : ", " + datagramPairs + (datagramPairs == 1 ? " pair" : " pairs"))
                    .append(datagramPairs == 0 ? "" : " of ends with datagrams");
        }
        line.append(line.isEmpty() ? "" : ", ").append(frames).append(frames == 1 ? " frame, " : " frames, ");
        line.append(anomalies == 0 ? "no anomalies" : anomalies + " with anomalies, marked !!");
        if (withTime && connections == 0 && datagramPairs == 0 && withoutStartup == 0) {
            line.append("; no connection begins with an MPA startup frame");
        }
        out.println(line);
    }

    private static String seconds(long nanos) {
        long micros = Math.floorDiv(nanos, 1_000);
        return String.format(Locale.ROOT, "%4d.%06d", micros / 1_000_000, Math.abs(micros % 1_000_000));
    }
}
