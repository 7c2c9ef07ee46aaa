package io.stag.fuzz;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.stag.fuzz.World.Area;
import io.stag.rnic.SoftRnic;
import io.stag.rnic.memory.Rights;
import io.stag.verbs.AgentSnapshot;
import io.stag.verbs.AsyncEvent;
import io.stag.verbs.CompletionQueue;
import io.stag.verbs.MemoryRegion;
import io.stag.verbs.ProgressMode;
import io.stag.verbs.ProtectionDomain;
import io.stag.verbs.QueuePair;
import io.stag.verbs.QueuePairConfig;
import io.stag.verbs.QueuePairState;
import io.stag.verbs.RnicConfig;
import io.stag.verbs.RnicSnapshot;
import io.stag.verbs.VerbsException;
import io.stag.verbs.WorkCompletions;
import io.stag.verbs.cm.Connection;
import io.stag.verbs.cm.ConnectionConfig;
import io.stag.verbs.cm.ConnectionInfo;
import io.stag.verbs.cm.ConnectionRequest;
import io.stag.verbs.cm.Listener;
import io.stag.wire.mpa.EnhancedWord;
import io.stag.wire.mpa.MpaFrame;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/**
 * A whole RNIC, through its verbs, over a network that is the fuzzer's: peers come and send anything, streams stall, end
 * and break, time passes, and the program posts, accepts, refuses, closes. However it goes, no bug is reported, every
 * request completes once, and nothing is left when the program has closed everything.
 *
 * <p>Input: steps, each an octet and its arguments.
 */
class ConnectionFuzzTest {
    /** In the order in which seeds name them. */
    enum Step {
        ARRIVE,
        CONNECT,
        STARTUP,
        SEGMENT,
        OCTETS,
        PROGRESS,
        ACCEPT,
        REFUSE,
        RECEIVE,
        REQUEST,
        WINDOW,
        TIME,
        END,
        BREAK,
        DISCONNECT,
        ABORT,
        MODIFY,
        HOLD_CONNECT
    }

    private static final int MOST_STEPS = 100;
    private static final int MOST_STREAMS = 4;
    private static final int QUEUE_PAIRS = 2;
    private static final int DEPTH = 8;
    private static final int MOST_ROUNDS = 1_000;
    private static final int CALM_ROUNDS = 40;
    private static final long SECOND = 1_000_000_000L;
    private static final Logger LOG = Logger.getLogger("io.stag");
    private static final World WORLD = new World();
    private static final ScriptedTransport NETWORK = new ScriptedTransport();
    private static final List<String> BUGS = new ArrayList<>();
    private static long now;
    private static final SoftRnic RNIC = open();

