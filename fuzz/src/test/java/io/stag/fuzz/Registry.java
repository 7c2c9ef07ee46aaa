package io.stag.fuzz;

import io.stag.fuzz.Posted.Piece;
import io.stag.fuzz.World.Area;
import io.stag.rnic.memory.BindResult;
import io.stag.rnic.memory.Rights;
import io.stag.rnic.memory.SoftMemoryRegion;
import io.stag.rnic.memory.SoftMemoryWindow;
import io.stag.rnic.memory.StagTable;
import io.stag.verbs.ProtectionDomain;
import java.lang.foreign.Arena;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/** The STags of an endpoint: the areas of its world, some windows, and what each STag reaches while it is valid. */
final class Registry {
    static final int DOMAIN = 7;
    static final int QUEUE_PAIR = 3;

    private static final int OTHER_DOMAIN = 8;
    private static final int OTHER_QUEUE_PAIR = 4;
    private static final int WINDOWS = 3;
    private static final int GONE_REGIONS = 4;
    private static final int GONE_LENGTH = 8;
    private static final ProtectionDomain OWNER = (ProtectionDomain) Proxy.newProxyInstance(
            Registry.class.getClassLoader(), new Class<?>[] {ProtectionDomain.class}, (_, method, _) -> {
                throw new UnsupportedOperationException(method.getName());
            });

    final StagTable stags = new StagTable(new SplittableRandom(1), 64);
    final Map<Area, SoftMemoryRegion> regions = new EnumMap<>(Area.class);
    final Map<Integer, Reach> reaches = new HashMap<>();

    /** The first is bound to our queue pair, the second to another one, the rest to none. */
    final List<SoftMemoryWindow> windows = new ArrayList<>();

    private final World world;
    private final List<SoftMemoryRegion> gone = new ArrayList<>();
    private int nextGone;
    private int lastKey;

    Registry(World world) {
        this.world = world;
        for (Area area : Area.values()) {
            regions.put(area, area == Area.SPARE ? stags.allocateStag(DOMAIN, true, OWNER) : register(area));
        }
        for (int i = 0; i < WINDOWS; i++) {
            windows.add(stags.allocateWindow(DOMAIN, OWNER));
        }
        bind(0, QUEUE_PAIR);
        bind(1, OTHER_QUEUE_PAIR);
    }

    private SoftMemoryRegion register(Area area) {
        int domain = area == Area.FOREIGN ? OTHER_DOMAIN : DOMAIN;
        reaches.put(area.stag, new Reach(area.offset(), area.length, area.base, area.rights, domain == DOMAIN));
        return stags.registerAs(area.stag, area.base, domain, world.slice(area), area.rights, OWNER);
    }

    /** Memory of a region whose owner has closed the arena behind our back. */
    Piece goneMemory() {
        if (gone.isEmpty()) {
            // all at once: closing a shared arena stops all threads for a moment
            try (Arena arena = Arena.ofShared()) {
                for (int i = 0; i < GONE_REGIONS; i++) {
                    int rights = Rights.LOCAL_READ | Rights.LOCAL_WRITE;
                    gone.add(stags.register(DOMAIN, arena.allocate(GONE_LENGTH), rights, OWNER));
                }
            }
        }
        nextGone = (nextGone + 1) % GONE_REGIONS;
        return new Piece(gone.get(nextGone), 0, -1, GONE_LENGTH);
    }

    private void bind(int index, int queuePair) {
        SoftMemoryWindow window = windows.get(index);
        int key = nextKey();
        reach(window.index(), key, Area.BINDABLE, 64, 128, Rights.REMOTE, queuePair == QUEUE_PAIR);
        BindResult result =
                stags.bind(window, key, regions.get(Area.BINDABLE), 64, 128, Rights.REMOTE, DOMAIN, queuePair);
        Check.that(result == BindResult.OK, result.text());
    }

    /** A key that was not used before, so that no STag gets a second meaning. */
    int nextKey() {
        return ++lastKey & 0xFF;
    }

    boolean hasKeys() {
        return lastKey < 250;
    }

    /** Notes what an STag will reach. */
    void reach(int index, int key, Area area, int offset, int length, int rights, boolean ours) {
        reaches.put(index << 8 | key, new Reach(area.offset() + offset, length, 0, rights, ours));
    }
}
