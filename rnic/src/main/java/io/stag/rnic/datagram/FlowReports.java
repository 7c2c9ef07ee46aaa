package io.stag.rnic.datagram;

import io.stag.wire.Crc32c;
import io.stag.wire.datagram.DatagramPrefix;

/** Tells sources that want to know it how far their datagrams have come: one report for every few datagrams. */
final class FlowReports {
    private static final int EVERY = 8;
    private static final int MOST_DUE = 32;
    private static final int LENGTH = DatagramPrefix.LENGTH + Crc32c.LENGTH;

    private final DatagramSettings settings;
    private final Source[] due = new Source[MOST_DUE];
    private final Crc32c crc = new Crc32c();
    private int dueCount;

    FlowReports(DatagramSettings settings) {
        this.settings = settings;
    }

    /** A datagram of a source that wants reports came; whether it is taken does not matter to the flow. */
    void note(Source source, int number) {
        source.flowReceived++;
        source.flowUnreported++;
        // compared with those of this report only: between two, any number of datagrams may have gone elsewhere
        if (source.flowUnreported == 1 || (short) (number - source.flowNumber) > 0) {
            source.flowNumber = number;
        }
        if (settings.flowReports() && source.flowUnreported >= EVERY && !source.reportDue && dueCount < MOST_DUE) {
            source.reportDue = true;
            due[dueCount++] = source;
        }
    }

    boolean areDue() {
        return dueCount > 0;
    }

    void fill(DatagramOutput output) {
        while (dueCount > 0 && output.hasRoom(LENGTH)) {
            Source source = due[--dueCount];
            source.reportDue = false;
            source.flowUnreported = 0;
            int at = output.end();
            DatagramPrefix.put(
                    output.segment(),
                    at,
                    DatagramPrefix.REPORT,
                    0,
                    0,
                    settings.epoch(),
                    source.epoch,
                    source.flowReceived,
                    source.flowNumber);
            crc.reset();
            crc.update(output.buffer(), at, DatagramPrefix.LENGTH);
            Crc32c.putWire(output.segment(), (long) at + DatagramPrefix.LENGTH, crc.value());
            output.append(LENGTH, source.address);
        }
    }
}
