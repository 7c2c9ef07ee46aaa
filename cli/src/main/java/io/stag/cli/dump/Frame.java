package io.stag.cli.dump;

import java.util.ArrayList;
import java.util.List;

/**
 * What the dump shows on one line: a startup frame, an FPDU, or a remark about the stream.
 *
 * @param timestampNanos when its last octet was captured, in nanoseconds since 1970
 * @param connection number of the connection, from 1
 * @param direction {@code >} from the initiator, {@code <} to it, {@code -} unknown
 * @param offset position of its first octet in the stream, from the first octet of Full Operation; 0 for startup frames
 * @param name what it is
 * @param summary its most important fields
 * @param remarks what is wrong or remarkable
 * @param details all fields, one per line; empty unless wanted
 */
record Frame(
        long timestampNanos,
        int connection,
        char direction,
        long offset,
        String name,
        String summary,
        List<Remark> remarks,
        List<String> details) {

    boolean hasAnomaly() {
        return remarks.stream().anyMatch(Remark::isAnomaly);
    }

    /** A frame under construction; stages that know more add to it. */
    static final class Builder {
        final StringBuilder summary = new StringBuilder();
        private final List<Remark> remarks = new ArrayList<>();
        private final List<String> details = new ArrayList<>();
        private final boolean wantsDetails;
        private String name = "";

        Builder(boolean wantsDetails) {
            this.wantsDetails = wantsDetails;
        }

        void name(String value) {
            name = value;
        }

        void anomaly(String text, String clause) {
            remarks.add(Remark.anomaly(text, clause));
        }

        void note(String text, String clause) {
            remarks.add(Remark.note(text, clause));
        }

        boolean wantsDetails() {
            return wantsDetails;
        }

        void detail(String text) {
            details.add(text);
        }

        Frame build(long timestampNanos, int connection, char direction, long offset) {
            return new Frame(
                    timestampNanos,
                    connection,
                    direction,
                    offset,
                    name,
                    summary.toString(),
                    List.copyOf(remarks),
                    List.copyOf(details));
        }
    }
}
