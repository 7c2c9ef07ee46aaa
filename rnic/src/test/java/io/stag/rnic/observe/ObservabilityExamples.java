package io.stag.rnic.observe;

import com.sun.net.httpserver.HttpServer;
import io.stag.verbs.Rnic;
import io.stag.verbs.RnicMetrics;
import io.stag.verbs.cm.Connection;
import io.stag.verbs.cm.ConnectionSnapshot;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import javax.management.JMException;
import javax.management.JMX;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import jdk.jfr.consumer.RecordingStream;

/** The examples of {@code docs/observability.md}, word for word; {@link ObservabilityDocumentIT} runs them. */
final class ObservabilityExamples {
    private ObservabilityExamples() {}

    static void endIdleConnections(Rnic rnic) {
        for (ConnectionSnapshot connection : rnic.snapshot().connections()) {
            if (connection.idle().compareTo(Duration.ofMinutes(10)) > 0) {
                rnic.connectionManager().find(connection.id()).ifPresent(Connection::disconnect);
            }
        }
    }

    static RecordingStream logTerminates(Collection<String> log) {
        RecordingStream events = new RecordingStream();
        events.onEvent("io.stag.Terminate", event -> log.add(event.getString("code") + ": " + event.getString("fact")));
        events.startAsync();
        return events;
    }

    static void endIdleConnectionsOfAllRnics() throws JMException {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        for (ObjectName name : server.queryNames(new ObjectName("io.stag:type=Rnic,*"), null)) {
            RnicMXBean managed = JMX.newMXBeanProxy(server, name, RnicMXBean.class);
            managed.listConnections(600).forEach(connection -> managed.disconnect(connection.id()));
        }
    }

    static HttpServer serveMetrics(Rnic rnic, int port) throws IOException {
        HttpServer http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
        http.createContext("/metrics", exchange -> {
            byte[] text = RnicMetrics.prometheus(rnic.snapshot()).getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", RnicMetrics.CONTENT_TYPE);
            exchange.sendResponseHeaders(200, text.length);
            exchange.getResponseBody().write(text);
            exchange.close();
        });
        http.start();
        return http;
    }
}
