package io.stag.fuzz;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.stag.rnic.rdmap.StreamSettings;
import io.stag.rnic.work.WorkKind;
import io.stag.verbs.cm.ConnectionConfig.ReadyToReceive;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The whole engine against a hostile peer, after a valid startup. In one mode the fuzzer writes the peer's stream, with
 * CRCs and markers put right or left alone; in the other it chooses segments field by field, mostly valid ones, and what
 * the local program does in between.
 *
 * <p>Input: 5 octets of configuration, then the stream or the script.
 */
class EndpointFuzzTest {
    /** Bits of the first octet. */
    static final int CRC = 1;

    static final int REPAIRED = 2;
    static final int MARKERS_RECEIVED = 4;
    static final int MARKERS_SENT = 8;
    static final int INITIATOR = 16;
    static final int SCRIPT = 32;
    static final int NO_REMOTE_READ = 64;
    static final int NO_REMOTE_WRITE = 128;

    /** Steps of the script. */
    enum Step {
        SEGMENT,
        SEGMENT_AGAIN,
        OCTETS,
        RECEIVE,
        REQUEST,
        TRANSMIT,
        TAKE,
        DRAIN,
        PROBE,
        OVERFLOW,
        TERMINATE,
        VANISH,
        LOSE
    }

    private static final int MOST_STEPS = 200;
    private static final int MOST_ROUNDS = 2_000;
    private static final int ALL = 1 << 20;
    private static final Endpoint.Parts PARTS = new Endpoint.Parts();

    @FuzzTest
    void noPeerCanBreakTheEngine(byte[] data) {
        var input = new Input(data);
        int flags = input.u8();
        var run = new Run(settings(flags, input.u8(), input.u8()), flags);
        int piece = 1 + input.u8();
        int preparation = input.u8();
        run.prepare(preparation);
        if ((flags & SCRIPT) != 0) {
            run.script(input, piece);
        } else {
            run.octets(input.rest(), piece, (preparation & 64) != 0);
        }
        run.drain();
        Check.that(!run.endpoint.stream.hasOutput(), "comes to rest");
        if (run.endpoint.isEnded()) {
            run.endpoint.checkAllCompleted();
        }
    }

    private static StreamSettings settings(int flags, int depths, int size) {
        boolean initiator = (flags & INITIATOR) != 0;
        Set<ReadyToReceive> kinds = EnumSet.noneOf(ReadyToReceive.class);
        for (ReadyToReceive kind : ReadyToReceive.values()) {
            if ((depths >> 4 + kind.ordinal() & 1) != 0) {
                kinds.add(kind);
            }
        }
        @Nullable
        ReadyToReceive first = initiator && !kinds.isEmpty() ? kinds.iterator().next() : null;
        return new StreamSettings(
                initiator,
                (flags & CRC) != 0,
                (flags & MARKERS_SENT) != 0,
                (flags & MARKERS_RECEIVED) != 0,
                128 + 5 * size,
                depths & 3,
                depths >> 2 & 3,
                first,
                initiator ? Set.of() : kinds,
                (flags & NO_REMOTE_READ) == 0,
                (flags & NO_REMOTE_WRITE) == 0);
    }

    private static final class Run {
        private final Endpoint endpoint;
        private final boolean crc;
        private final boolean repaired;
        private final SlowFraming framing;
        private int position;
        private long lastId;

        Run(StreamSettings settings, int flags) {
            endpoint = new Endpoint(settings, PARTS);
            crc = settings.crc();
            repaired = (flags & REPAIRED) != 0;
            framing = new SlowFraming(settings.markersReceived());
        }

