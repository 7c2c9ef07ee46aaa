package io.stag.rnic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.stag.rnic.transport.NioTransport;
import io.stag.rnic.transport.Transport;
import io.stag.verbs.Access;
import io.stag.verbs.CompletionQueue;
import io.stag.verbs.MemoryRegion;
import io.stag.verbs.ProgressMode;
import io.stag.verbs.RnicConfig;
import io.stag.verbs.VerbsError;
import io.stag.verbs.VerbsException;
import io.stag.verbs.WorkCompletions;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.util.EnumSet;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SoftRnicTest {

    private static SoftRnic open(String name, int agents, SoftRnic.TransportFactory transports) {
        RnicConfig config = RnicConfig.builder()
                .name(name)
                .progress(ProgressMode.DEDICATED)
                .agents(agents)
                .build();
        return new SoftRnic(config, transports, System::nanoTime, new SplittableRandom(1));
    }

    @Test
    void whatWasOpenedIsClosedWhenTheRestFails() {
        AtomicInteger opened = new AtomicInteger();
        AtomicInteger closed = new AtomicInteger();
        Transport transport = (Transport) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Transport.class}, (_, method, _) -> {
                    assertThat(method.getName()).isEqualTo("close");
                    return closed.incrementAndGet() < 0;
                });
        assertThatExceptionOfType(VerbsException.class)
                .isThrownBy(() -> open("short", 4, () -> {
                    if (opened.get() == 3) {
                        throw new IOException("too many open files");
                    }
                    opened.incrementAndGet();
                    return transport;
                }))
                .withMessageContaining("too many open files");
        assertThat(closed).hasValue(3);
    }

    /** A program may use the memory of a region in a system call of its own, which nobody can stop. */
    @Test
    void memoryInUseDoesNotKeepTheRestOpen() throws IOException, InterruptedException {
        SoftRnic rnic = open("busy", 1, NioTransport::new);
        MemoryRegion used = rnic.allocateProtectionDomain().allocate(1 << 20, EnumSet.of(Access.LOCAL_READ));
        MemoryRegion other = rnic.allocateProtectionDomain().allocate(64, EnumSet.of(Access.LOCAL_READ));
        CompletionQueue queue = rnic.createCompletionQueue(1);
        Pipe pipe = Pipe.open();
        Thread writer = Thread.ofPlatform().daemon().start(() -> {
            try {
                pipe.sink().write(used.segment().asByteBuffer()); // more than a pipe takes
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        });
        pipe.source().read(ByteBuffer.allocate(1)); // now the writer is inside its call

        assertThatExceptionOfType(VerbsException.class)
                .isThrownBy(rnic::close)
                .satisfies(e -> assertThat(e.error()).isEqualTo(VerbsError.IN_USE));
        assertThat(other.isValid()).isFalse();
        assertThatExceptionOfType(VerbsException.class)
                .isThrownBy(() -> queue.poll(WorkCompletions.ofCapacity(1)))
                .satisfies(e -> assertThat(e.error()).isEqualTo(VerbsError.CLOSED));
        assertThat(Thread.getAllStackTraces().keySet())
                .extracting(Thread::getName)
                .doesNotContain("busy-agent-0");

        pipe.source().close();
        pipe.sink().close();
        writer.join();
        used.close();
    }
}
