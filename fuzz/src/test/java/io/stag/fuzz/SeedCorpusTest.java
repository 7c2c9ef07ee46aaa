package io.stag.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.fuzz.EndpointFuzzTest.Step;
import io.stag.fuzz.HeaderFuzzTest.Kind;
import io.stag.fuzz.StagTableFuzzTest.Operation;
import io.stag.fuzz.World.Area;
import io.stag.wire.Vectors;
import io.stag.wire.datagram.DatagramVectors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * What the fuzzer starts from, and what every ordinary build replays: the vectors, and a few runs that use all of the
 * engine. With {@code -Dseeds=apply} the files are written, else only compared. Files that this class did not make are
 * inputs that the fuzzer found.
 */
class SeedCorpusTest {
    private static final boolean APPLY = "apply".equals(System.getProperty("seeds"));
    private static final Path RESOURCES = Path.of("src/test/resources/io/stag/fuzz");
    private static final int ALL = 255;
    private static final int LONG_PIECE = 255;

    private final Map<String, byte[]> seeds = new TreeMap<>();

    @Test
    void theSeedsAreThoseThatThisClassMakes() throws IOException {
        Vectors.positive().forEach(this::addPositive);
        Vectors.negative().forEach(this::addNegative);
        addEndpointScripts();
        addQueuePairScripts();
        addStagTableScripts();
        addDatagrams();
        addReliableDatagrams();
        for (Map.Entry<String, byte[]> seed : seeds.entrySet()) {
            Path file = RESOURCES.resolve(seed.getKey());
            if (APPLY) {
                Files.createDirectories(file.getParent());
                Files.write(file, seed.getValue());
            }
            assertThat(file).as("to write it: -Dseeds=apply").hasBinaryContent(seed.getValue());
        }
        try (Stream<Path> files = Files.walk(RESOURCES)) {
            assertThat(files.filter(file -> file.getFileName().toString().startsWith("seed-"))
                            .map(file -> RESOURCES.relativize(file).toString()))
                    .as("files that are no seeds any more")
                    .allMatch(seeds::containsKey);
        }
    }

    private void addPositive(Vectors.Positive vector) {
        switch (vector.kind()) {
            case "mpa-req" -> addStartup(vector.id(), vector.hex(), false);
            case "mpa-rep" -> addStartup(vector.id(), vector.hex(), true);
            case "marked-stream" -> {
                int crc = vector.id().endsWith("NOCRC") ? 0 : EndpointFuzzTest.CRC;
                addFraming(vector.id(), vector.hex(), crc | 2);
                addStream(vector.id(), vector.hex(), crc | EndpointFuzzTest.MARKERS_RECEIVED, 1);
            }
            default -> {
                addHeaders(vector.id(), vector.hex());
                addFraming(vector.id(), vector.hex(), 1);
                // with a Read and an atomic outstanding, so that answers find their requests
                addStream(vector.id(), vector.hex(), EndpointFuzzTest.CRC | EndpointFuzzTest.INITIATOR, 0x3C);
            }
        }
    }

    private void addNegative(Vectors.Negative vector) {
        if (vector.expectTerminate().startsWith("close")) {
            addStartup(vector.id(), vector.hex(), false);
            return;
        }
        boolean markers = vector.id().equals("NEG-MARKER");
        addStream(
                vector.id(),
                vector.hex(),
                EndpointFuzzTest.CRC | (markers ? EndpointFuzzTest.MARKERS_RECEIVED : 0),
                vector.id().equals("NEG-NOBUF") ? 0 : 1);
        if (vector.id().equals("NEG-BAD-CRC") || markers) {
            addFraming(vector.id(), vector.hex(), markers ? 3 : 1);
        }
    }

