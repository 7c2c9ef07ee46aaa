package io.stag.rnic.memory;

import io.stag.verbs.Access;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Sets of {@link Access} as bits of an int, and which sets make sense. */
public final class Rights {
    /** Bit of {@link Access#LOCAL_READ}. */
    public static final int LOCAL_READ = 1;

    /** Bit of {@link Access#LOCAL_WRITE}. */
    public static final int LOCAL_WRITE = 1 << 1;

    /** Bit of {@link Access#REMOTE_READ}. */
    public static final int REMOTE_READ = 1 << 2;

    /** Bit of {@link Access#REMOTE_WRITE}. */
    public static final int REMOTE_WRITE = 1 << 3;

    /** Bit of {@link Access#REMOTE_ATOMIC}. */
    public static final int REMOTE_ATOMIC = 1 << 4;

    /** Bit of {@link Access#WINDOW_BIND}. */
    public static final int WINDOW_BIND = 1 << 5;

    /** Bit of {@link Access#VIRTUAL_ADDRESS}. */
    public static final int VIRTUAL_ADDRESS = 1 << 6;

    /** Bit of {@link Access#REMOTE_INVALIDATE}. */
    public static final int REMOTE_INVALIDATE = 1 << 7;

    /** All rights of peers to the memory itself. */
    public static final int REMOTE = REMOTE_READ | REMOTE_WRITE | REMOTE_ATOMIC;

    /** All rights under which memory is changed. */
    public static final int CHANGING = LOCAL_WRITE | REMOTE_WRITE | REMOTE_ATOMIC;

    private static final int LOCAL = LOCAL_READ | LOCAL_WRITE;
    private static final int ALL = LOCAL | REMOTE | WINDOW_BIND | VIRTUAL_ADDRESS | REMOTE_INVALIDATE;

    private Rights() {}

    /** The bits of a set. */
    public static int of(Set<Access> rights) {
        int bits = 0;
        for (Access access : rights) {
            bits |= bit(access);
        }
        return bits;
    }

    /** The set of some bits, unmodifiable. */
    public static Set<Access> toSet(int rights) {
        EnumSet<Access> set = EnumSet.noneOf(Access.class);
        for (Access access : Access.values()) {
            if ((rights & bit(access)) != 0) {
                set.add(access);
            }
        }
        return Collections.unmodifiableSet(set);
    }

    /**
     * Whether a memory region may have these rights: at least one local right, and for every remote right the local
     * ones behind it (verbs draft, section 7.4).
     *
     * @return null when allowed, else what is wrong and what is allowed
     */
    public static @Nullable String check(int rights) {
        if ((rights & ~ALL) != 0) {
            return String.format(Locale.ROOT, "unknown bits in the rights 0x%x", rights);
        }
        if ((rights & LOCAL) == 0) {
            return "a memory region needs LOCAL_READ or LOCAL_WRITE, got " + toSet(rights);
        }
        return checkRemote(rights, rights);
    }

    /**
     * Whether a window may have these rights on a region: at least one remote right, no local one, and behind each the
     * local rights of the region; the remote rights of the region do not matter (verbs draft, section 7.10).
     *
     * @return null when allowed, else what is wrong and what is allowed
     */
    public static @Nullable String checkWindow(int rights, int regionRights) {
        if ((rights & ~(REMOTE | VIRTUAL_ADDRESS)) != 0) {
            return "a memory window has remote rights and VIRTUAL_ADDRESS only, got " + toSet(rights);
        }
        if ((rights & REMOTE) == 0) {
            return "a memory window needs REMOTE_READ, REMOTE_WRITE or REMOTE_ATOMIC";
        }
        return checkRemote(rights, regionRights);
    }

    private static @Nullable String checkRemote(int rights, int localRights) {
        if ((rights & REMOTE_READ) != 0 && (localRights & LOCAL_READ) == 0) {
            return "REMOTE_READ needs LOCAL_READ of the region, which has " + toSet(localRights);
        }
        if ((rights & REMOTE_WRITE) != 0 && (localRights & LOCAL_WRITE) == 0) {
            return "REMOTE_WRITE needs LOCAL_WRITE of the region, which has " + toSet(localRights);
        }
        // An atomic operation changes the memory and tells the peer what was there.
        if ((rights & REMOTE_ATOMIC) != 0 && (localRights & LOCAL) != LOCAL) {
            return "REMOTE_ATOMIC needs LOCAL_READ and LOCAL_WRITE of the region, which has " + toSet(localRights);
        }
        return null;
    }

    // Not the ordinal: the bits must not change when somebody sorts the enum.
    private static int bit(Access access) {
        return switch (access) {
            case LOCAL_READ -> LOCAL_READ;
            case LOCAL_WRITE -> LOCAL_WRITE;
            case REMOTE_READ -> REMOTE_READ;
            case REMOTE_WRITE -> REMOTE_WRITE;
            case REMOTE_ATOMIC -> REMOTE_ATOMIC;
            case WINDOW_BIND -> WINDOW_BIND;
            case VIRTUAL_ADDRESS -> VIRTUAL_ADDRESS;
            case REMOTE_INVALIDATE -> REMOTE_INVALIDATE;
        };
    }
}
