package io.stag.rnic.datagram;

import io.stag.rnic.memory.StagTable;
import io.stag.rnic.work.ReceiveQueue;
import io.stag.verbs.DatagramRefusal;
import java.util.function.LongSupplier;

/**
 * The receiving half of a datagram queue pair: datagrams in, placement, completions and records out. It does no I/O,
 * and asks for the time only whom it is told to ask.
 *
 * <p>Call {@link #handle} with what a port received, or {@link #nothingCame}. When nothing more waits at the port and {@link #nextDeadline} has come,
 * call {@link #handleTimeout}. Both may change the deadline.
 */
public final class DatagramReceiver {

    /** The sending half, which others' reports are for. */
    public interface ReportHandler {
        /** A peer reports the newest of our datagrams that it got. */
        void reported(DatagramAddress receiver, int number);
    }

    final Reassembly reassembly;
    private final DatagramSettings settings;
    private final DatagramCounts counts;
    private final DatagramOwner owner;
    private final InboundSends sends;
    private final InboundRecords records;
    private final FlowReports reports;
    private final ReportHandler reportHandler;
    private final Arrival arrival = new Arrival();
    private final DatagramAddress reported = new DatagramAddress();

    /** A receiver that knows nobody yet. */
    public DatagramReceiver(
            DatagramSettings settings,
            DatagramCounts counts,
            StagTable stags,
            ReceiveQueue receives,
            DatagramOwner owner,
            ReportHandler reportHandler) {
        this.settings = settings;
        this.counts = counts;
        this.owner = owner;
        this.reportHandler = reportHandler;
        reassembly = new Reassembly(settings, counts, this::giveUp);
        sends = new InboundSends(this, settings, counts, receives, owner);
        records = new InboundRecords(this, settings, counts, stags, owner);
        reports = new FlowReports(settings);
    }

    /** Takes everything that {@code input} holds, which came just now; asks {@code clock} once if that matters. */
    public void handle(DatagramInput input, LongSupplier clock) {
        arrival.cameNow(clock);
        counts.receiveCalls++;
        for (int slot = 0; slot < input.count(); slot++) {
            arrival.sourceHigh = input.sourceHigh(slot);
            arrival.sourceLow = input.sourceLow(slot);
            arrival.sourcePort = input.sourcePort(slot);
            arrival.sourceScope = input.sourceScope(slot);
            int at = DatagramInput.offset(slot);
            int end = at + input.length(slot);
            counts.octetsReceived += input.length(slot);
            do {
                int length = Math.min(input.segmentSize(slot), end - at);
                counts.datagramsReceived++;
                handle(input, at, length);
                at += length;
            } while (at < end);
        }
        records.showPlaced();
    }

    private void handle(DatagramInput input, int at, int length) {
        DatagramRefusal refusal = arrival.read(input.segment(), input.buffer(), at, length);
        if (refusal != null) {
            refuse(refusal, "a datagram of ", length, " octets");
            return;
        }
        if (arrival.isReport) {
            takeReport();
            return;
        }
        if (!arrival.isWhole() && arrival.length > settings.maxMessageLength()) {
            refuse(DatagramRefusal.MESSAGE_TOO_LONG, "a message of ", arrival.length, " octets");
            return;
        }
        Source source = reassembly.find(arrival);
        if (arrival.reportWanted && source != null) {
            reports.note(source, arrival.flow);
        }
        OpenMessage open = source == null ? null : source.find(arrival.id);
        if (open != null) {
            refusal = reassembly.check(open, arrival);
        } else if (source != null && source.isClosed(arrival.id)) {
            source.noteLate(arrival.id, arrival.nowNanos());
            refusal = DatagramRefusal.LATE;
        }
        if (refusal != null) {
            refuse(refusal, "message ", Integer.toUnsignedLong(arrival.id), "");
        } else if (arrival.tagged) {
            records.accept(source, open, arrival);
        } else {
            sends.accept(source, open, arrival);
        }
    }

    /** Nothing more came when somebody looked. */
    public void nothingCame(LongSupplier clock) {
        reassembly.nothingCame(clock);
    }

    private void takeReport() {
        if (arrival.id == settings.epoch()) { // else it is meant for another that had our address before
            reported.set(arrival.sourceHigh, arrival.sourceLow, arrival.sourcePort, arrival.sourceScope);
            reportHandler.reported(reported, arrival.flow);
        }
    }

    /** Appends reports that are due. */
    public void fillReports(DatagramOutput output) {
        reports.fill(output);
    }

    /** Whether reports are due. */
    public boolean hasReports() {
        return reports.areDue();
    }

    private void giveUp(OpenMessage message) {
        if (message.receive != null) {
            sends.giveUp(message);
        } else {
            records.giveUp(message);
        }
    }

    private void refuse(DatagramRefusal reason, String before, long number, String behind) {
        refuse(reason, isBlamed(reason) && owner.wantsRefusals() ? before + number + behind : "");
    }

    /** The datagram at hand is not taken. */
    void refuse(DatagramRefusal reason, String fact) {
        counts.refused(reason);
        if (!isBlamed(reason)) {
            return;
        }
        if (owner.wantsRefusals()) {
            reported.set(arrival.sourceHigh, arrival.sourceLow, arrival.sourcePort, arrival.sourceScope);
            owner.refused(reason, reported, fact);
        } else {
            counts.errorsDropped++;
        }
    }

    /** What a network does to datagrams is nobody's error. */
    private static boolean isBlamed(DatagramRefusal reason) {
        return switch (reason) {
            case TOO_SHORT, CRC, DUPLICATE, LATE, FORMER_LIFE, BEYOND_CREDIT -> false;
            case VERSION,
                    KIND,
                    HEADER,
                    LAYOUT,
                    MESSAGE_TOO_LONG,
                    INCONSISTENT,
                    NO_RECEIVE,
                    RECEIVE_TOO_SHORT,
                    ACCESS,
                    TOO_MANY_MESSAGES,
                    TOO_MANY_SOURCES,
                    NOT_PERMITTED -> true;
        };
    }

    /** When {@link #handleTimeout} is due; perhaps earlier than needed, never later. */
    public long nextDeadline() {
        return reassembly.nextDeadline();
    }

    /** Gives up messages of which nothing came for too long. Everything that came before must have been handled. */
    public void handleTimeout(long nowNanos) {
        reassembly.handleTimeout(nowNanos);
    }

    /** Nothing more will come: receives of Sends that are open go back to their queue. */
    public void close() {
        reassembly.giveUpSends();
    }

    /** Messages of which more is awaited. Any thread, perhaps a little old. */
    public int openMessages() {
        return reassembly.openCount();
    }

    /** Sources known. Any thread, perhaps a little old. */
    public int sources() {
        return reassembly.sourceCount();
    }

    /** Memory of the maps of open messages. Any thread, perhaps a little old. */
    public long reassemblyOctets() {
        return reassembly.octets();
    }
}