    private void addStartup(String id, String hex, boolean initiator) {
        int revision = Integer.parseInt(hex.substring(34, 36), 16);
        int role = initiator ? 1 : 2;
        int flags = (revision == 2 ? 1 : 0) | 2 | 8;
        add("Startup", id, Seed.of(role, flags, 7, 4, 4, 12, 6, 6).u16(5).hex(hex));
    }

    private void addFraming(String id, String hex, int flags) {
        add("FpduDecoder", id, Seed.of(flags).u16(0).u8(40).u16(0xFFFF).hex(hex));
    }

    /** A ULPDU as header, and what follows its header as RDMAP header. */
    private void addHeaders(String id, String hex) {
        String ulpdu = hex.substring(4, hex.length() - 8);
        boolean tagged = Integer.parseInt(ulpdu.substring(0, 2), 16) >= 0x80;
        Kind inner = switch (Integer.parseInt(ulpdu.substring(3, 4), 16)) {
            case Segment.READ -> Kind.READ_REQUEST;
            case Segment.TERMINATE -> Kind.TERMINATE;
            case Segment.ATOMIC -> Kind.ATOMIC_REQUEST;
            case Segment.ATOMIC_ANSWER -> Kind.ATOMIC_RESPONSE;
            case Segment.IMMEDIATE_DATA -> Kind.IMMEDIATE_DATA;
            default -> tagged ? Kind.TAGGED : Kind.UNTAGGED;
        };
        int offset = inner == Kind.TAGGED || inner == Kind.UNTAGGED ? 0 : Segment.UNTAGGED;
        add("Header", id, Seed.of(inner.ordinal(), offset, ALL).hex(ulpdu));
    }

    private void addStream(String id, String hex, int flags, int preparation) {
        add("Endpoint", id, Seed.of(flags, 0x0F, 200, LONG_PIECE, preparation).hex(hex));
    }

    private void addEndpointScripts() {
        int flags = EndpointFuzzTest.SCRIPT;
        add(
                "Endpoint",
                "script-peer-reads-and-writes",
                Seed.of(flags, 0x0F, 0, LONG_PIECE, 2)
                        .u8(Step.SEGMENT.ordinal(), Segment.WRITE, 0)
                        .target(Area.EXPOSED, 16)
                        .u8(100, 0xAB, 0)
                        .u8(Step.SEGMENT.ordinal(), Segment.WRITE, 1)
                        .window(8)
                        .u8(32, 0xCD, 0)
                        .u8(Step.SEGMENT.ordinal(), Segment.READ, 0)
                        .target(Area.EXPOSED, 0)
                        .u8(200, 0)
                        .u8(Step.SEGMENT.ordinal(), 10, 0)
                        .target(Area.EXPOSED, 24)
                        .u8(2, 7, 0, 0, 3, 4, 0)
                        .step(Step.DRAIN)
                        .u8(Step.SEGMENT.ordinal(), Segment.SEND, 1, 30, 0x11, 0)
                        .u8(Step.SEGMENT.ordinal(), Segment.SEND, 0, 34, 0x22, 0)
                        .u8(Step.SEGMENT.ordinal(), Segment.IMMEDIATE_DATA_SE, 0, 0x33, 0)
                        .step(Step.DRAIN));
        add(
                "Endpoint",
                "script-peer-answers",
                Seed.of(flags | EndpointFuzzTest.INITIATOR | EndpointFuzzTest.CRC, 0x0F, 0, LONG_PIECE, 0x38)
                        .u8(Step.SEGMENT.ordinal(), Segment.READ_RESPONSE, 0, 99, 0x44, 0)
                        .u8(Step.SEGMENT.ordinal(), Segment.READ_RESPONSE, 0, 99, 0x55, 0)
                        .u8(Step.SEGMENT.ordinal(), 11, 0, 0, 0x66, 0)
                        .u8(Step.SEGMENT.ordinal(), Segment.READ_RESPONSE, 0, 0, 0, 0)
                        .step(Step.PROBE)
                        .step(Step.DRAIN)
                        .u8(Step.SEGMENT.ordinal(), Segment.READ_RESPONSE, 0, 0, 0, 0)
                        .u8(Step.SEGMENT.ordinal(), Segment.TERMINATE, 0, 4, 0x12, 0x02, 0, 0, 0));
        add(
                "Endpoint",
                "script-peer-invalidates",
                Seed.of(flags, 0x0F, 0, LONG_PIECE, 4)
                        .u8(Step.SEGMENT.ordinal(), Segment.READ, 0)
                        .target(Area.EXPOSED, 0)
                        .u8(100, 0)
                        .u8(Step.SEGMENT.ordinal(), 4, 0)
                        .target(Area.EXPOSED, 5)
                        .u8(1, 0)
                        .step(Step.DRAIN));
        add(
                "Endpoint",
                "script-overflow",
                Seed.of(flags | EndpointFuzzTest.INITIATOR, 0x0F, 0, LONG_PIECE, 4)
                        .u8(Step.OVERFLOW.ordinal(), 1)
                        .u8(Step.SEGMENT.ordinal(), Segment.SEND, 0, 5, 0x11, 0)
                        .u8(Step.SEGMENT.ordinal(), Segment.SEND, 0, 5, 0x11, 0)
                        .step(Step.DRAIN));
    }

