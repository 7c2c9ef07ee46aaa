package io.stag.rnic.observe;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.verbs.AddressHandle;
import io.stag.verbs.DatagramQueuePair;
import io.stag.verbs.DatagramQueuePairConfig;
import io.stag.verbs.DatagramRefusal;
import io.stag.verbs.DatagramSnapshot;
import io.stag.verbs.RnicSnapshot;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import javax.management.JMX;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Datagram queue pairs in the snapshot, in JMX and in the flight recorder. */
class DatagramObservabilityIT {
    private final LoopbackPair pair = new LoopbackPair();
    private final DatagramQueuePair client = open(pair.client);
    private final DatagramQueuePair server = open(pair.server);
    private final AddressHandle toServer = client.address(server.localAddress());

    @AfterEach
    void close() {
        pair.close();
    }

    private static DatagramQueuePair open(LoopbackEnd end) {
        return end.domain.createDatagramQueuePair(DatagramQueuePairConfig.builder(end.completions)
                .address(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .build());
    }

    /** Nobody posted a receive, so the Send is refused. */
    private void sendInVain(int times) {
        long before = server.counters().refusedInAll();
        for (int i = 0; i < times; i++) {
            client.newSendRequests()
                    .send(i, toServer)
                    .from(pair.client.region, 0, 64)
                    .post();
        }
        pair.runUntil(() -> server.counters().refusedInAll() == before + times);
    }

    private void write() {
        client.newSendRequests()
                .writeRecord(1, toServer, pair.server.region.stag(), 0)
                .from(pair.client.region, 0, 64)
                .post();
        pair.runUntil(() -> server.counters().recordsComplete() == 1);
    }

    @Test
    void theSnapshotShowsWhatTheyDo() {
        write();
        pair.settle();
        pair.pass(Duration.ofSeconds(3));
        sendInVain(2);
        server.newReceiveRequests().receive(1).into(pair.server.region, 0, 64).post();

        RnicSnapshot snapshot = pair.server.rnic.snapshot();
        assertThat(snapshot.queuePairs()).isEmpty();
        assertThat(snapshot.datagramQueuePairs()).singleElement().satisfies(shown -> {
            assertThat(shown.id()).isEqualTo(server.id());
            assertThat(shown.localAddress()).isEqualTo(server.localAddress());
            assertThat(shown.receiveQueueDepth()).isEqualTo(1);
            assertThat(shown.idle()).as("what was refused is no activity").isEqualTo(Duration.ofSeconds(3));
            assertThat(shown.counters().recordsComplete()).isEqualTo(1);
            assertThat(shown.counters().refused(DatagramRefusal.NO_RECEIVE)).isEqualTo(2);
        });
        assertThat(pair.client.rnic.snapshot().datagramTotals().messagesSent()).isEqualTo(3);
    }

    @Test
    void totalsKeepWhatClosedOnesDid() {
        write();
        server.close();
        DatagramQueuePair second = open(pair.server);

        RnicSnapshot snapshot = pair.server.rnic.snapshot();
        assertThat(snapshot.datagramQueuePairs())
                .extracting(DatagramSnapshot::id)
                .containsExactly(second.id());
        assertThat(snapshot.datagramTotals().recordsComplete()).isEqualTo(1);
        assertThat(snapshot.datagramTotals().sources())
                .as("it knows nobody any more")
                .isZero();
    }

    @Test
    void jmxShowsThem() throws Exception {
        MBeanServer beans = ManagementFactory.getPlatformMBeanServer();
        ObjectName name = new ObjectName("io.stag:type=Rnic,name=datagrams");
        beans.registerMBean(new ManagedRnic(pair.server.rnic), name);
        try {
            sendInVain(1);
            RnicMXBean bean = JMX.newMXBeanProxy(beans, name, RnicMXBean.class);
            assertThat(bean.getDatagramTotals().refused(DatagramRefusal.NO_RECEIVE))
                    .isEqualTo(1);
            assertThat(bean.getDatagramQueuePairs()).singleElement().satisfies(shown -> {
                assertThat(shown.localAddress())
                        .isEqualTo("127.0.0.1:" + server.localAddress().getPort());
                assertThat(shown.counters().refusedInAll()).isEqualTo(1);
            });
            assertThat(bean.prometheus())
                    .contains("stag_datagram_refused_total{rnic=\"server\",reason=\"no_receive\"} 1");
        } finally {
            beans.unregisterMBean(name);
        }
    }

    @Test
    void lossesAreRecordedInSumsOnceASecond(@TempDir Path folder) throws IOException {
        try (Recording recording = new Recording()) {
            recording.start();
            sendInVain(1);
            sendInVain(5);
            pair.pass(Duration.ofSeconds(1));
            sendInVain(1);
            sendInVain(2);
            server.close();
            recording.stop();
            Path file = folder.resolve("events.jfr");
            recording.dump(file);
            List<RecordedEvent> events = RecordingFile.readAllEvents(file).stream()
                    .filter(event -> event.getEventType().getName().equals("io.stag.DatagramLoss"))
                    .toList();
            assertThat(events)
                    .extracting(event -> event.getString("reasons"))
                    .containsExactly("NO_RECEIVE 1", "NO_RECEIVE 6", "NO_RECEIVE 2");
            assertThat(events.getFirst().getString("rnic")).isEqualTo("server");
            assertThat(events.getFirst().getInt("queuePair")).isEqualTo(server.id());
        }
    }
}
