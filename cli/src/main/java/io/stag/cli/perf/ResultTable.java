package io.stag.cli.perf;

import io.stag.cli.OctetCount;
import io.stag.cli.Table;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Prints results for people. */
final class ResultTable {
    private ResultTable() {}

    static void print(List<Measurement> measurements, PrintWriter out) {
        Table table = new Table(
                "test",
                "octets",
                "p50 us",
                "p99 us",
                "mean us",
                "MB/s",
                "messages/s",
                "CPU us/msg",
                "alloc/op",
                "samples");
        for (Measurement measurement : measurements) {
            PerfResult result = measurement.result();
            table.row(
                    result.test(),
                    Integer.toString(result.size()),
                    number(result.p50Us(), 2),
                    number(result.p99Us(), 2),
                    number(result.meanUs(), 2),
                    number(result.mbPerS(), 1),
                    number(result.msgsPerS(), 0),
                    number(result.cpuUsPerMsg(), 2),
                    number(result.allocBytesPerOp(), 1),
                    Long.toString(result.samples()));
        }
        table.print(out);
        for (Measurement measurement : measurements) {
            PerfResult result = measurement.result();
            if (result.delivery() != null) {
                out.println(
                        result.test() + ", " + OctetCount.text(result.size()) + " octets: " + text(result.delivery()));
            }
            if (result.fairness() != null) {
                out.println("fairness of " + result.connections() + " connections, "
                        + OctetCount.text(result.size()) + " octets (Jain's index, 1 is even): "
                        + number(result.fairness(), 3));
            }
        }
    }

    private static String text(Delivery delivery) {
        return String.format(
                Locale.ROOT,
                "sent %d, received %d%s, lost %d; %.3f %% of the octets arrived",
                delivery.sent(),
                delivery.received(),
                delivery.partial() == 0 ? "" : ", in part " + delivery.partial(),
                delivery.lost(),
                delivery.octetsPercent());
    }

    /** A number, or a dash where there is none. */
    static String number(@Nullable Double value, int decimals) {
        return value == null ? "-" : String.format(Locale.ROOT, "%." + decimals + "f", value);
    }
}
