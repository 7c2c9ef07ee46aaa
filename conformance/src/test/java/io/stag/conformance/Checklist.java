package io.stag.conformance;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * The conformance items, and why some of them are shown by no test, as they stand in {@code docs/conformance}.
 *
 * @param items in the order of the layers and then of their numbers
 * @param exceptions reasons by item
 */
record Checklist(List<Item> items, Map<String, String> exceptions) {
    private static final List<String> ITEM_FIELDS = List.of("id", "requirement", "level", "source", "tests", "how");
    private static final List<String> EXCEPTION_FIELDS = List.of("id", "reason");

    enum Layer {
        MPA("MPA: framing, Markers, CRC, sizes, errors (RFC 5044)"),
        CM("CM: connection set-up and teardown (RFC 5044, section 7, and RFC 6581)"),
        DDP("DDP: direct data placement (RFC 5041)"),
        RDMAP("RDMAP: the RDMA protocol (RFC 5040)"),
        EXT("EXT: atomic operations and immediate data (RFC 7306)"),
        SEC("SEC: security (RFC 5042, sections on security of the others, RFC 7146)"),
        VRB("VRB: behaviour of the verbs (RDMA protocol verbs specification, \"V\")"),
        DG("DG: datagram-iWARP (docs/datagram-wire.md)"),
        RD("RD: reliable datagrams (docs/reliable-datagram.md)");

        private final String title;

        Layer(String title) {
            this.title = title;
        }

        String title() {
            return title;
        }
    }

    /**
     * One requirement.
     *
     * @param tests how it can be shown: U, W, P, R, or several with strokes between
     * @param how a hint for whoever writes the test; may be empty
     */
    record Item(Layer layer, String id, String requirement, String level, String source, String tests, String how) {
        /** Whether a test can show this, not review alone. */
        boolean testable() {
            return !tests.equals("R");
        }
    }

    static Checklist read(Path folder) throws IOException {
        List<Item> items = new ArrayList<>();
        for (Layer layer : Layer.values()) {
            Path file = folder.resolve(layer.name().toLowerCase(Locale.ROOT) + ".csv");
            for (List<String> row : Csv.read(file, ITEM_FIELDS)) {
                items.add(new Item(layer, row.get(0), row.get(1), row.get(2), row.get(3), row.get(4), row.get(5)));
            }
        }
        Map<String, String> exceptions = new TreeMap<>();
        for (List<String> row : Csv.read(folder.resolve("exceptions.csv"), EXCEPTION_FIELDS)) {
            if (exceptions.put(row.get(0), row.get(1)) != null) {
                throw new IOException("two exceptions for " + row.get(0));
            }
        }
        return new Checklist(List.copyOf(items), exceptions);
    }

    List<Item> items(Layer layer) {
        return items.stream().filter(item -> item.layer() == layer).toList();
    }
}
