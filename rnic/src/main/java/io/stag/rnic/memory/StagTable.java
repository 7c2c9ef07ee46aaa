package io.stag.rnic.memory;

import io.stag.verbs.ProtectionDomain;
import io.stag.verbs.VerbsError;
import io.stag.verbs.VerbsException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * All memory regions and windows of an RNIC by their STags. An STag is an index of 24 bits, never 0, and a key of 8 bits
 * (verbs draft, section 7.2).
 *
 * <p>{@link #lookup} and {@link #entry} take no lock and allocate nothing. Everything else belongs to the control path
 * and may be called by any thread, agents included.
 */
public final class StagTable {
    /** The largest number of entries: all indexes but 0. */
    public static final int MAX_ENTRIES = (1 << IndexSequence.BITS) - 1;

    private static final int KEYS = 256;
    private static final long OWN_MEMORY_ALIGNMENT = 64;
    private static final long PAGE = 4096;

    private final int maxEntries;
    private final Quiescence quiescence;
    private final StagTree tree = new StagTree();

    /** Guards what follows, all writes to the tree and the state of all entries. Held for moments only. */
    private final Object lock = new Object();

    private final RandomGenerator random;
    private final IndexSequence indexes;
    private int size;
    private long lastEntryId;
    private long lastGrantNumber;

    /** A table for one thread that does everything, as in a simulation: nothing is in progress when it is called. */
    public StagTable(RandomGenerator random, int maxEntries) {
        this(random, maxEntries, () -> {});
    }

    /**
     * A table for several threads.
     *
     * @param random gives the secret order of indexes and the keys; {@link java.security.SecureRandom} unless testing
     * @param maxEntries regions and windows together
     * @param quiescence waits for accesses in progress before memory is handed back to its owner
     */
    public StagTable(RandomGenerator random, int maxEntries, Quiescence quiescence) {
        if (maxEntries < 1 || maxEntries > MAX_ENTRIES) {
            throw new IllegalArgumentException("maxEntries is " + maxEntries + ", allowed are 1.." + MAX_ENTRIES);
        }
        this.random = random;
        this.maxEntries = maxEntries;
        this.quiescence = quiescence;
        this.indexes = new IndexSequence(random);
    }

    /**
     * What an STag grants, all 32 bits compared. Any thread; takes no lock, allocates nothing.
     *
     * @return null when the STag is unknown, has another key or is invalid
     */
    public @Nullable Grant lookup(int stag) {
        StagEntry entry = tree.get(stag >>> 8);
        if (entry == null) {
            return null;
        }
        Grant grant = entry.grant();
        return grant != null && grant.stag() == stag ? grant : null;
    }

    /** The region or window with the index of an STag, whatever its key and state. Any thread. */
    public @Nullable StagEntry entry(int stag) {
        return tree.get(stag >>> 8);
    }

    /** Number of regions and windows. */
    public int size() {
        synchronized (lock) {
            return size;
        }
    }

    /** All regions and windows at this moment, in no order that means anything. */
    public List<StagEntry> entries() {
        synchronized (lock) {
            return tree.entries();
        }
    }

    /** How many regions and windows belong to a domain, which then cannot be closed. */
    public int entriesOf(int domain) {
        int count = 0;
        for (StagEntry entry : entries()) {
            if (entry.domain() == domain) {
                count++;
            }
        }
        return count;
    }

    /** How many windows are bound to a queue pair, which then cannot be destroyed (verbs draft, section 6.1.4). */
    public int windowsBoundTo(int queuePair) {
        int count = 0;
        for (StagEntry entry : entries()) {
            if (isBoundTo(entry, queuePair)) {
                count++;
            }
        }
        return count;
    }

    /** Returns all windows bound to a queue pair to their domain: for a queue pair that goes with its RNIC. */
    public void releaseQueuePair(int queuePair) {
        synchronized (lock) {
            for (StagEntry entry : tree.entries()) {
                if (entry instanceof SoftMemoryWindow window && isBoundTo(window, queuePair)) {
                    window.unbind();
                }
            }
        }
    }

    /**
     * Registers memory of the program.
     *
     * @param rights bits of {@link Rights}
     * @throws VerbsException when memory or rights are not allowed or the table is full
     */
    public SoftMemoryRegion register(int domain, MemorySegment memory, int rights, ProtectionDomain owner) {
        MemoryRules.require(memory, rights);
        synchronized (lock) {
            SoftMemoryRegion region = newRegion(nextIndex(), random.nextInt(KEYS), domain, owner);
            grantRegion(region, region.stag(), memory, rights);
            return region;
        }
    }

    /**
     * Registers memory under an STag and base that the caller chooses, whatever the addressing. For multicast, and for
     * tests with fixed octets on the wire: STags chosen by a program can be guessed.
     */
    public SoftMemoryRegion registerAs(
            int stag, long base, int domain, MemorySegment memory, int rights, ProtectionDomain owner) {
        MemoryRules.require(memory, rights);
        int index = stag >>> 8;
        if (Long.compareUnsigned(base + memory.byteSize(), base) < 0) {
            throw new IllegalArgumentException("the region would reach beyond 64 bits");
        }
        synchronized (lock) {
            if (index == 0 || tree.get(index) != null) {
                throw new IllegalArgumentException(String.format(Locale.ROOT, "index 0x%x is 0 or in use", index));
            }
            requireRoom();
            SoftMemoryRegion region = newRegion(index, stag & KEYS - 1, domain, owner);
            region.setRemoteAccess((rights & Rights.REMOTE) != 0);
            region.publish(new Grant(region, stag, 0, rights, base, memory));
            return region;
        }
    }

    /** Allocates zeroed memory, which lives as long as the region, and registers it. */
    public SoftMemoryRegion allocate(int domain, long lengthOctets, int rights, ProtectionDomain owner) {
        if (lengthOctets <= 0) {
            throw new VerbsException(
                    VerbsError.INVALID_ARGUMENT, "a length of " + lengthOctets + ", needed is 1 or more");
        }
        Arena arena = Arena.ofShared();
        try {
            MemorySegment memory = allocate(arena, lengthOctets);
            SoftMemoryRegion region = register(domain, memory, rights, owner);
            synchronized (region.control) {
                region.setOwnArena(arena);
            }
            return region;
        } catch (VerbsException | OutOfMemoryError e) {
            arena.close();
            throw e;
        }
    }

    /**
     * A kernel takes much longer to copy from the start of a page when the headers of a message are before it: what it writes is
     * then a few octets ahead of what it reads, modulo the size of a page, and processors take the one for the other. So
     * memory that may hold long messages begins one line behind that.
     */
    private static MemorySegment allocate(Arena arena, long lengthOctets) {
        return lengthOctets < PAGE
                ? arena.allocate(lengthOctets, OWN_MEMORY_ALIGNMENT)
                : arena.allocate(lengthOctets + OWN_MEMORY_ALIGNMENT, PAGE).asSlice(OWN_MEMORY_ALIGNMENT, lengthOctets);
    }

    /** Allocates an invalid region without memory, for {@link #fastRegister}. */
    public SoftMemoryRegion allocateStag(int domain, boolean remoteAccess, ProtectionDomain owner) {
        synchronized (lock) {
            SoftMemoryRegion region = newRegion(nextIndex(), random.nextInt(KEYS), domain, owner);
            region.setRemoteAccess(remoteAccess);
            return region;
        }
    }

    /** Allocates an unbound window. */
    public SoftMemoryWindow allocateWindow(int domain, ProtectionDomain owner) {
        synchronized (lock) {
            SoftMemoryWindow window = new SoftMemoryWindow(this, nextIndex(), random.nextInt(KEYS), domain, owner);
            add(window);
            return window;
        }
    }

    /**
     * Replaces memory and rights of a region, valid or not, and its key. When this returns nothing touches the former
     * memory.
     */
    void reregister(SoftMemoryRegion region, MemorySegment memory, int rights) {
        MemoryRules.require(memory, rights);
        synchronized (region.control) {
            synchronized (lock) {
                if (region.isRemoved()) {
                    throw new VerbsException(VerbsError.CLOSED, "the memory region is closed");
                }
                requireNoWindows(region, "re-registered");
                int otherKey = region.stag() + 1 + random.nextInt(KEYS - 1) & KEYS - 1;
                grantRegion(region, region.index() << 8 | otherKey, memory, rights);
            }
            quiescence.await();
            region.freeOwnMemory(memory);
        }
    }

    /**
     * Takes a region or window out of the table. When this returns nothing touches its memory. Does nothing the second
     * time. Not for agents: it waits for them.
     *
     * @throws VerbsException when windows are bound to the region
     */
    public void remove(StagEntry entry) {
        synchronized (entry.control) {
            if (withdrawForGood(entry)) {
                quiescence.await();
            }
            if (entry instanceof SoftMemoryRegion region) {
                region.freeOwnMemory(null);
            }
        }
    }

    /** Everything of a domain in the order in which it can be removed: windows before the regions they are bound to. */
    public List<StagEntry> removable(int domain) {
        return entries().stream()
                .filter(entry -> entry.domain() == domain)
                .sorted(Comparator.comparing(SoftMemoryRegion.class::isInstance))
                .toList();
    }

    private boolean withdrawForGood(StagEntry entry) {
        synchronized (lock) {
            if (entry.isRemoved()) {
                return false;
            }
            switch (entry) {
                case SoftMemoryRegion region -> {
                    requireNoWindows(region, "closed");
                    region.withdraw();
                }
                case SoftMemoryWindow window -> window.unbind();
            }
            entry.markRemoved();
            tree.remove(entry.index());
            size--;
            return true;
        }
    }

    /**
     * Invalidates an STag (verbs draft, sections 7.8 and 7.10; RFC 5040, section 5.3). When this returns nothing touches
     * its memory through it: no lookup finds it, and what agents of other queue pairs began before has ended. For a thread
     * inside a duty cycle, which must not use a grant afterwards that it looked up before.
     *
     * @param domain domain of the queue pair
     * @param queuePair the queue pair whose request or whose peer asks
     * @param remote whether the peer asks
     * @param queuePairAllowsRemote whether the queue pair has any remote access enabled; matters for peers only
     */
    public InvalidateResult invalidate(
            int stag, int domain, int queuePair, boolean remote, boolean queuePairAllowsRemote) {
        StagEntry entry;
        InvalidateResult result;
        synchronized (lock) {
            entry = tree.get(stag >>> 8);
            if (entry == null || entry.stag() != stag) {
                return InvalidateResult.UNKNOWN_STAG;
            }
            if (entry.domain() != domain) {
                return InvalidateResult.WRONG_DOMAIN;
            }
            if (remote && !queuePairAllowsRemote) {
                return InvalidateResult.QUEUE_PAIR_NOT_ENABLED;
            }
            result = switch (entry) {
                case SoftMemoryRegion region -> invalidateRegion(region, remote);
                case SoftMemoryWindow window -> invalidateWindow(window, queuePair);
            };
        }
        // a window is used by nobody but the agent of its queue pair, which is here and not in an access
        if (result == InvalidateResult.OK && entry instanceof SoftMemoryRegion) {
            quiescence.await();
        }
        return result;
    }

    private static InvalidateResult invalidateRegion(SoftMemoryRegion region, boolean remote) {
        if (remote && !region.hasRemoteAccess()) {
            return InvalidateResult.NO_REMOTE_RIGHT;
        }
        if (remote && (region.latest().rights() & Rights.REMOTE_INVALIDATE) == 0) {
            return InvalidateResult.SHARED;
        }
        if (region.boundWindows() > 0) {
            return InvalidateResult.WINDOWS_BOUND;
        }
        region.withdraw();
        return InvalidateResult.OK;
    }

    private static InvalidateResult invalidateWindow(SoftMemoryWindow window, int queuePair) {
        if (window.isBound() && !isBoundTo(window, queuePair)) {
            return InvalidateResult.WRONG_QUEUE_PAIR;
        }
        window.unbind();
        return InvalidateResult.OK;
    }

    /**
     * Binds a window to part of a region, for one queue pair. Unlike the verbs draft (section 7.10) this allows windows
     * on regions that peers address by offset; the window's own addressing follows {@link Rights#VIRTUAL_ADDRESS} among
     * its rights, and without it the first octet of the window is offset 0.
     *
     * @param newKey lower 8 bits of the window's STag from now on
     * @param offset first octet of the window inside the region
     * @param domain domain of the queue pair
     */
    public BindResult bind(
            SoftMemoryWindow window,
            int newKey,
            SoftMemoryRegion region,
            long offset,
            long length,
            int rights,
            int domain,
            int queuePair) {
        if (queuePair == 0) {
            throw new IllegalArgumentException("0 stands for every queue pair, a window belongs to one");
        }
        if (isNoKey(newKey)) {
            return BindResult.KEY;
        }
        synchronized (lock) {
            if (window.isRemoved() || region.isRemoved()) {
                return BindResult.CLOSED;
            }
            if (window.domain() != domain || region.domain() != domain) {
                return BindResult.WRONG_DOMAIN;
            }
            if (window.isBound()) {
                return BindResult.WINDOW_BOUND;
            }
            Grant granted = region.grant();
            if (granted == null) {
                return BindResult.REGION_INVALID;
            }
            if ((granted.rights() & Rights.WINDOW_BIND) == 0) {
                return BindResult.NOT_BINDABLE;
            }
            if (offset < 0 || length < 0 || offset > granted.length() || length > granted.length() - offset) {
                return BindResult.BOUNDS;
            }
            if (Rights.checkWindow(rights, granted.rights()) != null) {
                return BindResult.RIGHTS;
            }
            MemorySegment memory = granted.memory().asSlice(offset, length);
            int stag = window.index() << 8 | newKey;
            window.bindTo(region, new Grant(window, stag, queuePair, rights, baseOf(memory, rights), memory));
            return BindResult.OK;
        }
    }

    /**
     * Makes an invalid region valid with other memory, rights and key, by a work request of the program.
     *
     * @param domain domain of the queue pair
     */
    public FastRegisterResult fastRegister(
            SoftMemoryRegion region, int newKey, MemorySegment memory, int rights, int domain) {
        if (isNoKey(newKey)) {
            return FastRegisterResult.KEY;
        }
        if (Rights.check(rights) != null) {
            return FastRegisterResult.RIGHTS;
        }
        if (MemoryRules.check(memory, rights) != null) {
            return FastRegisterResult.MEMORY;
        }
        synchronized (lock) {
            if (region.isRemoved()) {
                return FastRegisterResult.CLOSED;
            }
            if (region.domain() != domain) {
                return FastRegisterResult.WRONG_DOMAIN;
            }
            if (region.isValid()) {
                return FastRegisterResult.STILL_VALID;
            }
            if ((rights & Rights.REMOTE) != 0 && !region.hasRemoteAccess()) {
                return FastRegisterResult.NO_REMOTE_ACCESS;
            }
            int stag = region.index() << 8 | newKey;
            region.publish(new Grant(region, stag, 0, rights, baseOf(memory, rights), memory));
            return FastRegisterResult.OK;
        }
    }

    /** Under the lock. */
    long nextEntryId() {
        return ++lastEntryId;
    }

    /** Under the lock. */
    long nextGrantNumber() {
        return ++lastGrantNumber;
    }

    private SoftMemoryRegion newRegion(int index, int key, int domain, ProtectionDomain owner) {
        SoftMemoryRegion region = new SoftMemoryRegion(this, index, key, domain, owner);
        add(region);
        return region;
    }

    private void add(StagEntry entry) {
        Objects.requireNonNull(entry.protectionDomain());
        tree.put(entry.index(), entry);
        size++;
    }

    private void grantRegion(SoftMemoryRegion region, int stag, MemorySegment memory, int rights) {
        region.setRemoteAccess((rights & Rights.REMOTE) != 0);
        region.publish(new Grant(region, stag, 0, rights, baseOf(memory, rights), memory));
    }

    private void requireRoom() {
        if (size >= maxEntries) {
            throw new VerbsException(
                    VerbsError.LIMIT_EXCEEDED,
                    "all " + maxEntries + " memory regions and windows of the RNIC are in use");
        }
    }

    private int nextIndex() {
        requireRoom(); // else no index might be free, and the search would not end
        int index;
        do {
            index = indexes.next();
        } while (index == 0 || tree.get(index) != null);
        return index;
    }

    private static void requireNoWindows(SoftMemoryRegion region, String what) {
        if (region.boundWindows() > 0) {
            throw new VerbsException(
                    VerbsError.IN_USE,
                    "the memory region cannot be " + what + " while memory windows are bound to it: "
                            + region.boundWindows() + "; invalidate or close them first");
        }
    }

    private static boolean isBoundTo(StagEntry entry, int queuePair) {
        Grant grant = entry.grant();
        return entry instanceof SoftMemoryWindow && grant != null && grant.queuePair() == queuePair;
    }

    private static long baseOf(MemorySegment memory, int rights) {
        return (rights & Rights.VIRTUAL_ADDRESS) == 0 ? 0 : memory.address();
    }

    private static boolean isNoKey(int key) {
        return key < 0 || key >= KEYS;
    }
}
