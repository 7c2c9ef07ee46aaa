package io.stag.rnic.observe;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.rnic.observe.LoopbackPair.Link;
import io.stag.rnic.transport.NioTransport;
import io.stag.verbs.Access;
import io.stag.verbs.MemoryRegion;
import io.stag.verbs.QueuePair;
import io.stag.verbs.cm.Connection;
import io.stag.verbs.cm.ConnectionConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each event with its fields, under the settings that any recording has by default. */
class FlightRecorderIT {
    @TempDir
    private Path folder;

    private final Recording recording = new Recording();
    private final LoopbackPair pair = new LoopbackPair();

    @BeforeEach
    void start() {
        recording.start();
    }

    @AfterEach
    void close() {
        pair.close();
        recording.close();
    }

    private List<RecordedEvent> events(String name) throws IOException {
        recording.stop();
        Path file = folder.resolve("events.jfr");
        recording.dump(file);
        return RecordingFile.readAllEvents(file).stream()
                .filter(event -> event.getEventType().getName().equals("io.stag." + name))
                .toList();
    }

    private List<RecordedEvent> events(String name, String rnic) throws IOException {
        return events(name).stream()
                .filter(event -> event.getString("rnic").equals(rnic))
                .toList();
    }

    private void end(Link link) {
        link.client().disconnect();
        pair.runUntil(() -> link.client().state() == Connection.State.DISCONNECTED
                && link.server().state() == Connection.State.DISCONNECTED);
    }

    private Link breakProtocol() {
        Link link = pair.link(LoopbackPair.PLAIN);
        link.client()
                .queuePair()
                .newSendRequests()
                .write(1, ~pair.server.region.stag(), 0)
                .from(pair.client.region, 0, 8)
                .read(2, pair.server.region.stag(), 0)
                .into(pair.client.region, 0, 8)
                .post();
        pair.runUntil(() -> link.client().state() == Connection.State.DISCONNECTED
                && link.server().state() == Connection.State.DISCONNECTED);
        return link;
    }

    @Test
    void aConnectionIsRecordedWithWhatWasAgreedOn() throws IOException {
        Link link = pair.link(
                LoopbackPair.PLAIN.toBuilder().markers(true).crc(false).build());
        pair.pass(Duration.ofSeconds(7));
        end(link);

        List<RecordedEvent> connections = events("Connection", "server");
        assertThat(connections).hasSize(1);
        RecordedEvent event = connections.getFirst();
        assertThat(event.getLong("connection")).isEqualTo(link.server().id());
        assertThat(event.getInt("queuePair"))
                .isEqualTo(link.server().queuePair().id());
        assertThat(event.getBoolean("initiator")).isFalse();
        assertThat(event.getString("localAddress"))
                .isEqualTo("127.0.0.1:" + pair.listener.address().getPort());
        assertThat(event.getString("remoteAddress"))
                .isEqualTo("127.0.0.1:" + link.client().localAddress().getPort());
        assertThat(event.getInt("revision")).isEqualTo(2);
        assertThat(event.getBoolean("crc")).isFalse();
        assertThat(event.getBoolean("markersSent")).isTrue();
        assertThat(event.getBoolean("markersReceived")).isTrue();
        assertThat(event.getBoolean("peerToPeer")).isFalse();
        assertThat(event.getString("cause")).contains("closed");
        assertThat(event.getDuration("age")).isEqualTo(Duration.ofSeconds(7));
        assertThat(event.getDuration("idle")).isEqualTo(Duration.ofSeconds(7));
        assertThat(event.getDuration()).isPositive();
    }

    @Test
    void aSetUpIsRecordedWithItsOutcome() throws IOException {
        Link link = pair.link(ConnectionConfig.defaults());
        Connection rejected = pair.connect(pair.client.newQueuePair(), ConnectionConfig.defaults());
        pair.request().reject(new byte[0]);
        pair.runUntil(() -> rejected.state() == Connection.State.REJECTED);

        List<RecordedEvent> setups = events("ConnectionSetup", "client");
        assertThat(setups).extracting(event -> event.getString("outcome")).containsExactly("ESTABLISHED", "REJECTED");
        assertThat(setups)
                .extracting(event -> event.getLong("connection"))
                .containsExactly(link.client().id(), rejected.id());
        assertThat(setups).allSatisfy(event -> {
            assertThat(event.getBoolean("initiator")).isTrue();
            assertThat(event.getBoolean("peerToPeer")).isTrue();
            assertThat(event.getDuration()).isPositive();
        });
        assertThat(setups.get(0).getString("cause")).isEmpty();
        assertThat(setups.get(1).getString("cause")).isNotEmpty();
    }

    @Test
    void aSetUpThatNobodyAcceptedIsRecordedAsFailed() throws IOException {
        pair.connect(pair.client.newQueuePair(), ConnectionConfig.defaults());
        pair.request();
        pair.server.rnic.connectionManager().connections().getFirst().abort();

        assertThat(events("ConnectionSetup", "server")).singleElement().satisfies(event -> {
            assertThat(event.getString("outcome")).isEqualTo("FAILED");
            assertThat(event.getInt("queuePair")).isZero();
            assertThat(event.getInt("revision")).isZero();
            assertThat(event.getString("cause")).contains("aborted");
        });
    }