    private void addQueuePairScripts() {
        var messages = Seed.of(1, 0x1F, 0, LONG_PIECE);
        for (int i = 0; i < 3; i++) {
            messages.step(QueuePairFuzzTest.Step.RECEIVE, 1).u8(40, 24);
        }
        add(
                "QueuePair",
                "script-messages",
                messages.step(QueuePairFuzzTest.Step.REQUEST, 0)
                        .u8(0, 0x84)
                        .target(Area.EXPOSED, 0)
                        .u8(1, 30, 2, 34)
                        .step(QueuePairFuzzTest.Step.REQUEST, 0)
                        .u8(1, 0x60)
                        .target(Area.EXPOSED, 3)
                        .u8(9, 36)
                        .step(QueuePairFuzzTest.Step.REQUEST, 0)
                        .u8(2, 0x10)
                        .target(Area.WRITE_ONLY, 3)
                        .u8(20)
                        .step(QueuePairFuzzTest.Step.REQUEST, 0)
                        .u8(3, 8)
                        .step(QueuePairFuzzTest.Step.EXCHANGE, 0));
        add(
                "QueuePair",
                "script-reads-and-atomics",
                Seed.of(0x83, 0x35, 0, LONG_PIECE)
                        .step(QueuePairFuzzTest.Step.REQUEST, 0)
                        .u8(4, 0x80)
                        .target(Area.READ_ONLY, 0)
                        .u8(0, 60, 60, 40)
                        .step(QueuePairFuzzTest.Step.REQUEST, 0)
                        .u8(5, 1)
                        .target(Area.EXPOSED, 8)
                        .u8(1, 0, 0)
                        .step(QueuePairFuzzTest.Step.REQUEST, 0)
                        .u8(6, 8)
                        .target(Area.EXPOSED, 16)
                        .u8(1, 2, 3)
                        .step(QueuePairFuzzTest.Step.EXCHANGE, 0)
                        .step(QueuePairFuzzTest.Step.REQUEST, 1)
                        .u8(4, 0x40)
                        .target(Area.EXPOSED, 0)
                        .u8(0, 128));
        add(
                "QueuePair",
                "script-windows-and-fast-registration",
                Seed.of(0, 0x3F, 0, LONG_PIECE)
                        .step(QueuePairFuzzTest.Step.LOCAL_REQUEST, 0)
                        .u8(0, 2, 0, 7, 10, 100)
                        .step(QueuePairFuzzTest.Step.LOCAL_REQUEST, 0)
                        .u8(1, 0x1C)
                        .step(QueuePairFuzzTest.Step.EXCHANGE, 0)
                        .step(QueuePairFuzzTest.Step.LOCAL_REQUEST, 0)
                        .u8(3)
                        .target(Area.READ_ONLY, 0)
                        .u8(10, 100)
                        .step(QueuePairFuzzTest.Step.EXCHANGE, 0)
                        .step(QueuePairFuzzTest.Step.LOCAL_REQUEST, 0)
                        .u8(2)
                        .window(0)
                        .step(QueuePairFuzzTest.Step.REQUEST, 1)
                        .u8(1, 0x40)
                        .window(0)
                        .u8(3, 3));
    }

