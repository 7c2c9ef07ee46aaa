package io.stag.testkit.docs;

import static io.stag.verbs.Access.LOCAL_READ;
import static io.stag.verbs.Access.LOCAL_WRITE;
import static io.stag.verbs.Access.REMOTE_ATOMIC;
import static io.stag.verbs.Access.REMOTE_READ;
import static io.stag.verbs.Access.REMOTE_WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.stag.verbs.Access;
import io.stag.verbs.AsyncEvent;
import io.stag.verbs.CompletionQueue;
import io.stag.verbs.MemoryRegion;
import io.stag.verbs.ProtectionDomain;
import io.stag.verbs.QueuePair;
import io.stag.verbs.QueuePairConfig;
import io.stag.verbs.Rnic;
import io.stag.verbs.SendRequests;
import io.stag.verbs.WorkCompletions;
import io.stag.verbs.cm.Connection;
import io.stag.verbs.cm.ConnectionConfig;
import io.stag.verbs.cm.Listener;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.InvocationTargetException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Every message in the guide's table of troubles is one that a program really gets. */
@Timeout(value = 2, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TroubleshootingIT {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Pattern ROW = Pattern.compile("\\| `([^`]+)` \\| .+ \\| .+ \\|");
    private static final MemorySegment EIGHT_OCTETS = MemorySegment.ofArray(new byte[8]);

    /** One end of a connection. */
    private static final class End implements AutoCloseable {
        final Rnic rnic = Rnic.open();
        final ProtectionDomain domain = rnic.allocateProtectionDomain();
        final CompletionQueue completions;
        final QueuePair queuePair;
        final SendRequests sends;
        final BlockingQueue<AsyncEvent> events = new LinkedBlockingQueue<>();

        End(int completionCapacity) {
            completions = rnic.createCompletionQueue(completionCapacity);
            queuePair =
                    domain.createQueuePair(QueuePairConfig.builder(completions).build());
            sends = queuePair.newSendRequests();
            rnic.onAsyncEvent(events::add);
        }

        Listener listen() {
            return rnic.connectionManager().listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 16);
        }

        Connection connect(InetSocketAddress address, Duration timeout) {
            return rnic.connectionManager()
                    .connect(queuePair, address, ConnectionConfig.defaults())
                    .awaitEstablished(timeout);
        }

        MemoryRegion memory(int length, Access right, Access... rights) {
            return domain.allocate(length, EnumSet.of(right, rights));
        }

        String completion() {
            WorkCompletions done = WorkCompletions.ofCapacity(1);
            assertThat(completions.await(done, PATIENCE)).isEqualTo(1);
            return done.describe(0);
        }

        String event() throws InterruptedException {
            AsyncEvent event = events.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            assertThat(event).isNotNull();
            return event.detail().toString();
        }

        @Override
        public void close() {
            rnic.close();
        }
    }

    /** Something that two connected ends do wrong. */
    private interface Mistake {
        /** Does it, and gives a message that comes of it. */
        String make(End server, End client) throws Exception;
    }

    @Test
    void everyMessageOfTheTableCanBeHad() throws Exception {
        List<String> messages = new ArrayList<>();
        messages.add(withoutProvider());
        messages.addAll(misuse());
        messages.addAll(connecting());
        for (Mistake mistake : mistakes()) {
            messages.add(connected(128, mistake));
        }
        messages.add(connected(2, TroubleshootingIT::overflow));

        List<String> rows = rows();
        for (String message : messages) {
            assertThat(rows).as(message).anyMatch(row -> Example.matches(row, message));
        }
        for (String row : rows) {
            assertThat(messages).as(row).anyMatch(message -> Example.matches(row, message));
        }
    }

    /** The messages of the table. */
    private static List<String> rows() throws IOException {
        List<String> lines = Document.read(Document.root(), "docs/guide.md").lines();
        return lines.subList(lines.indexOf("## Troubleshooting"), lines.indexOf("## Glossary")).stream()
                .map(ROW::matcher)
                .filter(Matcher::matches)
                .map(row -> row.group(1))
                .toList();
    }

    private static String message(ThrowingCallable call) {
        Throwable thrown = catchThrowable(call);
        assertThat(thrown).isNotNull();
        return thrown.getMessage();
    }

    /** In a class loader that sees the verbs alone. */
    private static String withoutProvider() throws Exception {
        URL verbs = Rnic.class.getProtectionDomain().getCodeSource().getLocation();
        try (URLClassLoader loader = new URLClassLoader(new URL[] {verbs}, ClassLoader.getPlatformClassLoader())) {
            Throwable thrown = catchThrowable(() ->
                    loader.loadClass(Rnic.class.getName()).getMethod("open").invoke(null));
            assertThat(thrown).isInstanceOf(InvocationTargetException.class);
            return thrown.getCause().getMessage();
        }
    }

    private static List<String> misuse() {
        try (End end = new End(128)) {
            MemoryRegion small = end.memory(32, LOCAL_READ);
            return List.of(
                    message(() -> end.domain.register(EIGHT_OCTETS, EnumSet.of(LOCAL_READ))),
                    message(() -> {
                        try (Arena arena = Arena.ofConfined()) {
                            end.domain.register(arena.allocate(8), EnumSet.of(LOCAL_READ));
                        }
                    }),
                    message(() -> end.memory(8, LOCAL_WRITE, REMOTE_READ)),
                    message(() -> end.sends.send(1).inline(MemorySegment.ofArray(new byte[65]))),
                    message(() -> end.sends.send(1).from(small, 0, 64)),
                    message(() -> end.completions.arm(CompletionQueue.NotifyOn.NEXT)),
                    message(end.completions::close));
        }
    }

    private static List<String> connecting() throws Exception {
        List<String> messages = new ArrayList<>();
        InetSocketAddress address;
        try (End server = new End(128);
                End client = new End(128)) {
            address = server.listen().address();
            messages.add(message(() -> client.rnic.connectionManager().listen(address, 16)));
            messages.add(message(() -> client.connect(address, Duration.ofMillis(1))));
        }
        try (End client = new End(128);
                ServerSocket web = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            messages.add(message(() -> client.connect(address, PATIENCE)));
            Thread.startVirtualThread(() -> answerAsWebServer(web));
            messages.add(message(() -> client.connect((InetSocketAddress) web.getLocalSocketAddress(), PATIENCE)));
        }
        return messages;
    }

    private static void answerAsWebServer(ServerSocket web) {
        try (Socket socket = web.accept()) {
            socket.getOutputStream().write("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            socket.getInputStream().readAllBytes();
        } catch (IOException _) {
            // the client hangs up
        }
    }

    private static List<Mistake> mistakes() {
        return List.of(
                (server, client) -> {
                    client.sends.send(1).inline(EIGHT_OCTETS).post();
                    return server.event();
                },
                (_, client) -> {
                    client.sends.send(1).inline(EIGHT_OCTETS).post();
                    client.event(); // no receive is posted: the peer has ended the stream
                    return message(() -> client.sends.send(2).post());
                },
                (server, client) -> {
                    MemoryRegion four = server.memory(4, LOCAL_WRITE);
                    server.queuePair
                            .newReceiveRequests()
                            .receive(1)
                            .into(four, 0, 4)
                            .post();
                    client.sends.send(1).inline(EIGHT_OCTETS).post();
                    return server.completion();
                },
                (server, client) -> {
                    read(client, server.memory(8, LOCAL_READ, REMOTE_READ), client.memory(8, LOCAL_READ));
                    return client.completion();
                },
                (server, client) -> {
                    read(client, server.memory(8, LOCAL_READ), client.memory(8, LOCAL_WRITE));
                    return client.completion();
                },
                (server, client) -> {
                    read(client, server.memory(8, LOCAL_READ, REMOTE_READ), client.memory(16, LOCAL_WRITE));
                    return server.event();
                },
                (server, client) -> {
                    MemoryRegion words = server.memory(16, LOCAL_READ, LOCAL_WRITE, REMOTE_ATOMIC);
                    MemoryRegion sink = client.memory(8, LOCAL_WRITE);
                    client.sends
                            .fetchAdd(1, words.stag(), 4, 1)
                            .into(sink, 0, 8)
                            .post();
                    return server.event();
                },
                (_, client) -> {
                    MemoryRegion closed = client.memory(8, LOCAL_READ);
                    closed.close();
                    client.sends.send(1).from(closed, 0, 8).post();
                    return client.completion();
                },
                (server, client) -> {
                    client.rnic.close();
                    return server.event();
                });
    }

    private static void read(End client, MemoryRegion source, MemoryRegion sink) {
        client.sends.read(1, source.stag(), 0).into(sink, 0, sink.length()).post();
    }

    private static String overflow(End server, End client) throws InterruptedException {
        MemoryRegion inbox = server.memory(8, LOCAL_WRITE, REMOTE_WRITE);
        for (int i = 0; i < 3; i++) {
            client.sends.write(i, inbox.stag(), 0).inline(EIGHT_OCTETS);
        }
        client.sends.post();
        return client.event();
    }

    private static String connected(int completionCapacity, Mistake mistake) throws Exception {
        try (End server = new End(128);
                End client = new End(completionCapacity);
                Listener listener = server.listen()) {
            Thread accepting = Thread.startVirtualThread(
                    () -> listener.await(PATIENCE).orElseThrow().accept(server.queuePair, ConnectionConfig.defaults()));
            client.connect(listener.address(), PATIENCE);
            accepting.join();
            return mistake.make(server, client);
        }
    }
}
