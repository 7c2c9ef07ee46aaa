package io.stag.rnic.transport;

import java.util.concurrent.Semaphore;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Makes a blocking call for a virtual thread, which would otherwise hold its carrier meanwhile. The platform thread that
 * does so starts with the first call. One caller at a time.
 */
final class BlockingWaiter {
    private final IntUnaryOperator blockingCall;
    private final Semaphore asked = new Semaphore(0);
    private final Semaphore answered = new Semaphore(0);
    private @Nullable Thread thread;
    private int argument;
    private int result;
    private boolean closed;

    BlockingWaiter(IntUnaryOperator blockingCall) {
        this.blockingCall = blockingCall;
    }

    int call(int newArgument) {
        if (thread == null) {
            thread = Thread.ofPlatform().daemon().name("stag-epoll").start(this::run);
        }
        argument = newArgument;
        asked.release();
        answered.acquireUninterruptibly();
        return result;
    }

    private void run() {
        while (true) {
            asked.acquireUninterruptibly();
            if (closed) {
                return;
            }
            result = blockingCall.applyAsInt(argument);
            answered.release();
        }
    }

    /** Ends the thread. Not during a call. */
    void close() {
        closed = true;
        asked.release();
    }
}
