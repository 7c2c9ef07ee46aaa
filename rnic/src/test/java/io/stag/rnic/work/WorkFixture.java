package io.stag.rnic.work;

import io.stag.rnic.memory.Rights;
import io.stag.rnic.memory.SoftMemoryRegion;
import io.stag.rnic.memory.SoftMemoryWindow;
import io.stag.rnic.memory.StagTable;
import io.stag.verbs.ProtectionDomain;
import io.stag.verbs.VerbsError;
import io.stag.verbs.VerbsException;
import java.lang.foreign.Arena;
import java.lang.reflect.Proxy;
import java.util.SplittableRandom;

/** Queues of a queue pair and some memory. */
final class WorkFixture implements PostingTarget {
    static final int DOMAIN = 1;
    static final int MAX_SEGMENTS = 3;
    static final int MAX_INLINE = 16;
    static final int REGION_LENGTH = 100;

    private static final ProtectionDomain OWNER = (ProtectionDomain) Proxy.newProxyInstance(
            WorkFixture.class.getClassLoader(), new Class<?>[] {ProtectionDomain.class}, (_, method, _) -> {
                throw new UnsupportedOperationException(method.getName());
            });

    final StagTable stags = new StagTable(new SplittableRandom(1), 100);
    final SendQueue sendQueue;
    final SendList sends;
    final ReceiveQueue receiveQueue;
    final ReceiveList receives;
    boolean closed;
    int doorbells;

    WorkFixture(int depth) {
        this(depth, false);
    }

    WorkFixture(int depth, boolean severalAgents) {
        sendQueue = new SendQueue(depth);
        sends = new SendList(sendQueue, this);
        receiveQueue = new ReceiveQueue(depth, severalAgents);
        receives = newReceives();
    }

    /** A list for another thread. */
    ReceiveList newReceives() {
        return new ReceiveList(receiveQueue, this);
    }

    SoftMemoryRegion region() {
        return region(DOMAIN);
    }

    SoftMemoryRegion region(int domain) {
        return stags.register(
                domain, Arena.ofAuto().allocate(REGION_LENGTH), Rights.LOCAL_READ | Rights.LOCAL_WRITE, OWNER);
    }

    SoftMemoryRegion emptyRegion() {
        return stags.allocateStag(DOMAIN, true, OWNER);
    }

    SoftMemoryWindow window() {
        return stags.allocateWindow(DOMAIN, OWNER);
    }

    @Override
    public int domain() {
        return DOMAIN;
    }

    @Override
    public int maxSegments() {
        return MAX_SEGMENTS;
    }

    @Override
    public int maxInline() {
        return MAX_INLINE;
    }

    @Override
    public void checkPosting() {
        if (closed) {
            throw new VerbsException(VerbsError.CLOSED, "closed");
        }
    }

    @Override
    public void ringDoorbell() {
        doorbells++;
    }
}
