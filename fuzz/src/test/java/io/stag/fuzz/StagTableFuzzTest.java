package io.stag.fuzz;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.stag.rnic.memory.AccessCheck;
import io.stag.rnic.memory.BindResult;
import io.stag.rnic.memory.FastRegisterResult;
import io.stag.rnic.memory.Grant;
import io.stag.rnic.memory.InvalidateResult;
import io.stag.rnic.memory.Placement;
import io.stag.rnic.memory.Rights;
import io.stag.rnic.memory.SoftMemoryRegion;
import io.stag.rnic.memory.SoftMemoryWindow;
import io.stag.rnic.memory.StagEntry;
import io.stag.rnic.memory.StagTable;
import io.stag.verbs.ProtectionDomain;
import io.stag.verbs.VerbsException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Any sequence of operations on the STag table against a list of what should be valid, with accesses in between: what is
 * allowed lands where it should, everything else changes nothing.
 *
 * <p>Input: operations, each an octet and its arguments.
 */
class StagTableFuzzTest {
    /** In the order in which seeds name them. */
    enum Operation {
        ACCESS,
        ACCESS_AGAIN,
        REGISTER,
        ALLOCATE,
        ALLOCATE_STAG,
        ALLOCATE_WINDOW,
        REREGISTER,
        BIND,
        INVALIDATE,
        FAST_REGISTER,
        CLOSE,
        RELEASE_QUEUE_PAIR,
        CLOSE_DOMAIN
    }

    private static final int MOST_STEPS = 120;
    private static final int MOST_ENTRIES = 10;
    private static final int DOMAINS = 2;
    private static final int QUEUE_PAIRS = 2;
    private static final int LENGTH = 128;
    private static final MemorySegment MEMORY = Arena.global().allocate(LENGTH + 64, 64);
    private static final byte[] PATTERN = new byte[LENGTH];
    private static final ProtectionDomain OWNER = (ProtectionDomain) Proxy.newProxyInstance(
            StagTableFuzzTest.class.getClassLoader(), new Class<?>[] {ProtectionDomain.class}, (_, method, _) -> {
                throw new UnsupportedOperationException(method.getName());
            });

    static {
        java.util.Arrays.fill(PATTERN, (byte) 0x5A);
    }

    /** What the model knows of a region or window. */
    private static final class Item {
        final StagEntry entry;
        final int domain;
        boolean open = true;
        boolean valid;
        boolean remoteAccess;
        int stag;
        int rights;
        int queuePair;
        MemorySegment memory = MemorySegment.NULL;
        long base;

        @Nullable
        Item boundTo;

        Item(StagEntry entry) {
            this.entry = entry;
            this.domain = entry.domain();
            this.stag = entry.stag();
        }

        boolean isWindow() {
            return entry instanceof SoftMemoryWindow;
        }

        void grant(int newStag, int newRights, MemorySegment newMemory) {
            valid = true;
            stag = newStag;
            rights = newRights;
            memory = newMemory;
            base = (newRights & Rights.VIRTUAL_ADDRESS) == 0 ? 0 : newMemory.address();
        }

        void withdraw() {
            valid = false;
            boundTo = null;
        }
    }

    @FuzzTest
    void theTableAgreesWithAList(byte[] data) {
        MEMORY.fill((byte) 0);
        var run = new Run(new Input(data));
        try {
            run.steps();
        } finally {
            run.table.removable(1).forEach(run.table::remove);
            run.table.removable(2).forEach(run.table::remove);
        }
        Check.equal(run.table.size(), 0, "entries after all domains were removed");
    }

    private static final class Run {
        private final Input input;
        private final StagTable table = new StagTable(new SplittableRandom(3), MOST_ENTRIES);
        private final List<Item> items = new ArrayList<>();

        Run(Input input) {
            this.input = input;
        }

