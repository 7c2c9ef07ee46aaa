package io.stag.rnic.qp;

import io.stag.rnic.datagram.DatagramEngine;
import io.stag.rnic.datagram.DatagramInput;
import io.stag.rnic.datagram.DatagramOutput;
import io.stag.rnic.reliable.ReliableCounts;
import io.stag.rnic.reliable.ReliableEngine;
import io.stag.rnic.work.ReceiveQueue;
import java.util.function.LongSupplier;

/**
 * The engine of a reliable datagram queue pair as its port's driver sees it. It also knows when a message waits for a receive,
 * so that posting receives asks for attention only then.
 */
final class ReliableTraffic implements DatagramEngine {
    private final ReliableEngine engine;
    private final ReliableCounts counts;
    private final ReceiveQueue receives;
    private long notReadySeen;
    private volatile boolean starved; // a message came and was not taken

    ReliableTraffic(ReliableEngine engine, ReliableCounts counts, ReceiveQueue receives) {
        this.engine = engine;
        this.counts = counts;
        this.receives = receives;
    }

    ReliableEngine engine() {
        return engine;
    }

    /** Receives were posted. Any thread. @return whether a message may wait for them */
    boolean isStarved() {
        return starved;
    }

    @Override
    public void handle(DatagramInput input, LongSupplier clock) {
        counts.receiveCalls++;
        engine.handle(input, clock.getAsLong());
        noteHunger();
    }

    private void noteHunger() {
        if (counts.notReady != notReadySeen) {
            notReadySeen = counts.notReady;
            starved = true;
            feed(); // a receive posted just now was not announced
        }
    }

    private void feed() {
        if (starved && receives.size() > 0) {
            starved = false;
            engine.receivesPosted();
        }
    }

    @Override
    public boolean nothingCame(LongSupplier clock) {
        return engine.acknowledge();
    }

    @Override
    public boolean putsOff() {
        return engine.owesAcknowledgements();
    }

    @Override
    public boolean canSend() {
        return engine.hasOutput();
    }

    @Override
    public boolean sendingDependsOnTime() {
        return true;
    }

    @Override
    public void fill(DatagramOutput output, long nowNanos) {
        feed();
        engine.fill(output, nowNanos);
        noteHunger();
    }

    @Override
    public void transmitted(DatagramOutput output, int taken) {
        if (output.count() > 0) {
            counts.sendCalls++;
        }
        engine.transmitted(output, taken);
    }

    @Override
    public long nextDeadline() {
        return engine.nextDeadline();
    }

    @Override
    public long settledDeadline(long nowNanos) {
        return engine.settledDeadline(nowNanos);
    }

    @Override
    public void handleTimeout(long nowNanos) {
        engine.handleTimeout(nowNanos);
    }

    @Override
    public void close() {
        engine.close();
    }

    @Override
    public long workDone() {
        return counts.messagesSent + counts.messagesReceived;
    }
}
