package io.stag.rnic.datagram;

import io.stag.rnic.memory.StagTable;
import io.stag.rnic.work.ReceiveQueue;
import io.stag.rnic.work.SendQueue;
import io.stag.verbs.DatagramCounters;
import java.util.function.LongSupplier;

/** The two halves of a queue pair that promises neither delivery nor order. */
public final class UnreliableEngine implements DatagramEngine {
    private final DatagramCounts counts;
    private final DatagramSender sender;
    private final DatagramReceiver receiver;
    private final DatagramSettings settings;

    /** An engine that has sent nothing and knows nobody. */
    public UnreliableEngine(
            DatagramSettings settings,
            DatagramCounts counts,
            StagTable stags,
            SendQueue sends,
            ReceiveQueue receives,
            DatagramOwner owner) {
        this.settings = settings;
        this.counts = counts;
        sender = new DatagramSender(settings, counts, sends, owner);
        receiver = new DatagramReceiver(settings, counts, stags, receives, owner, sender::reported);
    }

    @Override
    public void handle(DatagramInput input, LongSupplier clock) {
        receiver.handle(input, clock);
    }

    @Override
    public boolean nothingCame(LongSupplier clock) {
        receiver.nothingCame(clock);
        return false;
    }

    @Override
    public boolean hasReports() {
        return receiver.hasReports();
    }

    @Override
    public void fillReports(DatagramOutput output) {
        receiver.fillReports(output);
    }

    @Override
    public boolean canSend() {
        return !sender.isHeldBack() && sender.hasWork();
    }

    @Override
    public boolean sendingDependsOnTime() {
        return settings.flowWindow() > 0;
    }

    @Override
    public void fill(DatagramOutput output, long nowNanos) {
        sender.fill(output, nowNanos);
    }

    @Override
    public void transmitted(DatagramOutput output, int taken) {
        sender.transmitted(output, taken);
    }

    @Override
    public long nextDeadline() {
        return Math.min(receiver.nextDeadline(), sender.nextDeadline());
    }

    @Override
    public void handleTimeout(long nowNanos) {
        if (receiver.nextDeadline() <= nowNanos) {
            receiver.handleTimeout(nowNanos);
        }
        if (sender.nextDeadline() <= nowNanos) {
            sender.handleTimeout();
        }
    }

    @Override
    public void close() {
        receiver.close();
    }

    @Override
    public long workDone() {
        return counts.messagesSent + counts.messagesReceived + counts.octetsPlaced;
    }

    /** Octets of payload that a datagram carries at most. */
    public int segmentLength() {
        return settings.segmentLength();
    }

    /** What was counted, and what is open. Any thread. */
    public DatagramCounters counters() {
        return counts.snapshot(receiver.openMessages(), receiver.sources(), receiver.reassemblyOctets());
    }
}