        void steps() {
            for (int i = 0; i < MOST_STEPS && !input.isEmpty(); i++) {
                switch (input.oneOf(Operation.values())) {
                    case ACCESS, ACCESS_AGAIN -> access();
                    case REGISTER -> register();
                    case ALLOCATE -> allocate();
                    case ALLOCATE_STAG -> allocateStag();
                    case ALLOCATE_WINDOW -> allocateWindow();
                    case REREGISTER -> reregister();
                    case BIND -> bind();
                    case INVALIDATE -> invalidate();
                    case FAST_REGISTER -> fastRegister();
                    case CLOSE -> close();
                    case RELEASE_QUEUE_PAIR -> releaseQueuePair();
                    case CLOSE_DOMAIN -> closeDomain();
                }
                compare();
            }
        }

        private void access() {
            Item item = any();
            int stag = item == null ? input.u32() : nearby(item.stag);
            int domain = domain();
            int queuePair = queuePair();
            int right = 1 << input.below(5);
            long offset = item == null ? 0 : offset(item);
            int choice = input.u8();
            long length = choice < 250 ? choice : input.u64();
            Item found = validOf(stag);
            Grant grant = table.lookup(stag);
            Check.that((grant == null) == (found == null), "found when valid");
            if (grant == null || found == null) {
                return;
            }
            AccessCheck check = grant.check(domain, queuePair, right, offset, length);
            AccessCheck expected = expected(found, domain, queuePair, right, offset, length);
            Check.that(check == expected, () -> check + " where " + expected + " is right");
            if (check == AccessCheck.OK && length > 0 && right == Rights.REMOTE_WRITE) {
                byte[] before = MEMORY.toArray(java.lang.foreign.ValueLayout.JAVA_BYTE);
                Check.that(
                        Placement.place(MemorySegment.ofArray(PATTERN), 0, grant, offset, length) == AccessCheck.OK,
                        "placed");
                long at = found.memory.address() + (offset - found.base) - MEMORY.address();
                if (at >= 0 && at < before.length) {
                    java.util.Arrays.fill(before, (int) at, (int) (at + length), PATTERN[0]);
                }
                Check.equal(MEMORY.mismatch(MemorySegment.ofArray(before)), -1, "first octet placed elsewhere");
            }
        }

        /** In the order that RFC 5041, section 7.1, and the verbs draft give. */
        private static AccessCheck expected(Item item, int domain, int queuePair, int right, long offset, long length) {
            if (length == 0) {
                return AccessCheck.OK;
            }
            if (item.domain != domain || (item.isWindow() && item.queuePair != queuePair)) {
                return AccessCheck.WRONG_DOMAIN;
            }
            if ((item.rights & right) == 0) {
                return AccessCheck.RIGHTS;
            }
            if (offset != 0 && Long.compareUnsigned(length, -offset) > 0 || offset != 0 && length == -offset) {
                // 2^64 itself is beyond the last octet and cannot be told from 0
                return AccessCheck.WRAP;
            }
            boolean inside = Long.compareUnsigned(offset, item.base) >= 0
                    && Long.compareUnsigned(offset - item.base, item.memory.byteSize()) < 0
                    && Long.compareUnsigned(length, item.memory.byteSize() - (offset - item.base)) <= 0;
            return inside ? AccessCheck.OK : AccessCheck.BOUNDS;
        }

        private void register() {
            int domain = domain();
            int rights = rights();
            MemorySegment memory = slice();
            boolean fits = Rights.check(rights) == null && openItems() < MOST_ENTRIES;
            try {
                SoftMemoryRegion region = table.register(domain, memory, rights, OWNER);
                Check.that(fits, "registered");
                Item item = add(region);
                item.grant(region.stag(), rights, memory);
                item.remoteAccess = (rights & Rights.REMOTE) != 0;
            } catch (VerbsException e) {
                Check.that(!fits, e.getMessage());
            }
        }

        private void allocate() {
            int rights = rights();
            boolean fits = Rights.check(rights) == null && openItems() < MOST_ENTRIES;
            try {
                SoftMemoryRegion region = table.allocate(domain(), 1 + input.below(LENGTH), rights, OWNER);
                Check.that(fits, "allocated");
                Item item = add(region);
                item.grant(region.stag(), rights, region.segment());
                item.remoteAccess = (rights & Rights.REMOTE) != 0;
            } catch (VerbsException e) {
                Check.that(!fits, e.getMessage());
            }
        }

