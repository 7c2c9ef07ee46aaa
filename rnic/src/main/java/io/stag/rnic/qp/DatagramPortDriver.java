package io.stag.rnic.qp;

import io.stag.rnic.agent.RnicAgent;
import io.stag.rnic.agent.Task;
import io.stag.rnic.datagram.DatagramEngine;
import io.stag.rnic.datagram.DatagramInput;
import io.stag.rnic.datagram.DatagramOutput;
import io.stag.rnic.transport.DatagramPort;
import io.stag.rnic.transport.DatagramPortOptions;
import java.io.IOException;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * Moves datagrams between a port and the engine of a queue pair whenever the agent says that it is time: a doorbell, input, a
 * deadline. Everything but {@link #isClosed} is called under the agent's lock.
 *
 * @param <E> the kind of engine
 */
public final class DatagramPortDriver<E extends DatagramEngine> extends Task {

    /** The queue pair of a driver. */
    public interface Owner {
        /** The port could not be read; that may pass. */
        void receivingFailed(IOException why);

        /** The engine has taken what came, or learned that nothing came in time. */
        default void datagramsHandled(LongSupplier clock) {}

        /** Our own bug was caught, or the JVM lacks memory: the queue pair ends. */
        void failed(Throwable failure);
    }

    /** Calls to the network, in each direction, before it is another task's turn. */
    private static final int CALLS_PER_VISIT = 4;

    private final RnicAgent agent;
    private final Owner owner;
    private final DatagramPort port;
    private final E engine;
    private final LongSupplier clock; // which takes longer to ask than a lone datagram to be taken apart
    private boolean blocked; // the port takes nothing more for now
    private boolean drained; // nothing waited at the port when it was last asked
    private long armedDeadline = NEVER;
    private volatile boolean closed;

    /** Opens a port, makes the engine for it, and is ready. */
    public DatagramPortDriver(
            RnicAgent agent, DatagramPortOptions options, Function<DatagramPort, E> engineOf, Owner owner)
            throws IOException {
        this.agent = agent;
        this.owner = owner;
        clock = agent::nanoTime;
        port = agent.transport().openDatagramPort(options, this);
        engine = engineOf.apply(port);
        begunAt(agent.nanoTime());
    }

    /** The port. */
    public DatagramPort port() {
        return port;
    }

    /** The engine. */
    public E engine() {
        return engine;
    }

    /** Closes the port; nothing is sent or received any more. */
    public void close() {
        closed = true;
        agent.remove(this);
        port.close();
        engine.close();
    }

    /** Any thread. */
    public boolean isClosed() {
        return closed;
    }

    @Override
    public int onDoorbell() {
        return closed || blocked ? 0 : pump();
    }

    @Override
    public int onPoll() {
        return closed ? 0 : read();
    }

    @Override
    public int onPause() {
        return !closed && !blocked && engine.nothingCame(clock) ? pump() : 0;
    }

    @Override
    public void inputIsPolled(boolean polled) {
        port.pollsInput(polled);
    }

    @Override
    public void onReady() {
        if (!closed) {
            read();
            if (blocked) {
                pump();
            }
        }
    }

    @Override
    public void onDeadline(long nowNanos) {
        if (closed) {
            return;
        }
        armedDeadline = nowNanos; // reading sets none
        read();
        armedDeadline = NEVER;
        if (!drained) {
            agent.setDeadline(this, nowNanos + 1); // what waits may belong to messages that seem to be over
            return;
        }
        if (engine.nextDeadline() <= nowNanos) {
            engine.handleTimeout(nowNanos);
            owner.datagramsHandled(clock);
            report();
            if (!blocked && engine.canSend()) {
                pump();
            }
        }
        arm();
    }

    @Override
    public long settledDeadline(long nowNanos) {
        armedDeadline = Math.max(deadlineNanos(), engine.settledDeadline(nowNanos));
        return armedDeadline;
    }

    @Override
    public void onFailure(Throwable failure) {
        owner.failed(failure);
    }

    @Override
    protected long workDone() {
        return engine.workDone();
    }

    private int read() {
        DatagramInput input = agent.datagramStaging().input();
        int total = 0;
        boolean burst = true;
        for (int call = 0; call < CALLS_PER_VISIT && burst; call++) {
            input.clear();
            int count = receive(input);
            drained = !input.mayHaveMore();
            burst = count > 1 && !drained;
            if (count > 0) {
                engine.handle(input, clock);
                owner.datagramsHandled(clock);
                total += count;
            }
        }
        if (total > 0) {
            agent.markActive(this);
            if (!agent.heat(this)) {
                engine.nothingCame(clock); // as the next look would find, and there may be none soon
            } else if (engine.putsOff()) {
                agent.putOff();
            }
            report();
            if (!blocked && engine.canSend()) {
                pump();
            }
            arm();
        } else if (!blocked && engine.nothingCame(clock)) {
            total = pump();
        }
        return total;
    }

    private int receive(DatagramInput input) {
        try {
            return port.receive(input);
        } catch (IOException e) {
            owner.receivingFailed(e);
            return 0;
        }
    }

    /** Reports are sent as they are: one that gets lost is followed by another. */
    private void report() {
        while (engine.hasReports()) {
            DatagramOutput output = agent.datagramStaging().output();
            output.clear(1);
            engine.fillReports(output);
            send(output);
        }
    }

    /** A timer once set is left alone unless it would be late: to move it with every datagram would cost more. */
    private void arm() {
        long due = engine.nextDeadline();
        if (due < armedDeadline) {
            armedDeadline = due;
            agent.setDeadline(this, due);
        }
    }

    private int pump() {
        DatagramOutput output = agent.datagramStaging().output();
        int work = 0;
        blocked = false;
        long now = engine.sendingDependsOnTime() ? agent.nanoTime() : 0;
        for (int call = 0; call < CALLS_PER_VISIT && !blocked; call++) {
            output.clear(port.mostSegments(), port.leastInPlace());
            engine.fill(output, now);
            int taken = 0;
            if (output.count() > 0) {
                taken = send(output);
                work += output.count();
                agent.markActive(this);
                blocked = taken < output.count() && output.failure() == null;
            }
            engine.transmitted(output, taken);
            output.pieces().clear();
            if (!blocked && !engine.canSend()) {
                port.awaitWritable(false);
                arm();
                return work;
            }
        }
        port.awaitWritable(blocked);
        arm();
        if (!blocked) {
            agent.ring(this); // others come first
        }
        return work;
    }

    private int send(DatagramOutput output) {
        try {
            return port.send(output);
        } catch (IOException e) {
            output.refuse(e);
            return 0;
        }
    }
}
