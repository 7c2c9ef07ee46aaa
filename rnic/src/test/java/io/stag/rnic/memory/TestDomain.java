package io.stag.rnic.memory;

import io.stag.verbs.Access;
import io.stag.verbs.MemoryRegion;
import io.stag.verbs.MemoryWindow;
import io.stag.verbs.ProtectionDomain;
import io.stag.verbs.QueuePair;
import io.stag.verbs.QueuePairConfig;
import io.stag.verbs.Rnic;
import io.stag.verbs.SharedReceiveQueue;
import java.lang.foreign.MemorySegment;
import java.util.Set;

/** A domain that only has to be handed back. */
final class TestDomain implements ProtectionDomain {
    static final ProtectionDomain OWNER = new TestDomain();

    @Override
    public Rnic rnic() {
        throw new UnsupportedOperationException();
    }

    @Override
    public MemoryRegion register(MemorySegment segment, Set<Access> rights) {
        throw new UnsupportedOperationException();
    }

    @Override
    public MemoryRegion allocate(long lengthOctets, Set<Access> rights) {
        throw new UnsupportedOperationException();
    }

    @Override
    public MemoryRegion allocateStag(boolean remoteAccess) {
        throw new UnsupportedOperationException();
    }

    @Override
    public MemoryWindow allocateWindow() {
        throw new UnsupportedOperationException();
    }

    @Override
    public QueuePair createQueuePair(QueuePairConfig config) {
        throw new UnsupportedOperationException();
    }

    @Override
    public SharedReceiveQueue createSharedReceiveQueue(int capacity, int maxSegments) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close() {}
}