    private static SoftRnic open() {
        LOG.setUseParentHandlers(false);
        LOG.setLevel(Level.SEVERE);
        LOG.addHandler(new Handler() {
            @Override
            public void publish(LogRecord entry) {
                BUGS.add(entry.getMessage() + ": " + entry.getThrown());
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        });
        RnicConfig config = RnicConfig.builder()
                .name("fuzz")
                .progress(ProgressMode.INVOKER)
                .spin(Duration.ZERO)
                .maxHalfOpenConnections(3)
                .jmx(false)
                .build();
        var rnic = new SoftRnic(config, () -> NETWORK, () -> now, new SplittableRandom(1));
        rnic.onAsyncEvent(ConnectionFuzzTest::note);
        return rnic;
    }

    private static void note(AsyncEvent event) {
        if (event.detail().fact().contains("bug in Stag")) {
            BUGS.add(event.detail().fact());
        }
    }

    @FuzzTest
    void nothingIsLeftHoweverConnectionsGo(byte[] data) {
        BUGS.clear();
        NETWORK.reset();
        WORLD.reset();
        var run = new Run(new Input(data));
        try {
            run.steps();
        } finally {
            run.close();
        }
        Check.that(BUGS.isEmpty(), BUGS::toString);
        run.checkLeft();
    }

    private static final class Run {
        private final Input input;
        private final ProtectionDomain domain = RNIC.allocateProtectionDomain();
        private final CompletionQueue completions = RNIC.createCompletionQueue(2 * QUEUE_PAIRS * DEPTH);
        private final WorkCompletions polled = WorkCompletions.ofCapacity(DEPTH);
        private final List<QueuePair> queuePairs = new ArrayList<>();
        private final List<Connection> connections = new ArrayList<>();
        private final Map<Area, MemoryRegion> regions = new HashMap<>();
        private final Map<Long, Boolean> open = new HashMap<>(); // by id, whether signalled
        private final Listener listener;
        private long lastId;

        Run(Input input) {
            this.input = input;
            listener = RNIC.connectionManager().listen(new java.net.InetSocketAddress(0), 2);
            for (Area area : new Area[] {Area.EXPOSED, Area.RECEIVES, Area.SOURCE, Area.SINK}) {
                regions.put(area, domain.register(WORLD.slice(area), Rights.toSet(area.rights)));
            }
            for (int i = 0; i < QUEUE_PAIRS; i++) {
                queuePairs.add(domain.createQueuePair(QueuePairConfig.builder(completions)
                        .sendDepth(DEPTH)
                        .receiveDepth(DEPTH)
                        .maxInboundReads(2)
                        .maxOutboundReads(2)
                        .allowRemoteRead(true)
                        .allowRemoteWrite(true)
                        .build()));
            }
        }

        void steps() {
            for (int i = 0; i < MOST_STEPS && !input.isEmpty(); i++) {
                switch (input.oneOf(Step.values())) {
                    case ARRIVE -> {
                        if (NETWORK.streams.size() < MOST_STREAMS) {
                            NETWORK.arrive();
                        }
                    }
                    case CONNECT -> connect();
                    case STARTUP -> startup();
                    case SEGMENT -> segment();
                    case OCTETS -> stream().send(input.octets(input.u8()));
                    case PROGRESS -> {}
                    case ACCEPT -> accept();
                    case REFUSE -> listener.poll().ifPresent(request -> request.reject(new byte[input.u8()]));
                    case RECEIVE -> receive();
                    case REQUEST -> request();
                    case WINDOW -> stream().window = input.u8();
                    case TIME -> now += input.u8() * SECOND / 4;
                    case END -> stream().ended = true;
                    case BREAK -> stream().broken = true;
                    case DISCONNECT -> connection().ifPresent(Connection::disconnect);
                    case ABORT -> connection().ifPresent(Connection::abort);
                    case MODIFY -> modify();
                    case HOLD_CONNECT -> stream().connected ^= true;
                }
                progress();
            }
        }

        private void progress() {
            int rounds = 0;
            while (RNIC.progress() > 0 && rounds < CALM_ROUNDS) {
                rounds++;
            }
            poll();
        }

        private void poll() {
            polled.clear();
            while (completions.poll(polled) > 0) {
                for (int i = 0; i < polled.size(); i++) {
                    long id = polled.id(i);
                    Check.that(open.remove(id) != null, () -> "a second completion of " + id);
                    Check.that(polled.isSuccess(i) || polled.detail(i) != null, "a failure says why");
                }
                polled.clear();
            }
        }

        private ScriptedTransport.Stream stream() {
            int choice = input.u8();
            return NETWORK.streams.isEmpty()
                    ? new ScriptedTransport.Stream(false)
                    : NETWORK.streams.get(choice % NETWORK.streams.size());
        }

        private Optional<Connection> connection() {
            int choice = input.u8();
            return connections.isEmpty() ? Optional.empty() : Optional.of(connections.get(choice % connections.size()));
        }

        private QueuePair queuePair() {
            return queuePairs.get(input.below(QUEUE_PAIRS));
        }

        private ConnectionConfig config() {
            int flags = input.u8();
            ConnectionConfig.Builder builder = ConnectionConfig.builder()
                    .mpaRevision((flags & 1) == 0 ? 2 : 1)
                    .crc((flags & 2) == 0)
                    .markers((flags & 4) != 0)
                    .peerToPeer((flags & 8) == 0)
                    .fallBackToRevision1((flags & 16) != 0)
                    .privateData(new byte[flags >> 5]);
            if ((flags & 32) != 0) {
                builder.livenessProbe(Duration.ofSeconds(5)).sendProgressTimeout(Duration.ofSeconds(7));
            }
            return builder.build();
        }

        private void connect() {
            QueuePair queuePair = queuePair();
            ConnectionConfig config = config();
            if (NETWORK.streams.size() >= MOST_STREAMS) {
                return;
            }
            try {
                connections.add(RNIC.connectionManager().connect(queuePair, listener.address(), config));
            } catch (VerbsException e) {
                Check.that(queuePair.state() != QueuePairState.IDLE || isConnecting(queuePair), e.getMessage());
            }
        }

        private boolean isConnecting(QueuePair queuePair) {
            return connections.stream()
                    .anyMatch(connection ->
                            connection.state() == Connection.State.CONNECTING && connection.queuePair() == queuePair);
        }

        private void accept() {
            QueuePair queuePair = queuePair();
            ConnectionConfig config = config();
            Optional<ConnectionRequest> request = listener.poll();
            if (request.isPresent()) {
                try {
                    connections.add(request.get().accept(queuePair, config));
                } catch (VerbsException e) {
                    Check.that(!e.getMessage().isEmpty(), "a refusal says why");
                }
            }
        }

        /** A valid Request or Reply, whichever is due. */
        private void startup() {
            ScriptedTransport.Stream stream = stream();
            int flags = input.u8();
            boolean enhanced = (flags & 1) != 0;
            int length = enhanced ? EnhancedWord.LENGTH + (flags >> 6) : flags >> 6;
            byte[] octets = new byte[MpaFrame.HEADER_LENGTH + length];
            MemorySegment segment = MemorySegment.ofArray(octets);
            var frame = new MpaFrame();
            frame.wrap(segment, 0, octets.length);
            boolean crc = (flags & 2) != 0;
            boolean markers = (flags & 4) != 0;
            int revision = enhanced ? 2 : 1;
            if (stream.outbound) {
                frame.putReply(markers, crc, (flags & 8) != 0, enhanced, revision, length);
            } else {
                frame.putRequest(markers, crc, enhanced, revision, length);
            }
            if (enhanced) {
                int kinds = input.u8();
                new EnhancedWord(
                                (flags & 16) != 0,
                                (kinds & 1) != 0,
                                (kinds & 2) != 0,
                                (kinds & 4) != 0,
                                kinds >> 3 & 3,
                                kinds >> 5 & 3)
                        .put(segment, MpaFrame.HEADER_LENGTH);
            }
            stream.send(octets);
        }

        /** A segment framed as agreed with the connection that was made last, unless that is none. */
        private void segment() {
            ScriptedTransport.Stream stream = stream();
            ConnectionInfo info =
                    connections.isEmpty() ? null : connections.getLast().info().orElse(null);
            int opcode = input.u8() & 15;
            int flags = input.u8();
            int msn = 1 + input.below(4);
            byte[] payload = input.octets(input.u8());
            boolean tagged = opcode == Segment.WRITE || opcode == Segment.READ_RESPONSE;
            MemoryRegion target = regions.get((flags & 4) == 0 ? Area.EXPOSED : Area.SINK);
            int control = (tagged ? 0x80 : 0) | ((flags & 1) == 0 ? 0x40 : 0) | 1;
            Segment segment;
            if (tagged) {
                segment = Segment.tagged(control, 0x40 | opcode, target.stag(), flags >> 4, payload);
            } else {
                byte[] body = opcode == Segment.READ
                        ? Segment.readRequest(1, 2, flags >> 3, target.stag(), input.u8())
                        : opcode == Segment.ATOMIC
                                ? Segment.atomicRequest(0, 1, target.stag(), flags & 0x78, 1, 0, 0, 0)
                                : payload;
                segment = Segment.untagged(
                        control, 0x40 | opcode, target.stag(), Math.max(0, Segment.queueOf(opcode)), msn, 0, body);
            }
            // markers are left to the fuzz test of the engine
            stream.send(new SlowFraming(false).encode(segment.ulpdu(), 0, info != null && info.crc()));
        }

        private void receive() {
            QueuePair queuePair = queuePair();
            int offset = input.below(Area.RECEIVES.length - 64);
            post(
                    true,
                    id -> queuePair
                            .newReceiveRequests()
                            .receive(id)
                            .into(regions.get(Area.RECEIVES), offset, 64)
                            .post());
        }

        private void request() {
            QueuePair queuePair = queuePair();
            int choice = input.u8();
            int length = input.u8();
            MemoryRegion source = regions.get(Area.SOURCE);
            MemoryRegion sink = regions.get(Area.SINK);
            post(true, id -> switch (choice & 3) {
                case 0 ->
                    queuePair
                            .newSendRequests()
                            .send(id)
                            .from(source, 0, length * 8L)
                            .post();
                case 1 ->
                    queuePair
                            .newSendRequests()
                            .write(id, 1, 2)
                            .from(source, 8, length)
                            .post();
                case 2 ->
                    queuePair
                            .newSendRequests()
                            .read(id, 1, 2)
                            .into(sink, 0, length)
                            .post();
                default ->
                    queuePair
                            .newSendRequests()
                            .fetchAdd(id, 1, 8, 1, 0)
                            .into(sink, 0, 8)
                            .post();
            });
        }

        private interface Posting {
            int post(long id);
        }

        private void post(boolean signalled, Posting posting) {
            long id = ++lastId;
            open.put(id, signalled); // it may complete before the call returns
            int taken;
            try {
                taken = posting.post(id);
            } catch (VerbsException e) {
                taken = 0;
            }
            if (taken == 0) {
                Check.that(open.remove(id) != null, "what was not posted does not complete");
            }
        }

        private void modify() {
            QueuePair queuePair = queuePair();
            QueuePairState[] states = QueuePairState.values();
            try {
                queuePair.modify(states[input.below(states.length)]);
            } catch (VerbsException e) {
                Check.that(!e.getMessage().isEmpty(), "a refusal says why");
            }
        }

        /** The program gives up everything; peers are silent from now on. */
        void close() {
            now += 1000 * SECOND;
            progress();
            connections.forEach(Connection::abort);
            listener.close();
            progress();
            queuePairs.forEach(this::flush);
            progress();
            queuePairs.forEach(QueuePair::close);
            completions.close();
            regions.values().forEach(MemoryRegion::close);
            domain.close();
        }

        private void flush(QueuePair queuePair) {
            if (queuePair.state() == QueuePairState.IDLE) {
                queuePair.modify(QueuePairState.ERROR);
            }
        }

        void checkLeft() {
            Check.that(open.isEmpty(), () -> "requests without completion: " + open.keySet());
            RnicSnapshot snapshot = RNIC.snapshot();
            Check.equal(snapshot.connectionsOpen(), 0, "connections open");
            Check.equal(snapshot.connectionsHalfOpen(), 0, "connections half open");
            Check.that(snapshot.connections().isEmpty(), "no connections");
            Check.that(snapshot.queuePairs().isEmpty() && snapshot.regions().isEmpty(), "no queue pairs or regions");
            for (AgentSnapshot agent : snapshot.agents()) {
                Check.equal(agent.stagingBuffers(), 0, "staging buffers in use");
                Check.equal(agent.timers(), 0, "timers");
                Check.equal(agent.hotStreams(), 0, "hot streams");
            }
            for (Area area : EnumSet.of(Area.EXPOSED, Area.RECEIVES, Area.SINK)) {
                WORLD.allow(area.offset(), area.length);
            }
            WORLD.check("at the end");
            NETWORK.streams.forEach(this::checkWritten);
        }

        /** What a stream got begins with a startup frame of ours, if it got that far. */
        private void checkWritten(ScriptedTransport.Stream stream) {
            byte[] octets = stream.written.toByteArray();
            var frame = new MpaFrame();
            if (frame.wrap(MemorySegment.ofArray(octets), 0, octets.length)) {
                Check.that(stream.outbound ? frame.isRequestKey() : frame.isReplyKey(), "the startup frame first");
            }
            Check.that(stream.closed, "all streams are closed");
        }
    }
}
