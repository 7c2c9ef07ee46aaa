package io.stag.rnic.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.simnet.Conforms;
import io.stag.simnet.Seeds;
import io.stag.verbs.VerbsException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Random operations on the table and on a plain map of what should be valid; both must agree after every step. */
@Conforms({"VRB-012", "VRB-015", "VRB-016", "DDP-062"})
class StagTableModelTest {
    private static final int STEPS = 150;
    private static final int MAX_ENTRIES = 12;
    private static final int DOMAINS = 2;
    private static final int QUEUE_PAIRS = 2;
    private static final int LENGTH = 64;

    private final MemorySegment memory = Arena.ofAuto().allocate(LENGTH);

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
        long length;

        @Nullable
        Item boundTo;

        Item(StagEntry entry) {
            this.entry = entry;
            this.domain = entry.domain();
            this.stag = entry.stag();
        }
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("io.stag.simnet.Seeds#all")
    void agreesWithAMap(long seed) {
        new Run(seed).steps();
    }

    private final class Run {
        private final SplittableRandom random;
        private final String replay;
        private final StagTable table;
        private final List<Item> items = new ArrayList<>();
        private final Set<Integer> stagsEverSeen = new LinkedHashSet<>();

        Run(long seed) {
            random = new SplittableRandom(seed);
            replay = Seeds.replay(seed);
            table = new StagTable(random.split(), MAX_ENTRIES);
        }

        void steps() {
            for (int i = 0; i < STEPS; i++) {
                String step = i + ": " + step();
                compare(step);
            }
        }

        private String step() {
            return switch (random.nextInt(12)) {
                case 0, 1 -> register();
                case 2 -> allocateStag();
                case 3 -> allocateWindow();
                case 4 -> reregister();
                case 5, 6, 7 -> bind();
                case 8, 9 -> invalidate();
                case 10 -> fastRegister();
                default -> close();
            };
        }

        private String register() {
            int domain = domain();
            int rights = random.nextInt(1 << 8);
            boolean fits = Rights.check(rights) == null && openItems() < MAX_ENTRIES;
            long length = 1 + random.nextInt(LENGTH);
            try {
                SoftMemoryRegion region = table.register(domain, memory.asSlice(0, length), rights, TestDomain.OWNER);
                expect(fits, "register " + rights);
                Item item = add(region);
                grant(item, region.stag(), rights, length);
                item.remoteAccess = hasRemote(rights);
            } catch (VerbsException e) {
                expect(!fits, e.getMessage());
            }
            return "register";
        }

        private String allocateStag() {
            boolean remote = random.nextBoolean();
            try {
                SoftMemoryRegion region = table.allocateStag(domain(), remote, TestDomain.OWNER);
                add(region).remoteAccess = remote;
            } catch (VerbsException e) {
                expect(openItems() == MAX_ENTRIES, e.getMessage());
            }
            return "allocateStag";
        }

        private String allocateWindow() {
            try {
                add(table.allocateWindow(domain(), TestDomain.OWNER));
            } catch (VerbsException e) {
                expect(openItems() == MAX_ENTRIES, e.getMessage());
            }
            return "allocateWindow";
        }

        private String reregister() {
            Item item = any(SoftMemoryRegion.class);
            if (item == null) {
                return "nothing";
            }
            int rights = random.nextInt(1 << 8);
            boolean fits = item.open && Rights.check(rights) == null && windowsOf(item) == 0;
            int before = item.stag;
            try {
                ((SoftMemoryRegion) item.entry).reregister(memory, Rights.toSet(rights));
                expect(fits, "reregister");
                grant(item, item.entry.stag(), rights, LENGTH);
                item.remoteAccess = hasRemote(rights);
                expect(item.stag != before && item.stag >>> 8 == before >>> 8, "another key, the same index");
            } catch (VerbsException e) {
                expect(!fits, e.getMessage());
            }
            return "reregister";
        }

        private String bind() {
            Item window = any(SoftMemoryWindow.class);
            Item region = any(SoftMemoryRegion.class);
            if (window == null || region == null) {
                return "nothing";
            }
            int domain = random.nextInt(4) == 0 ? domain() : window.domain;
            int queuePair = queuePair();
            int key = random.nextInt(256);
            int rights = random.nextInt(4) == 0 ? random.nextInt(1 << 8) : 1 << 2 + random.nextInt(3);
            long offset = random.nextInt(LENGTH / 2);
            long length = random.nextInt(LENGTH);
            boolean fits = window.open
                    && region.open
                    && !window.valid
                    && region.valid
                    && window.domain == domain
                    && region.domain == domain
                    && (region.rights & Rights.WINDOW_BIND) != 0
                    && offset + length <= region.length
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
            expect(fits == (result == BindResult.OK), result.text());
            if (fits) {
                grant(window, window.stag & ~0xff | key, rights, length);
                window.queuePair = queuePair;
                window.boundTo = region;
            }
            return "bind " + result;
        }