    @Test
    void aConnectionOlderThanTheRecordingIsRecordedWithItsAge() throws IOException {
        recording.stop();
        Link link = pair.link(ConnectionConfig.defaults());
        pair.pass(Duration.ofHours(3));
        try (Recording later = new Recording()) {
            later.start();
            end(link);
            later.stop();
            Path file = folder.resolve("later.jfr");
            later.dump(file);
            assertThat(RecordingFile.readAllEvents(file))
                    .filteredOn(event -> event.getEventType().getName().equals("io.stag.Connection"))
                    .hasSize(2)
                    .allSatisfy(event -> assertThat(event.getDuration("age")).isEqualTo(Duration.ofHours(3)));
        }
    }

    @Test
    void changesOfStateAreRecordedWithTheirCause() throws IOException {
        Link link = breakProtocol();
        int queuePair = link.server().queuePair().id();

        List<RecordedEvent> changes = events("QueuePairState", "server");
        assertThat(changes).extracting(event -> event.getInt("queuePair")).containsOnly(queuePair);
        assertThat(changes).extracting(event -> event.getString("from")).containsExactly("IDLE", "RTS", "TERMINATE");
        assertThat(changes).extracting(event -> event.getString("to")).containsExactly("RTS", "TERMINATE", "ERROR");
        assertThat(changes.get(0).getString("cause")).isEmpty();
        assertThat(changes.get(1).getString("cause")).contains("RDMA Write of 8 octets", "0x1100");
        assertThat(changes.get(2).getString("cause")).isEqualTo(changes.get(1).getString("cause"));
    }

    @Test
    void aTerminateIsRecordedOnBothSides() throws IOException {
        Link link = breakProtocol();

        List<RecordedEvent> terminates = events("Terminate");
        assertThat(terminates).hasSize(2);
        RecordedEvent sent = terminates.get(0);
        assertThat(sent.getString("rnic")).isEqualTo("server");
        assertThat(sent.getBoolean("sent")).isTrue();
        assertThat(sent.getInt("queuePair")).isEqualTo(link.server().queuePair().id());
        assertThat(sent.getString("code")).isEqualTo("0x1100");
        assertThat(sent.getString("layer")).isEqualTo("DDP");
        assertThat(sent.getString("clause")).startsWith("RFC 5041");
        assertThat(sent.getString("fact")).contains("RDMA Write of 8 octets");
        RecordedEvent received = terminates.get(1);
        assertThat(received.getString("rnic")).isEqualTo("client");
        assertThat(received.getBoolean("sent")).isFalse();
        assertThat(received.getString("code")).isEqualTo("0x1100");
        assertThat(received.getString("fact")).contains("the peer ended the stream");
    }

    @Test
    void aFailedRequestIsRecordedAndThoseFlushedAfterItAreNot() throws IOException {
        Link link = pair.link(LoopbackPair.PLAIN);
        QueuePair queuePair = link.client().queuePair();
        pair.client.region.close();
        MemoryRegion other = pair.client.domain.allocate(64, EnumSet.of(Access.LOCAL_READ));
        queuePair
                .newSendRequests()
                .read(41, pair.server.region.stag(), 0)
                .into(other, 0, 8) // without the right to write there
                .write(42, pair.server.region.stag(), 0)
                .from(other, 0, 8)
                .post();
        pair.runUntil(() -> queuePair.snapshot().counters().completionErrors() == 2);

        assertThat(events("WorkError")).singleElement().satisfies(event -> {
            assertThat(event.getString("rnic")).isEqualTo("client");
            assertThat(event.getInt("queuePair")).isEqualTo(queuePair.id());
            assertThat(event.getLong("workId")).isEqualTo(41);
            assertThat(event.getString("operation")).isEqualTo("RDMA_READ");
            assertThat(event.getString("status")).isEqualTo("LOC_ACCESS_ERR");
            assertThat(event.getString("layer")).isNotEmpty();
            assertThat(event.getString("clause")).isNotEmpty();
            assertThat(event.getString("fact")).isNotEmpty();
        });
    }

    @Test
    void aLongDutyCycleIsRecordedAsAStall() throws IOException {
        SlowClock slow = new SlowClock(pair.clock);
        LoopbackEnd stalling = new LoopbackEnd("slow", NioTransport::new, slow);
        stalling.rnic.progress();
        slow.stepNanos = Duration.ofMillis(25).toNanos(); // the next cycle ends that much after it began
        stalling.rnic.progress();
        slow.stepNanos = Duration.ofMillis(5).toNanos();
        stalling.rnic.progress();
        stalling.rnic.close();

        assertThat(events("AgentStall")).singleElement().satisfies(event -> {
            assertThat(event.getString("agent")).isEqualTo("slow-agent-0");
            assertThat(event.getDuration("cycleTime")).isEqualTo(Duration.ofMillis(25));
            assertThat(event.getInt("work")).isZero();
            assertThat(event.getThread().getJavaName())
                    .isEqualTo(Thread.currentThread().getName());
        });
    }
}
