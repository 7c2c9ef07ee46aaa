package io.stag.rnic.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.stag.rnic.mpa.StagingBuffer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ClosedSelectorException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What every transport over the operating system's TCP does: who is told what is ready, and when. */
abstract class SelectContract extends TransportFixture {
    private static final int WAKE_UPS = 2_000;

    @Test
    void aHandlerIsCalledForInputUntilItIsRead() throws IOException {
        Transport transport = transport();
        Pair pair = pair(transport);
        drive(transport);
        int before = pair.serverReady.calls;
        assertThat(before).isZero();
        send(pair.client, "ab");
        until(() -> pair.serverReady.calls == 1, transport);
        until(() -> pair.serverReady.calls == 2, transport);
        assertThat(receive(transport, pair.server, 2)).isEqualTo("ab");
        int after = pair.serverReady.calls;
        drive(transport);
        assertThat(pair.serverReady.calls).isEqualTo(after);
        pair.close();
    }

    @Test
    void aHandlerIsCalledForOutputOnlyWhileThatIsWanted() throws IOException {
        Transport transport = transport();
        Pair pair = pair(transport);
        drive(transport);
        drive(transport);
        assertThat(pair.clientReady.calls).as("only connecting was awaited").isLessThanOrEqualTo(1);
        int before = pair.clientReady.calls;

        pair.client.awaitWritable(true);
        pair.client.awaitWritable(true);
        drive(transport);
        drive(transport);
        assertThat(pair.clientReady.calls).isEqualTo(before + 2);
        pair.client.awaitWritable(false);
        drive(transport);
        assertThat(pair.clientReady.calls).isEqualTo(before + 2);
        pair.close();
    }

    @Test
    void aFullStreamCallsWhenThereIsRoom() throws IOException {
        Transport transport = transport();
        Pair pair = pair(transport);
        StagingBuffer out = new StagingBuffer(1 << 20);
        out.append(out.capacity());
        while (pair.client.write(out) > 0) {
            out.clear();
            out.append(out.capacity());
        }
        pair.client.awaitWritable(true);
        drive(transport);
        int before = pair.clientReady.calls;
        drive(transport);
        assertThat(pair.clientReady.calls).isEqualTo(before);

        StagingBuffer in = new StagingBuffer(1 << 20);
        until(
                () -> {
                    pair.server.read(in);
                    in.clear();
                    return pair.clientReady.calls > before;
                },
                transport);
        assertThat(pair.client.write(out)).isPositive();
        pair.close();
    }

    @Test
    void aClosedStreamsHandlerIsNotCalled() throws IOException {
        Transport transport = transport();
        Pair pair = pair(transport);
        send(pair.client, "ab");
        until(() -> pair.serverReady.calls > 0, transport);
        int before = pair.serverReady.calls;
        pair.server.close();
        Pair next = pair(transport); // perhaps with the same descriptor
        send(next.client, "cd");
        until(() -> next.serverReady.calls > 0, transport);
        assertThat(pair.serverReady.calls).isEqualTo(before);
        pair.close();
        next.close();
    }