        private void allocateStag() {
            boolean remote = input.flag();
            try {
                add(table.allocateStag(domain(), remote, OWNER)).remoteAccess = remote;
            } catch (VerbsException e) {
                Check.that(openItems() == MOST_ENTRIES, e.getMessage());
            }
        }

        private void allocateWindow() {
            try {
                add(table.allocateWindow(domain(), OWNER));
            } catch (VerbsException e) {
                Check.that(openItems() == MOST_ENTRIES, e.getMessage());
            }
        }

        private void reregister() {
            Item item = any(false);
            if (item == null) {
                return;
            }
            int rights = rights();
            MemorySegment memory = slice();
            boolean fits = item.open && Rights.check(rights) == null && windowsOf(item) == 0;
            try {
                ((SoftMemoryRegion) item.entry).reregister(memory, Rights.toSet(rights));
                Check.that(fits, "reregistered");
                int stag = item.entry.stag();
                Check.that(stag != item.stag && stag >>> 8 == item.stag >>> 8, "another key, the same index");
                item.grant(stag, rights, memory);
                item.remoteAccess = (rights & Rights.REMOTE) != 0;
            } catch (VerbsException e) {
                Check.that(!fits, e.getMessage());
            }
        }

        private void bind() {
            Item window = any(true);
            Item region = any(false);
            if (window == null || region == null) {
                return;
            }
            int domain = domain();
            int queuePair = queuePair();
            int key = input.u8();
            int choice = input.u8();
            int rights = choice < 200 ? choice & (Rights.REMOTE | Rights.VIRTUAL_ADDRESS) : choice;
            int offset = input.u8() - 8;
            int length = input.u8() - 8;
            boolean fits = window.open
                    && region.open
                    && !window.valid
                    && region.valid
                    && window.domain == domain
                    && region.domain == domain
                    && (region.rights & Rights.WINDOW_BIND) != 0
                    && offset >= 0
                    && length >= 0
                    && offset + length <= region.memory.byteSize()
                    && Rights.checkWindow(rights, region.rights) == null;
            BindResult result = table.bind(
                    (SoftMemoryWindow) window.entry,
                    key,
                    (SoftMemoryRegion) region.entry,
                    offset,
                    length,
                    rights,
                    domain,
                    queuePair);
            Check.that(fits == (result == BindResult.OK), () -> "bind: " + result);
            if (fits) {
                window.grant(window.stag & ~0xFF | key, rights, region.memory.asSlice(offset, length));
                window.queuePair = queuePair;
                window.boundTo = region;
            }
        }

        private void invalidate() {
            Item chosen = any();
            if (chosen == null) {
                return;
            }
            int stag = nearby(chosen.stag);
            int domain = domain();
            int queuePair = queuePair();
            boolean remote = input.flag();
            boolean enabled = input.u8() < 200;
            Item item = openOf(stag);
            boolean fits = item != null
                    && domain == item.domain
                    && (!remote || enabled)
                    && (item.isWindow()
                            ? !item.valid || item.queuePair == queuePair
                            : windowsOf(item) == 0
                                    && (!remote || item.remoteAccess && (item.rights & Rights.REMOTE_INVALIDATE) != 0));
            InvalidateResult result = table.invalidate(stag, domain, queuePair, remote, enabled);
            Check.that(fits == (result == InvalidateResult.OK), () -> "invalidate: " + result);
            if (fits) {
                item.withdraw();
            }
        }

        private void fastRegister() {
            Item item = any(false);
            if (item == null) {
                return;
            }
            int domain = domain();
            int rights = rights();
            int key = input.u8();
            MemorySegment memory = slice();
            boolean fits = item.open
                    && !item.valid
                    && item.domain == domain
                    && Rights.check(rights) == null
                    && (item.remoteAccess || (rights & Rights.REMOTE) == 0);
            FastRegisterResult result = table.fastRegister((SoftMemoryRegion) item.entry, key, memory, rights, domain);
            Check.that(fits == (result == FastRegisterResult.OK), () -> "fastRegister: " + result);
            if (fits) {
                item.grant(item.stag & ~0xFF | key, rights, memory);
            }
        }

