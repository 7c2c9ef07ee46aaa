package io.stag.rnic.agent;

import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.LongConsumer;

/** A transport without streams. Whoever waits in it wakes up with the next handler that the test says is ready. */
final class ScriptedTransport extends StreamlessTransport {
    private final LinkedBlockingQueue<Optional<ReadyHandler>> wakeups = new LinkedBlockingQueue<>();
    private final LongConsumer whileWaiting;

    ScriptedTransport(Runnable whileWaiting) {
        this((long _) -> whileWaiting.run());
    }

    /** {@code whileWaiting} is told how long somebody is ready to wait. */
    ScriptedTransport(LongConsumer whileWaiting) {
        this.whileWaiting = whileWaiting;
    }

    /** Wake-ups that nobody has noticed yet. */
    int wakeups() {
        return wakeups.size();
    }

    void becomeReady(ReadyHandler handler) {
        wakeups.add(Optional.of(handler));
    }

    @Override
    public void select(long timeoutNanos, ReadySet ready) {
        if (timeoutNanos == 0) {
            return;
        }
        whileWaiting.accept(timeoutNanos);
        try {
            wakeups.take().ifPresent(ready::add);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public void wakeup() {
        wakeups.add(Optional.empty());
    }
}