    @Test
    void whatWasReadyBeforeItWasClosedCallsNobodyWhoGotItsDescriptor() throws IOException {
        Transport transport = transport();
        TransportListener listener = transport.listen(loopback(), 8, new Handler());
        List<Pair> pairs = List.of(pair(transport), pair(transport));
        for (Pair pair : pairs) {
            send(pair.client, "ab");
            until(() -> pair.serverReady.calls > 0, transport);
        }
        List<Transport.ReadyHandler> ready = new ArrayList<>();
        List<TransportStream> opened = new ArrayList<>();
        Handler latecomer = new Handler();
        transport.select(0, handler -> {
            ready.add(handler);
            if (opened.isEmpty()) { // both are known to be ready; the other one ends before its turn
                pairs.get(handler == pairs.getFirst().serverReady ? 1 : 0)
                        .server
                        .close();
                try {
                    for (int i = 0; i < 8; i++) { // one of them gets the descriptor
                        opened.add(transport.connect(listener.address(), latecomer));
                    }
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        });
        assertThat(ready).hasSize(1).doesNotContain(latecomer);
        for (TransportStream stream : opened) {
            until(stream::finishConnect, transport);
            stream.close();
        }
        listener.close();
        for (Pair pair : pairs) {
            pair.close();
        }
    }

    @Test
    void aStreamMovesToAnotherTransport() throws IOException {
        Transport first = transport();
        Transport second = transport();
        Pair pair = pair(first);
        pair.server.awaitWritable(true);
        send(pair.client, "ab");
        until(() -> pair.serverReady.calls > 0, first);
        pair.server.release();
        settle(first);
        int before = pair.serverReady.calls;
        drive(first);
        assertThat(pair.serverReady.calls).isEqualTo(before);

        Handler moved = new Handler();
        second.adopt(pair.server, moved);
        until(() -> moved.calls > 0, second);
        assertThat(receive(second, pair.server, 2)).isEqualTo("ab");
        int read = moved.calls;
        drive(second);
        assertThat(moved.calls).as("awaits input only").isEqualTo(read);
        send(pair.client, "cd");
        until(() -> moved.calls > read, second);
        drive(first);
        assertThat(pair.serverReady.calls).isEqualTo(before);
        assertThat(receive(second, pair.server, 2)).isEqualTo("cd");
        pair.server.awaitWritable(true);
        int written = moved.calls;
        until(() -> moved.calls > written, second);
        pair.client.close();
        pair.server.close();
        settle(first);
        settle(second);
    }

    @Test
    void aStreamAcceptedHereIsAdoptedThere() throws IOException {
        Transport here = transport();
        Transport there = transport();
        Handler listenerReady = new Handler();
        TransportListener listener = here.listen(loopback(), 5, listenerReady);
        TransportStream client = here.connect(listener.address(), new Handler());
        until(() -> client.finishConnect() && listenerReady.calls > 0, here);
        TransportStream server = listener.accept();
        assertThat(server).isNotNull();
        Handler ready = new Handler();
        there.adopt(server, ready);
        send(client, "ab");
        until(() -> ready.calls > 0, there);
        assertThat(receive(there, server, 2)).isEqualTo("ab");
        server.close();
        settle(there);
        awaitEnd(here, client);
        client.close();
        listener.close();
    }

    @Test
    void closingIsDoneOnceNoSelectIsNeeded() throws IOException {
        Transport transport = transport();
        Pair pair = pair(transport);
        assertThat(transport.needsSelect()).isFalse();
        int open = openDescriptors();
        pair.client.close();
        pair.server.abort();
        settle(transport);
        assertThat(openDescriptors()).isEqualTo(open - 2);
        drive(transport);
        assertThat(transport.needsSelect()).isFalse();
    }

    @Test
    void aListenersHandlerIsCalledOnlyWhilePeersAreAwaited() throws IOException {
        Transport transport = transport();
        Handler ready = new Handler();
        TransportListener listener = transport.listen(loopback(), 5, ready);
        TransportStream client = transport.connect(listener.address(), new Handler());
        until(() -> client.finishConnect() && ready.calls > 0, transport);
        listener.awaitPeers(false);
        int before = ready.calls;
        drive(transport);
        assertThat(ready.calls).isEqualTo(before);
        listener.awaitPeers(true);
        until(() -> ready.calls > before, transport);
        client.close();
        listener.close();
        listener.awaitPeers(true); // too late, and no error
        settle(transport);
    }

    @Test
    void anAttemptThatFailsAtOnceLeavesNothingOpen() throws IOException {
        Transport transport = transport();
        InetSocketAddress broadcast = new InetSocketAddress(InetAddress.ofLiteral("255.255.255.255"), 7471);
        pair(transport).close(); // everything that is opened once is open
        int open = openDescriptors();
        assertThatIOException().isThrownBy(() -> transport.connect(broadcast, new Handler()));
        settle(transport);
        assertThat(openDescriptors()).isEqualTo(open);
    }

    // waiting

    @Test
    void aResetTakesNoWakeUpFromWhoeverWaitsNext() throws IOException {
        Transport transport = transport();
        Pair pair = pair(transport);
        pair.client.close();
        settle(transport);
        transport.wakeup();
        pair.server.abort();
        transport.select(Long.MAX_VALUE, Transport.ReadyHandler::onReady);
    }

    @Test
    void aWakeUpEndsTheNextSelectOnce() throws IOException {
        Transport transport = transport();
        for (int i = 0; i < 3; i++) {
            transport.wakeup();
            transport.wakeup();
            transport.select(Long.MAX_VALUE, Transport.ReadyHandler::onReady);
            transport.select(1, Transport.ReadyHandler::onReady); // comes back because of the time
        }
    }

    @ParameterizedTest(name = "virtual {0}")
    @ValueSource(booleans = {false, true})
    void everyWakeUpEndsASelect(boolean virtual) throws Exception {
        Transport transport = transport();
        Semaphore woken = new Semaphore(0);
        FutureTask<Void> task = new FutureTask<>(() -> {
            for (int i = 0; i < WAKE_UPS; i++) {
                transport.select(Long.MAX_VALUE, Transport.ReadyHandler::onReady);
                woken.release();
            }
            return null;
        });
        start(virtual, task);
        for (int i = 0; i < WAKE_UPS; i++) {
            transport.wakeup(); // sometimes before, sometimes during the wait
            woken.acquire();
        }
        task.get();
    }

    @ParameterizedTest(name = "virtual {0}")
    @ValueSource(booleans = {false, true})
    void anInterruptEndsASelect(boolean virtual) throws Exception {
        Transport transport = transport();
        Semaphore woken = new Semaphore(0);
        FutureTask<Void> task = new FutureTask<>(() -> {
            for (int i = 0; i < 100; i++) {
                transport.select(Long.MAX_VALUE, Transport.ReadyHandler::onReady);
                assertThat(Thread.interrupted()).isTrue();
                woken.release();
            }
            return null;
        });
        Thread thread = start(virtual, task);
        for (int i = 0; i < 100; i++) {
            thread.interrupt();
            woken.acquire();
        }
        task.get();
    }

    @ParameterizedTest(name = "virtual {0}")
    @ValueSource(booleans = {false, true})
    void whatIsOpenedWhileAThreadWaitsIsWatchedAtOnce(boolean virtual) throws Exception {
        Transport transport = transport();
        Handler listenerReady = new Handler();
        TransportListener listener = transport.listen(loopback(), 5, listenerReady);
        FutureTask<Void> task = new FutureTask<>(() -> {
            List<Transport.ReadyHandler> ready = new ArrayList<>();
            while (!ready.contains(listenerReady)) {
                transport.select(Long.MAX_VALUE, ready::add);
            }
            return null;
        });
        start(virtual, task);
        TransportStream client = transport.connect(listener.address(), new Handler());
        task.get();
        until(client::finishConnect, transport);
        TransportStream server = listener.accept();
        assertThat(server).isNotNull();

        Handler serverReady = new Handler();
        FutureTask<Void> second = new FutureTask<>(() -> {
            List<Transport.ReadyHandler> ready = new ArrayList<>();
            while (!ready.contains(serverReady)) {
                transport.select(Long.MAX_VALUE, ready::add);
            }
            return null;
        });
        start(virtual, second);
        transport.adopt(server, serverReady);
        server.awaitWritable(true);
        second.get();
        client.close();
        server.close();
        listener.close();
        settle(transport);
    }

    @Test
    void waitingVirtualThreadsLeaveTheirCarriersToOthers() throws Exception {
        int many = 2 * Runtime.getRuntime().availableProcessors() + 2;
        List<FutureTask<Void>> tasks = new ArrayList<>();
        List<Transport> waited = new ArrayList<>();
        for (int i = 0; i < many; i++) {
            Transport transport = transport();
            waited.add(transport);
            FutureTask<Void> task = new FutureTask<>(() -> {
                transport.select(Long.MAX_VALUE, Transport.ReadyHandler::onReady);
                return null;
            });
            tasks.add(task);
            start(true, task);
        }
        FutureTask<Void> waker = new FutureTask<>(() -> {
            waited.forEach(Transport::wakeup);
            return null;
        });
        start(true, waker);
        waker.get();
        for (FutureTask<Void> task : tasks) {
            task.get();
        }
    }

    @ParameterizedTest(name = "virtual {0}")
    @ValueSource(booleans = {false, true})
    void aWaitEndsByItself(boolean virtual) throws Exception {
        Transport transport = transport();
        FutureTask<Void> task = new FutureTask<>(() -> {
            transport.select(TimeUnit.MILLISECONDS.toNanos(3), Transport.ReadyHandler::onReady);
            transport.select(1, Transport.ReadyHandler::onReady);
            return null;
        });
        start(virtual, task);
        task.get();
    }

    @ParameterizedTest(name = "virtual {0}")
    @ValueSource(booleans = {false, true})
    void closingEndsASelect(boolean virtual) throws Exception {
        Transport transport = transport();
        FutureTask<Void> task = new FutureTask<>(() -> {
            while (true) {
                transport.select(Long.MAX_VALUE, Transport.ReadyHandler::onReady);
            }
        });
        start(virtual, task);
        transport.close();
        assertThat(cause(task)).isInstanceOf(ClosedSelectorException.class);
    }

    private static Throwable cause(FutureTask<Void> task) throws InterruptedException {
        try {
            task.get();
            throw new AssertionError("came to an end");
        } catch (ExecutionException e) {
            return e.getCause();
        }
    }

    private static Thread start(boolean virtual, FutureTask<Void> task) {
        Thread.Builder builder =
                virtual ? Thread.ofVirtual() : Thread.ofPlatform().daemon();
        return builder.name("test-select").start(task);
    }
}