        private void close() {
            Item item = any();
            if (item == null) {
                return;
            }
            boolean fits = windowsOf(item) == 0;
            try {
                table.remove(item.entry);
                Check.that(fits, "closed");
                item.open = false;
                item.withdraw();
            } catch (VerbsException e) {
                Check.that(!fits, e.getMessage());
            }
        }

        private void releaseQueuePair() {
            int queuePair = queuePair();
            table.releaseQueuePair(queuePair);
            for (Item item : items) {
                if (item.isWindow() && item.valid && item.queuePair == queuePair) {
                    item.withdraw();
                }
            }
        }

        private void closeDomain() {
            int domain = domain();
            table.removable(domain).forEach(table::remove);
            for (Item item : items) {
                if (item.domain == domain) {
                    item.open = false;
                    item.withdraw();
                }
            }
        }

        private void compare() {
            Check.equal(table.size(), openItems(), "entries");
            for (Item item : items) {
                Check.equal(item.entry.stag(), item.stag, "STag");
                Grant grant = table.lookup(item.stag);
                Item valid = validOf(item.stag);
                Check.that((grant != null) == (valid != null), "valid");
                if (grant != null && valid != null) {
                    Check.that(grant.entry() == valid.entry, "entry");
                    Check.equal(grant.rights(), valid.rights, "rights");
                    Check.equal(grant.base(), valid.base, "base");
                    Check.equal(grant.length(), valid.memory.byteSize(), "length");
                    Check.equal(grant.memory().address(), valid.memory.address(), "address");
                }
            }
            for (int queuePair = 1; queuePair <= QUEUE_PAIRS; queuePair++) {
                int bound = 0;
                for (Item item : items) {
                    bound += item.boundTo != null && item.queuePair == queuePair ? 1 : 0;
                }
                Check.equal(table.windowsBoundTo(queuePair), bound, "windows bound");
            }
        }

        private Item add(StagEntry entry) {
            Check.that(openItems() < MOST_ENTRIES, "within the limit");
            var item = new Item(entry);
            items.add(item);
            return item;
        }

        private @Nullable Item any() {
            return items.isEmpty() ? null : items.get(input.u8() % items.size());
        }

        private @Nullable Item any(boolean window) {
            int choice = input.u8();
            for (int i = 0; i < items.size(); i++) {
                Item item = items.get((choice + i) % items.size());
                if (item.isWindow() == window) {
                    return item;
                }
            }
            return null;
        }

        private @Nullable Item openOf(int stag) {
            for (Item item : items) {
                if (item.open && item.stag == stag) {
                    return item;
                }
            }
            return null;
        }

        private @Nullable Item validOf(int stag) {
            Item item = openOf(stag);
            return item != null && item.valid ? item : null;
        }

        private int nearby(int stag) {
            int choice = input.u8();
            return choice < 224 ? stag : stag ^ 1 << choice - 224;
        }

        private long offset(Item item) {
            int choice = input.u8();
            return choice < 248 ? item.base + choice - 8 : input.u64();
        }

        /** Mostly rights that are possible. */
        private int rights() {
            int bits = input.u8();
            return input.u8() < 200 ? bits | 3 : bits;
        }

        private MemorySegment slice() {
            int offset = input.below(LENGTH);
            return MEMORY.asSlice(offset, 1 + input.below(LENGTH - offset));
        }

        private int windowsOf(Item region) {
            int count = 0;
            for (Item item : items) {
                count += item.boundTo == region ? 1 : 0;
            }
            return count;
        }

        private int openItems() {
            int count = 0;
            for (Item item : items) {
                count += item.open ? 1 : 0;
            }
            return count;
        }

        private int domain() {
            return 1 + input.below(DOMAINS);
        }

        private int queuePair() {
            return 1 + input.below(QUEUE_PAIRS);
        }
    }
}
