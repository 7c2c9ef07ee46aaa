package io.stag.rnic.observe;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.stag.rnic.flight.AgentStallEvent;
import io.stag.rnic.flight.ConnectionLifeEvent;
import io.stag.rnic.flight.ConnectionSetupEvent;
import io.stag.rnic.flight.DatagramLossEvent;
import io.stag.rnic.flight.QueuePairStateEvent;
import io.stag.rnic.flight.ReliableLossEvent;
import io.stag.rnic.flight.ReliableStallEvent;
import io.stag.rnic.flight.TerminateEvent;
import io.stag.rnic.flight.WorkErrorEvent;
import io.stag.rnic.observe.LoopbackPair.Link;
import io.stag.verbs.AgentSnapshot;
import io.stag.verbs.CompletionQueueSnapshot;
import io.stag.verbs.DatagramCounters;
import io.stag.verbs.DatagramQueuePair;
import io.stag.verbs.DatagramQueuePairConfig;
import io.stag.verbs.DatagramSnapshot;
import io.stag.verbs.QueuePairCounters;
import io.stag.verbs.QueuePairSnapshot;
import io.stag.verbs.RegionSnapshot;
import io.stag.verbs.ReliableCounters;
import io.stag.verbs.ReliableQueuePair;
import io.stag.verbs.ReliableQueuePairConfig;
import io.stag.verbs.ReliableSnapshot;
import io.stag.verbs.RnicMetrics;
import io.stag.verbs.RnicSnapshot;
import io.stag.verbs.TerminateCount;
import io.stag.verbs.cm.Connection;
import io.stag.verbs.cm.ConnectionSnapshot;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.reflect.RecordComponent;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.management.ObjectName;
import jdk.jfr.Event;
import jdk.jfr.EventType;
import jdk.jfr.ValueDescriptor;
import jdk.jfr.consumer.RecordingStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The document names everything there is, nothing that is not, and its examples work. */
class ObservabilityDocumentIT {
    private static final Path ROOT = root();
    private static final Pattern JAVA_BLOCK = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);
    private static final Pattern METRIC = Pattern.compile("`(stag_\\w*[a-z])`");
    private static final List<String> PRESENT = List.of(
            "stag_datagram_qp_open_messages",
            "stag_datagram_qp_sources",
            "stag_datagram_qp_reassembly_bytes",
            "stag_reliable_qp_peers",
            "stag_reliable_qp_active_peers",
            "stag_reliable_qp_round_trip_seconds",
            "stag_reliable_qp_window");
    private static final List<String> OF_EVERY_EVENT = List.of("startTime", "duration", "eventThread", "stackTrace");

    private final String document = read("docs/observability.md");

    private static Path root() {
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.exists(folder.resolve("docs/observability.md"))) {
            folder = folder.getParent();
        }
        return folder;
    }

    private static String read(String file) {
        try {
            return Files.readString(ROOT.resolve(file));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static void breakProtocol(LoopbackPair pair) {
        Link link = pair.link(LoopbackPair.PLAIN);
        link.client()
                .queuePair()
                .newSendRequests()
                .write(1, ~pair.server.region.stag(), 0)
                .from(pair.client.region, 0, 8)
                .post();
        pair.runUntil(() -> link.server().state() == Connection.State.DISCONNECTED);
    }

    private static void refuseADatagram(LoopbackPair pair) {
        DatagramQueuePair server = datagrams(pair.server);
        DatagramQueuePair client = datagrams(pair.client);
        client.newSendRequests()
                .send(1, client.address(server.localAddress()))
                .from(pair.client.region, 0, 8)
                .post();
        pair.runUntil(() -> server.counters().refusedInAll() == 1);
        ReliableQueuePair reliable =
                pair.server.domain.createReliableQueuePair(ReliableQueuePairConfig.builder(pair.server.completions)
                        .address(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                        .build());
        client.newSendRequests()
                .send(2, client.address(reliable.localAddress()))
                .from(pair.client.region, 0, 8)
                .post();
        pair.runUntil(() -> reliable.counters().refusedInAll() == 1);
    }

    private static DatagramQueuePair datagrams(LoopbackEnd end) {
        return end.domain.createDatagramQueuePair(DatagramQueuePairConfig.builder(end.completions)
                .address(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .build());
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                RnicSnapshot.class,
                QueuePairCounters.class,
                QueuePairSnapshot.class,
                DatagramSnapshot.class,
                DatagramCounters.class,
                ReliableSnapshot.class,
                ReliableCounters.class,
                CompletionQueueSnapshot.class,
                RegionSnapshot.class,
                ConnectionSnapshot.class,
                AgentSnapshot.class,
                TerminateCount.class,
            })
    void everyValueOfASnapshotIsDescribed(Class<?> snapshot) {
        assertThat(snapshot.getRecordComponents())
                .extracting(RecordComponent::getName)
                .allSatisfy(name -> assertThat(document).contains("`" + name + "`"));
    }

    @Test
    void everyMetricIsDescribedAndNoOther() {
        try (LoopbackPair pair = new LoopbackPair()) {
            breakProtocol(pair);
            pair.link(LoopbackPair.PLAIN);
            refuseADatagram(pair);
            List<String> metrics = RnicMetrics.prometheus(pair.server.rnic.snapshot())
                    .lines()
                    .filter(line -> line.startsWith("# TYPE "))
                    .map(line -> line.split(" ", -1)[2])
                    .toList();
            List<String> described = METRIC.matcher(document)
                    .results()
                    .map(result -> result.group(1))
                    .toList();
            assertThat(metrics).containsAll(described);
            assertThat(described)
                    .containsAll(metrics.stream()
                            .filter(metric -> !isCounterOfAQueuePair(metric))
                            .toList());
            assertThat(metrics.stream().filter(ObservabilityDocumentIT::isCounterOfAQueuePair))
                    .hasSize(QueuePairCounters.class.getRecordComponents().length
                            + DatagramCounters.class.getRecordComponents().length
                            + ReliableCounters.class.getRecordComponents().length)
                    .allSatisfy(metric -> assertThat(described).contains(metric.replace("qp_", "")));
        }
    }

    private static boolean isCounterOfAQueuePair(String metric) {
        boolean datagram = metric.startsWith("stag_datagram_qp_") || metric.startsWith("stag_reliable_qp_");
        return (datagram || metric.startsWith("stag_qp_")) && (metric.endsWith("_total") || PRESENT.contains(metric));
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                ConnectionSetupEvent.class,
                ConnectionLifeEvent.class,
                QueuePairStateEvent.class,
                TerminateEvent.class,
                WorkErrorEvent.class,
                DatagramLossEvent.class,
                ReliableLossEvent.class,
                ReliableStallEvent.class,
                AgentStallEvent.class,
            })
    void everyEventIsDescribedWithItsFields(Class<? extends Event> event) {
        EventType type = EventType.getEventType(event);
        String row = document.lines()
                .filter(line -> line.startsWith("| `" + type.getName() + "` |"))
                .findFirst()
                .orElseThrow();
        List<String> fields = type.getFields().stream()
                .map(ValueDescriptor::getName)
                .filter(name -> !OF_EVERY_EVENT.contains(name))
                .toList();
        boolean likeAnother = row.contains("the same without `outcome`");
        String described = likeAnother
                ? row
                        + document.lines()
                                .filter(line -> line.startsWith("| `io.stag.ConnectionSetup` |"))
                                .findFirst()
                                .orElseThrow()
                : row;
        assertThat(fields)
                .isNotEmpty()
                .allSatisfy(field -> assertThat(described).contains("`" + field + "`"));
        assertThat(type.getLabel()).isNotEmpty();
        assertThat(type.getCategoryNames()).startsWith("Stag");
    }

    @Test
    void everyOperationIsDescribed() {
        assertThat(Arrays.stream(RnicMXBean.class.getMethods())
                        .map(java.lang.reflect.Method::getName)
                        .filter(name -> !name.startsWith("get")))
                .hasSize(4)
                .allSatisfy(name -> assertThat(document).contains("`" + name + "("));
    }

    @Test
    void everyExampleIsOneThatThisTestRuns() {
        String source = read("rnic/src/test/java/io/stag/rnic/observe/ObservabilityExamples.java")
                .indent(-8);
        Stream<String> examples = JAVA_BLOCK.matcher(document).results().map((MatchResult block) -> block.group(1));
        assertThat(examples).hasSize(4).allSatisfy(example -> assertThat(source).contains(example));
    }

    @Test
    void theExampleOfIdleConnectionsEndsThem() {
        try (LoopbackPair pair = new LoopbackPair()) {
            Link old = pair.link(LoopbackPair.PLAIN);
            pair.pass(Duration.ofMinutes(11));
            Link young = pair.link(LoopbackPair.PLAIN);
            ObservabilityExamples.endIdleConnections(pair.server.rnic);
            pair.runUntil(() -> old.client().state() == Connection.State.DISCONNECTED);
            assertThat(young.server().state()).isEqualTo(Connection.State.ESTABLISHED);
        }
    }

    @Test
    void theExampleOfEventsSeesATerminate() throws InterruptedException {
        List<String> log = new CopyOnWriteArrayList<>();
        try (LoopbackPair pair = new LoopbackPair();
                RecordingStream events = ObservabilityExamples.logTerminates(log)) {
            breakProtocol(pair);
            events.stop(); // delivers what was recorded before
        }
        assertThat(log).anySatisfy(line -> assertThat(line).startsWith("0x1100: RDMA Write of 8 octets"));
    }

    @Test
    void theExampleOfJmxEndsIdleConnections() throws Exception {
        try (LoopbackPair pair = new LoopbackPair()) {
            ObjectName name = new ObjectName("io.stag:type=Rnic,name=example");
            ManagementFactory.getPlatformMBeanServer().registerMBean(new ManagedRnic(pair.server.rnic), name);
            Link old = pair.link(LoopbackPair.PLAIN);
            pair.pass(Duration.ofMinutes(11));
            ObservabilityExamples.endIdleConnectionsOfAllRnics();
            pair.runUntil(() -> old.client().state() == Connection.State.DISCONNECTED);
            ManagementFactory.getPlatformMBeanServer().unregisterMBean(name);
        }
    }

    @Test
    void theExampleOfPrometheusServesTheText() throws Exception {
        try (LoopbackPair pair = new LoopbackPair();
                HttpClient client = HttpClient.newHttpClient()) {
            HttpServer http = ObservabilityExamples.serveMetrics(pair.server.rnic, 0);
            try {
                URI address = URI.create("http://127.0.0.1:" + http.getAddress().getPort() + "/metrics");
                HttpResponse<String> answer =
                        client.send(HttpRequest.newBuilder(address).build(), HttpResponse.BodyHandlers.ofString());
                assertThat(answer.statusCode()).isEqualTo(200);
                assertThat(answer.headers().firstValue("Content-Type")).contains(RnicMetrics.CONTENT_TYPE);
                assertThat(answer.body()).contains("stag_connections_open{rnic=\"server\"} 0\n");
            } finally {
                http.stop(0);
            }
        }
    }
}