    private void addStagTableScripts() {
        int all = 0xFF;
        add(
                "StagTable",
                "script-windows",
                new Seed()
                        .step(Operation.REGISTER)
                        .u8(0, all, 0, 0, 127)
                        .step(Operation.ALLOCATE_WINDOW)
                        .u8(0)
                        .step(Operation.BIND)
                        .u8(1, 0, 0, 0, 9, 0x1C, 16, 40)
                        .step(Operation.ACCESS)
                        .u8(1, 0, 0, 0, 3, 8, 32)
                        .step(Operation.INVALIDATE)
                        .u8(0, 0, 0, 0, 0, 0)
                        .step(Operation.CLOSE)
                        .u8(0)
                        .step(Operation.INVALIDATE)
                        .u8(1, 0, 0, 0, 1, 0)
                        .step(Operation.INVALIDATE)
                        .u8(0, 0, 0, 0, 1, 0)
                        .step(Operation.FAST_REGISTER)
                        .u8(0, 0, all, 0, 77, 5, 60)
                        .step(Operation.ACCESS)
                        .u8(0, 0, 0, 0, 3, 8, 32)
                        .step(Operation.CLOSE_DOMAIN)
                        .u8(0));
        add(
                "StagTable",
                "script-regions",
                new Seed()
                        .step(Operation.ALLOCATE)
                        .u8(all, 0, 1, 100)
                        .step(Operation.REREGISTER)
                        .u8(0, all, 0, 3, 30)
                        .step(Operation.ALLOCATE_STAG)
                        .u8(1, 1)
                        .step(Operation.FAST_REGISTER)
                        .u8(1, 1, all, 0, 3, 0, 99)
                        .step(Operation.RELEASE_QUEUE_PAIR)
                        .u8(1)
                        .step(Operation.CLOSE)
                        .u8(1));
    }

    private void addReliableDatagrams() {
        for (DatagramVectors.Vector vector : DatagramVectors.reliable()) {
            add(
                    "Reliable",
                    vector.id(),
                    new Seed()
                            .step(ReliableFuzzTest.Step.RAW)
                            .u8(0, vector.hex().length() / 2)
                            .hex(vector.hex())
                            .u8(1));
        }
        add("Reliable", "script-exchange", exchange().u8(0));
        add(
                "Reliable",
                "script-restart",
                exchange()
                        .u8(0)
                        .step(ReliableFuzzTest.Step.RESTART)
                        .u8(1)
                        .step(ReliableFuzzTest.Step.SEND)
                        .u8(0, 200));
        add(
                "Reliable",
                "script-every-request",
                new Seed()
                        .step(ReliableFuzzTest.Step.WRITE)
                        .u8(0, 3, 0, 65, 200)
                        .step(ReliableFuzzTest.Step.READ)
                        .u8(0, 3, 0, 64, 200)
                        .step(ReliableFuzzTest.Step.ADD)
                        .u8(0, 1)
                        .step(ReliableFuzzTest.Step.IMMEDIATE)
                        .u8(0));
        // the second of two datagrams comes first; when it is due it has no receive, or one that is too short
        add(
                "Reliable",
                "script-early-not-ready",
                early(new Seed().step(ReliableFuzzTest.Step.RECEIVE).u8(1, 1)));
        add(
                "Reliable",
                "script-early-refused",
                early(new Seed()
                        .step(ReliableFuzzTest.Step.RECEIVE)
                        .u8(1, 1)
                        .step(ReliableFuzzTest.Step.RECEIVE)
                        .u8(1, 0, 8)));
    }

