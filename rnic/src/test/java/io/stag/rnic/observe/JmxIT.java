package io.stag.rnic.observe;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.rnic.observe.LoopbackPair.Link;
import io.stag.verbs.ProgressMode;
import io.stag.verbs.Rnic;
import io.stag.verbs.RnicConfig;
import io.stag.verbs.cm.Connection;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.management.JMX;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.management.openmbean.CompositeData;
import org.junit.jupiter.api.Test;

class JmxIT {
    private static final int MANY = 100_000_000;

    private final MBeanServer server = ManagementFactory.getPlatformMBeanServer();

    private static RnicConfig.Builder config(String name) {
        return RnicConfig.builder().name(name).progress(ProgressMode.INVOKER);
    }

    private Set<String> names() throws Exception {
        return server.queryNames(new ObjectName("io.stag:type=Rnic,*"), null).stream()
                .map(ObjectName::getCanonicalName)
                .filter(name -> name.contains("jmx-")) // other tests may have left theirs
                .collect(Collectors.toSet());
    }

    /** The first RNIC of a process is registered by a thread of its own. */
    private void awaitNames(String... names) throws Exception {
        Set<String> wanted = Stream.of(names)
                .map(name -> "io.stag:name=" + name + ",type=Rnic")
                .collect(Collectors.toSet());
        for (int i = 0; !names().equals(wanted) && i < MANY; i++) {
            Thread.onSpinWait();
        }
        assertThat(names()).isEqualTo(wanted);
    }

    @Test
    void anRnicIsVisibleFromOpenToClose() throws Exception {
        Rnic rnic = Rnic.open(config("jmx-visible").build());
        awaitNames("jmx-visible");
        rnic.close();
        awaitNames();
        rnic.close();
    }

    @Test
    void rnicsOfOneNameAreToldApart() throws Exception {
        try (Rnic _ = Rnic.open(config("jmx-twin").build())) {
            Rnic second = Rnic.open(config("jmx-twin").build());
            awaitNames("jmx-twin", "jmx-twin-2");
            second.close();
            awaitNames("jmx-twin");
            try (Rnic _ = Rnic.open(config("jmx-twin").build())) {
                awaitNames("jmx-twin", "jmx-twin-2");
            }
        }
        awaitNames();
    }

    @Test
    void anyNameWillDo() throws Exception {
        try (Rnic _ = Rnic.open(config("jmx-,b=\"c\"*?").build())) {
            awaitNames(ObjectName.quote("jmx-,b=\"c\"*?"));
        }
        awaitNames();
    }

    @Test
    void anRnicThatIsClosedAtOnceStaysInvisible() throws Exception {
        for (int i = 0; i < 50; i++) {
            Rnic.open(config("jmx-short").build()).close();
            assertThat(names()).isEmpty();
        }
    }

    @Test
    void withoutJmxNothingIsRegistered() throws Exception {
        try (Rnic _ = Rnic.open(config("jmx-hidden").jmx(false).build());
                Rnic _ = Rnic.open(config("jmx-shown").build())) {
            awaitNames("jmx-shown");
        }
    }

    @Test
    void attributesShowTheSnapshotButNoStag() throws Exception {
        try (LoopbackPair pair = new LoopbackPair()) {
            ObjectName name = new ObjectName("io.stag:type=Test,name=attributes");
            server.registerMBean(new ManagedRnic(pair.client.rnic), name);
            Link link = pair.link(LoopbackPair.PLAIN);
            link.client()
                    .queuePair()
                    .newSendRequests()
                    .write(1, pair.server.region.stag(), 0)
                    .from(pair.client.region, 0, 8)
                    .post();
            pair.runUntil(() -> pair.client.totals().completions() == 1);

            StringBuilder all = new StringBuilder();
            for (MBeanAttributeInfo attribute : server.getMBeanInfo(name).getAttributes()) {
                Object value = server.getAttribute(name, attribute.getName());
                all.append(attribute.getName()).append(' ');
                all.append(value instanceof CompositeData[] rows ? List.of(rows) : value)
                        .append('\n');
            }
            assertThat(all).doesNotContainIgnoringCase("stag=").doesNotContain("" + pair.client.region.stag());
            assertThat(server.getAttribute(name, "ConnectionsOpen")).isEqualTo(1L);
            assertThat(((CompositeData) server.getAttribute(name, "Totals")).get("writesSent"))
                    .isEqualTo(1L);
            CompositeData[] pairs = (CompositeData[]) server.getAttribute(name, "QueuePairs");
            assertThat(pairs[0].get("state")).isEqualTo("RTS");
            assertThat(((CompositeData) pairs[0].get("counters")).get("writesSent"))
                    .isEqualTo(1L);
            CompositeData[] agents = (CompositeData[]) server.getAttribute(name, "Agents");
            assertThat(agents[0].get("name")).isEqualTo("client-agent-0");
            assertThat(((CompositeData[]) server.getAttribute(name, "Regions"))[0].get("length"))
                    .isEqualTo(65_536L);
            assertThat(((CompositeData[]) server.getAttribute(name, "CompletionQueues"))[0].get("depth"))
                    .isEqualTo(1);
            assertThat((CompositeData[]) server.getAttribute(name, "Terminates"))
                    .isEmpty();
            server.unregisterMBean(name);
        }
    }

    @Test
    void idleConnectionsAreListedAndEndedFromAfar() throws Exception {
        try (LoopbackPair pair = new LoopbackPair()) {
            ObjectName name = new ObjectName("io.stag:type=Test,name=operations");
            server.registerMBean(new ManagedRnic(pair.server.rnic), name);
            RnicMXBean bean = JMX.newMXBeanProxy(server, name, RnicMXBean.class);
            Link old = pair.link(LoopbackPair.PLAIN);
            pair.pass(Duration.ofSeconds(30));
            Link young = pair.link(LoopbackPair.PLAIN);

            assertThat(bean.getConnections()).hasSize(2);
            assertThat(bean.listConnections(0)).hasSize(2);
            assertThat(bean.listConnections(31)).isEmpty();
            List<ManagedConnection> idle = bean.listConnections(30);
            assertThat(idle).singleElement().satisfies(connection -> {
                assertThat(connection.id()).isEqualTo(old.server().id());
                assertThat(connection.queuePair()).isEqualTo(1);
                assertThat(connection.idleSeconds()).isEqualTo(30.0);
                assertThat(connection.ageSeconds()).isEqualTo(30.0);
                assertThat(connection.state()).isEqualTo("ESTABLISHED");
                assertThat(connection.remoteAddress())
                        .isEqualTo("127.0.0.1:" + old.client().localAddress().getPort());
                assertThat(connection.crc()).isTrue();
                assertThat(connection.revision()).isEqualTo(2);
            });
            assertThat(bean.disconnect(idle.getFirst().id())).isTrue();
            pair.runUntil(() -> old.client().state() == Connection.State.DISCONNECTED);
            pair.runUntil(() -> old.server().state() == Connection.State.DISCONNECTED);
            assertThat(bean.disconnect(idle.getFirst().id())).isFalse();
            assertThat(bean.abort(young.server().id())).isTrue();
            assertThat(young.server().state()).isEqualTo(Connection.State.DISCONNECTED);
            assertThat(bean.getConnections()).isEmpty();
            assertThat(bean.prometheus()).contains("stag_connections_open{rnic=\"server\"} 0");
            server.unregisterMBean(name);
        }
    }
}
