package io.stag.rnic.transport;

import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.spi.AbstractSelectableChannel;
import java.nio.channels.spi.AbstractSelector;
import java.nio.channels.spi.SelectorProvider;
import java.util.Set;

/**
 * Wakes a thread from a system call when it is interrupted, as NIO's selectors do. The JDK offers this to selectors only,
 * so this looks like one; nothing can be registered with it.
 */
final class InterruptHook extends AbstractSelector {
    private final Runnable wakeup;

    InterruptHook(Runnable wakeup) {
        super(SelectorProvider.provider());
        this.wakeup = wakeup;
    }

    /** From here to {@link #leave} an interrupt wakes; one that came before does so now. */
    void enter() {
        begin();
    }

    void leave() {
        end();
    }

    @Override
    public Selector wakeup() {
        wakeup.run();
        return this;
    }

    @Override
    protected SelectionKey register(AbstractSelectableChannel channel, int operations, Object attachment) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Set<SelectionKey> keys() {
        return Set.of();
    }

    @Override
    public Set<SelectionKey> selectedKeys() {
        return Set.of();
    }

    @Override
    public int selectNow() {
        throw new UnsupportedOperationException();
    }

    @Override
    public int select(long timeout) {
        throw new UnsupportedOperationException();
    }

    @Override
    public int select() {
        throw new UnsupportedOperationException();
    }

    @Override
    protected void implCloseSelector() {}
}