    /** A Send, its acknowledgement, and time. */
    private static Seed exchange() {
        return new Seed()
                .step(ReliableFuzzTest.Step.RECEIVE)
                .u8(1, 1)
                .step(ReliableFuzzTest.Step.SEND)
                .u8(0, 100)
                .step(ReliableFuzzTest.Step.FLUSH)
                .u8(0, 1)
                .step(ReliableFuzzTest.Step.DELIVER)
                .u8(0)
                .step(ReliableFuzzTest.Step.DELIVER)
                .u8(0)
                .step(ReliableFuzzTest.Step.FLUSH)
                .u8(1, 1)
                .step(ReliableFuzzTest.Step.DELIVER)
                .u8(0)
                .step(ReliableFuzzTest.Step.PASS)
                .u8(20)
                .step(ReliableFuzzTest.Step.ACKNOWLEDGE);
    }

    private static Seed early(Seed receives) {
        return receives.step(ReliableFuzzTest.Step.SEND)
                .u8(0, 10)
                .step(ReliableFuzzTest.Step.SEND)
                .u8(0, 60)
                .step(ReliableFuzzTest.Step.FLUSH)
                .u8(0, 1)
                .step(ReliableFuzzTest.Step.DELIVER)
                .u8(1)
                .step(ReliableFuzzTest.Step.FLUSH)
                .u8(1, 1)
                .step(ReliableFuzzTest.Step.DELIVER)
                .u8(1)
                .step(ReliableFuzzTest.Step.DELIVER)
                .u8(0)
                .step(ReliableFuzzTest.Step.FLUSH)
                .u8(1, 1)
                .step(ReliableFuzzTest.Step.DELIVER)
                .u8(0);
    }

    private void addDatagrams() {
        for (DatagramVectors.Vector vector : DatagramVectors.all()) {
            add(
                    "Datagram",
                    vector.id(),
                    new Seed()
                            .step(DatagramFuzzTest.Step.POST)
                            .u8(20)
                            .step(DatagramFuzzTest.Step.REPAIRED)
                            .u8(0)
                            .u16(vector.hex().length() / 2)
                            .hex(vector.hex()));
        }
        // of a Write-Record of 512 octets two segments, a duplicate and, too late, a third one
        int[] writable = {0, 0, 64, 9, 8};
        add(
                "Datagram",
                "script-partial-record",
                new Seed()
                        .step(DatagramFuzzTest.Step.WRITE)
                        .u8(0)
                        .u8(writable)
                        .u8(0, 2, 0)
                        .step(DatagramFuzzTest.Step.WRITE)
                        .u8(0)
                        .u8(writable)
                        .u8(4, 2, 0)
                        .step(DatagramFuzzTest.Step.WRITE)
                        .u8(0)
                        .u8(writable)
                        .u8(4, 2, 0)
                        .step(DatagramFuzzTest.Step.PASS)
                        .u8(255)
                        .step(DatagramFuzzTest.Step.WRITE)
                        .u8(0)
                        .u8(writable)
                        .u8(2, 2, 0));
        add(
                "Datagram",
                "script-send-in-two",
                new Seed()
                        .step(DatagramFuzzTest.Step.POST)
                        .u8(4)
                        .step(DatagramFuzzTest.Step.SEND)
                        .u8(0, 7, 4, 0, 2, 0)
                        .step(DatagramFuzzTest.Step.SEND)
                        .u8(0, 7, 4, 2, 2, 0));
    }

    private void add(String target, String name, Seed seed) {
        String file = target + "FuzzTestInputs/seed-" + name.toLowerCase(Locale.ROOT);
        assertThat(seeds.put(file, seed.octets())).as(file).isNull();
    }
}