        /** Receives in the lower bits, then requests whose answers the peer may send or invent. */
        void prepare(int preparation) {
            for (int i = preparation & 7; i > 0; i--) {
                endpoint.postReceive(++lastId, 40, 24);
            }
            if ((preparation & 8) != 0) {
                read(100, 100);
            }
            if ((preparation & 16) != 0) {
                var add = new Posted(++lastId, WorkKind.FETCH_ADD, true);
                endpoint.sends
                        .fetchAdd(add.id, 1, 8, 2, 0)
                        .into(endpoint.registry.regions.get(World.Area.SINK), 200, 8);
                add.remoteStag = 1;
                add.remoteOffset = 8;
                add.pieces.add(sink(200, 8));
                endpoint.posted(add, endpoint.sends.post());
            }
            if ((preparation & 32) != 0) {
                read(0, 0);
            }
            drain();
        }

        private void read(int firstLength, int secondLength) {
            var read = new Posted(++lastId, WorkKind.READ, true);
            read.remoteStag = 0x2222_2222;
            read.remoteOffset = 0x100;
            endpoint.sends
                    .read(read.id, read.remoteStag, read.remoteOffset)
                    .into(endpoint.registry.regions.get(World.Area.SINK), 0, firstLength)
                    .into(endpoint.registry.regions.get(World.Area.SINK), 120, secondLength);
            read.pieces.add(sink(0, firstLength));
            read.pieces.add(sink(120, secondLength));
            endpoint.posted(read, endpoint.sends.post());
        }

        private Posted.Piece sink(int offset, int length) {
            return new Posted.Piece(
                    endpoint.registry.regions.get(World.Area.SINK), offset, World.Area.SINK.offset() + offset, length);
        }

        void octets(byte[] stream, int piece, boolean busy) {
            if (repaired) {
                framing.repair(stream, 0);
            }
            if (!busy) {
                endpoint.feed(stream, piece);
                return;
            }
            for (int at = 0; at < stream.length; at += piece) {
                endpoint.feed(java.util.Arrays.copyOfRange(stream, at, Math.min(stream.length, at + piece)), piece);
                endpoint.transmit();
                endpoint.takeOutput(piece);
            }
        }

        void script(Input input, int piece) {
            for (int i = 0; i < MOST_STEPS && !input.isEmpty(); i++) {
                switch (input.oneOf(Step.values())) {
                    case SEGMENT, SEGMENT_AGAIN -> segment(input, piece);
                    case OCTETS -> feed(input.octets(input.u8()), piece);
                    case RECEIVE -> {
                        if (endpoint.canPostReceive()) {
                            endpoint.postReceive(++lastId, input.below(65), input.below(65));
                        }
                    }
                    case REQUEST -> {
                        if (endpoint.canPost()) {
                            Requests.post(endpoint, endpoint.registry.reaches, input, ++lastId);
                        }
                    }
                    case TRANSMIT -> endpoint.transmit();
                    case TAKE -> endpoint.takeOutput(input.u8());
                    case DRAIN -> drain();
                    case PROBE -> endpoint.probe();
                    case OVERFLOW -> endpoint.completionsLeft = 1 + input.below(8);
                    case TERMINATE -> endpoint.terminate();
                    case VANISH -> {
                        if (endpoint.canPost()) {
                            LocalRequests.vanish(endpoint, endpoint.registry.reaches, input, ++lastId);
                        }
                    }
                    case LOSE -> endpoint.lose();
                }
            }
        }

        private void segment(Input input, int piece) {
            byte[] fpdu = framing.encode(HostilePeer.segment(endpoint, input).ulpdu(), position, crc);
            if (input.u8() == 255) {
                fpdu[input.below(fpdu.length)] ^= 1;
            }
            feed(fpdu, piece);
        }

        private void feed(byte[] octets, int piece) {
            position += octets.length;
            endpoint.feed(octets, piece);
        }

        /** The transport takes everything, until there is no more. */
        void drain() {
            int rounds = 0;
            do {
                endpoint.transmit();
                endpoint.takeOutput(ALL);
                Check.that(++rounds < MOST_ROUNDS, "comes to rest");
            } while (endpoint.stream.hasOutput());
        }
    }
}