        private String invalidate() {
            Item item = items.isEmpty() ? null : items.get(random.nextInt(items.size()));
            if (item == null) {
                return "nothing";
            }
            int stag = random.nextInt(5) == 0 ? item.stag ^ 1 << random.nextInt(32) : item.stag;
            int domain = random.nextInt(4) == 0 ? domain() : item.domain;
            int queuePair = queuePair();
            boolean remote = random.nextBoolean();
            boolean enabled = random.nextInt(4) != 0;
            boolean window = item.entry instanceof SoftMemoryWindow;
            boolean fits = item.open
                    && stag == item.stag
                    && domain == item.domain
                    && (!remote || enabled)
                    && (window
                            ? !item.valid || item.queuePair == queuePair
                            : windowsOf(item) == 0
                                    && (!remote || item.remoteAccess && (item.rights & Rights.REMOTE_INVALIDATE) != 0));
            InvalidateResult result = table.invalidate(stag, domain, queuePair, remote, enabled);
            if (stag == item.stag || items.stream().noneMatch(other -> other.open && other.stag == stag)) {
                expect(fits == (result == InvalidateResult.OK), result.text());
            }
            if (fits) {
                item.valid = false;
                item.boundTo = null;
            }
            return "invalidate " + result;
        }

        private String fastRegister() {
            Item item = any(SoftMemoryRegion.class);
            if (item == null) {
                return "nothing";
            }
            int domain = random.nextInt(4) == 0 ? domain() : item.domain;
            int rights = random.nextInt(1 << 8);
            int key = random.nextInt(256);
            boolean fits = item.open
                    && !item.valid
                    && item.domain == domain
                    && Rights.check(rights) == null
                    && (item.remoteAccess || !hasRemote(rights));
            FastRegisterResult result = table.fastRegister((SoftMemoryRegion) item.entry, key, memory, rights, domain);
            expect(fits == (result == FastRegisterResult.OK), result.text());
            if (fits) {
                grant(item, item.stag & ~0xff | key, rights, LENGTH);
            }
            return "fastRegister " + result;
        }

        private String close() {
            Item item = items.isEmpty() ? null : items.get(random.nextInt(items.size()));
            if (item == null) {
                return "nothing";
            }
            boolean fits = windowsOf(item) == 0;
            try {
                table.remove(item.entry);
                expect(fits, "close");
                item.open = false;
                item.valid = false;
                item.boundTo = null;
            } catch (VerbsException e) {
                expect(!fits, e.getMessage());
            }
            return "close";
        }

        private void compare(String step) {
            Map<Integer, Item> valid = new HashMap<>();
            for (Item item : items) {
                stagsEverSeen.add(item.stag);
                if (item.valid) {
                    valid.put(item.stag, item);
                }
                assertThat(item.entry.stag()).as("%s, %s", step, replay).isEqualTo(item.stag);
            }
            for (int stag : stagsEverSeen) {
                Grant grant = table.lookup(stag);
                Item item = valid.get(stag);
                assertThat(grant != null)
                        .as("%s: STag %08x, %s", step, stag, replay)
                        .isEqualTo(item != null);
                if (grant != null && item != null) {
                    assertThat(grant.entry()).isSameAs(item.entry);
                    assertThat(grant.rights()).isEqualTo(item.rights);
                    assertThat(grant.domain()).isEqualTo(item.domain);
                    assertThat(grant.length()).isEqualTo(item.length);
                    assertThat(grant.queuePair()).isEqualTo(item.queuePair);
                }
            }
            assertThat(table.size()).as("%s, %s", step, replay).isEqualTo(openItems());
            for (int queuePair = 1; queuePair <= QUEUE_PAIRS; queuePair++) {
                int number = queuePair;
                assertThat(table.windowsBoundTo(queuePair))
                        .as("%s, %s", step, replay)
                        .isEqualTo((int) items.stream()
                                .filter(i -> i.boundTo != null && i.queuePair == number)
                                .count());
            }
        }

        private Item add(StagEntry entry) {
            var item = new Item(entry);
            items.add(item);
            expect(openItems() <= MAX_ENTRIES, "more than the limit");
            return item;
        }

        private void grant(Item item, int stag, int rights, long length) {
            item.valid = true;
            item.stag = stag;
            item.rights = rights;
            item.length = length;
        }

        /** Mostly an open one, so that something happens. */
        private @Nullable Item any(Class<? extends StagEntry> kind) {
            boolean closedToo = random.nextInt(10) == 0;
            List<Item> candidates = items.stream()
                    .filter(item -> kind.isInstance(item.entry) && (item.open || closedToo))
                    .toList();
            return candidates.isEmpty() ? null : candidates.get(random.nextInt(candidates.size()));
        }

        private int windowsOf(Item region) {
            return (int) items.stream().filter(item -> item.boundTo == region).count();
        }

        private int openItems() {
            return (int) items.stream().filter(item -> item.open).count();
        }

        private int domain() {
            return 1 + random.nextInt(DOMAINS);
        }

        private int queuePair() {
            return 1 + random.nextInt(QUEUE_PAIRS);
        }

        private void expect(boolean condition, String what) {
            assertThat(condition).as("%s, %s", what, replay).isTrue();
        }
    }

    private static boolean hasRemote(int rights) {
        return (rights & Rights.REMOTE) != 0;
    }
}
