package io.stag.rnic.qp;

import io.stag.rnic.agent.RnicAgent;
import io.stag.rnic.memory.Grant;
import io.stag.rnic.memory.SoftMemoryRegion;
import io.stag.rnic.memory.ValidityBits;
import io.stag.verbs.MemoryRegion;
import io.stag.verbs.ValidityMap;
import io.stag.verbs.VerbsError;
import io.stag.verbs.VerbsException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/** How programs ask, and wait, for what Write-Records placed in their memory (DG-028). */
final class ValidityPolling {
    private final int domain;
    private final RnicAgent agent;
    private final boolean invoker;
    private final AtomicInteger waiters = new AtomicInteger();

    ValidityPolling(int domain, RnicAgent agent, boolean invoker) {
        this.domain = domain;
        this.agent = agent;
        this.invoker = invoker;
    }

    /** Any thread. */
    long poll(MemoryRegion region, long offset, long length, ValidityMap into) {
        ValidityBits bits = bits(region, offset, length);
        long count = bits.take(offset, length, into);
        if (count == 0 && invoker && agent.tryWork() > 0) {
            count = bits.take(offset, length, into);
        }
        return count;
    }

    /** Any thread. Returns when something was placed, the time is over, or {@code ended}. */
    void await(MemoryRegion region, long offset, long length, long timeoutNanos, BooleanSupplier ended) {
        ValidityBits bits = bits(region, offset, length);
        waiters.incrementAndGet();
        try {
            agent.await(() -> ended.getAsBoolean() || bits.hasAny(offset, length), timeoutNanos, invoker);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new VerbsException(VerbsError.INTERRUPTED, "interrupted while waiting for Write-Records", e);
        } finally {
            waiters.decrementAndGet();
        }
    }

    /** Agent: octets were placed. */
    void memoryWritten() {
        if (waiters.get() > 0) {
            agent.signalChange();
        }
    }

    private ValidityBits bits(MemoryRegion region, long offset, long length) {
        if (!(region instanceof SoftMemoryRegion soft) || soft.domain() != domain) {
            throw refused("the region belongs to another protection domain");
        }
        Grant grant = soft.grant();
        if (grant == null) {
            throw new VerbsException(VerbsError.INVALID_STATE, "the region is not valid");
        }
        if (offset < 0 || length < 0 || length > grant.length() - offset) {
            throw refused("octets " + offset + " to " + (offset + length) + " are outside the region of "
                    + grant.length() + " octets");
        }
        return grant.validity();
    }

    private static VerbsException refused(String why) {
        return new VerbsException(VerbsError.INVALID_ARGUMENT, why);
    }
}
