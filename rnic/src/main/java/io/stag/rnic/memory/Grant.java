package io.stag.rnic.memory;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * What an STag allows at this moment. Immutable, so that the data path can look once and act on one consistent view. A
 * grant that was withdrawn may be in use until the holder's duty cycle ends; see {@link Quiescence}.
 */
public final class Grant {
    private final StagEntry entry;
    private final long number;
    private final int stag;
    private final int domain;
    private final int queuePair;
    private final int rights;
    private final long base;
    private final long length;
    private final MemorySegment memory;
    /** Made when it is needed first; more than one agent at a time is rare, and then makes another. */
    private final AtomicReference<@Nullable ByteBuffer> view = new AtomicReference<>();

    private volatile @Nullable ValidityBits validity; // once somebody wrote or looked

    /** Under the table's lock. */
    Grant(StagEntry entry, int stag, int queuePair, int rights, long base, MemorySegment memory) {
        this.entry = entry;
        this.number = entry.table().nextGrantNumber();
        this.stag = stag;
        this.domain = entry.domain();
        this.queuePair = queuePair;
        this.rights = rights;
        this.base = base;
        this.length = memory.byteSize();
        this.memory = memory;
    }

    /** No other grant of the table has or had this number, which is not 0. Who keeps it keeps no memory. */
    public long number() {
        return number;
    }

    /** The STag, all 32 bits. */
    public int stag() {
        return stag;
    }

    /** The protection domain. */
    public int domain() {
        return domain;
    }

    /** The only queue pair that may use it; 0 = every queue pair of the domain. */
    public int queuePair() {
        return queuePair;
    }

    /** Bits of {@link Rights}. */
    public int rights() {
        return rights;
    }

    /** Tagged offset of the first octet. */
    public long base() {
        return base;
    }

    /** Number of octets. */
    public long length() {
        return length;
    }

    /** The memory: exactly the octets that may be accessed. */
    public MemorySegment memory() {
        return memory;
    }

    /** The region or window that grants this, for its counters. */
    public StagEntry entry() {
        return entry;
    }

    /**
     * Checks an access (RFC 5041, section 7.1) in this order: domain and queue pair, right, wrap, bounds. Offset and
     * length are unsigned. An access of length 0 is never checked (verbs draft, section 7.6.3); callers should not even
     * look up its STag.
     */
    public AccessCheck check(int domain, int queuePair, int neededRights, long taggedOffset, long length) {
        if (length == 0) {
            return AccessCheck.OK;
        }
        if (domain != this.domain || (this.queuePair != 0 && this.queuePair != queuePair)) {
            return AccessCheck.WRONG_DOMAIN;
        }
        if ((rights & neededRights) != neededRights) {
            return AccessCheck.RIGHTS;
        }
        if (Long.compareUnsigned(taggedOffset + length, taggedOffset) < 0) {
            return AccessCheck.WRAP;
        }
        long offset = taggedOffset - base;
        // Below the base the difference is huge as an unsigned number, since base plus length stays below 2^64.
        if (Long.compareUnsigned(offset, this.length) >= 0 || Long.compareUnsigned(length, this.length - offset) > 0) {
            return AccessCheck.BOUNDS;
        }
        return AccessCheck.OK;
    }

    /** Offset inside {@link #memory()} of a tagged offset that passed {@link #check}. */
    public long offsetOf(long taggedOffset) {
        return taggedOffset - base;
    }

    /** What Write-Records wrote under this grant. Allocates the first time. */
    public ValidityBits validity() {
        ValidityBits present = validity;
        if (present == null) {
            synchronized (this) {
                present = validity;
                if (present == null) {
                    present = new ValidityBits(length);
                    validity = present;
                }
            }
        }
        return present;
    }

    /**
     * A buffer over the memory, for what takes no segments; it is the caller's alone until given back. Null when the
     * memory is too large for one, or gone.
     */
    @Nullable
    ByteBuffer takeView() {
        ByteBuffer spare = view.getAndSet(null);
        if (spare != null || length > Integer.MAX_VALUE) {
            return spare;
        }
        return memory.asByteBuffer();
    }

    void giveBackView(ByteBuffer spare) {
        view.setRelease(spare);
    }

    /** For messages: STag, range and rights. */
    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "STag 0x%08x, %s octets from 0x%x, %s",
                stag,
                Long.toUnsignedString(length),
                base,
                Rights.toSet(rights));
    }
}
