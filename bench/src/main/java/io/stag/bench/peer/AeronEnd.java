package io.stag.bench.peer;

import io.aeron.Aeron;
import io.aeron.ExclusivePublication;
import io.aeron.FragmentAssembler;
import io.aeron.Subscription;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import io.aeron.logbuffer.FragmentHandler;
import io.stag.cli.CommandFailure;
import io.stag.cli.perf.Content;
import io.stag.cli.perf.RunSpec;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/** What both sides of the Aeron tests have: driver, client, a way in and a way out. Used by one thread at a time. */
final class AeronEnd implements AutoCloseable {
    private static final String LOOPBACK = "127.0.0.1";
    private static final int STREAM = 7_175;
    private static final int MTU = 65_504;
    private static final int SOCKET_BUFFER = 4 << 20;
    private static final int LEAST_TERM = 16 << 20;
    private static final int TERM_PER_MESSAGE = 8; // a message may take an eighth of a term
    private static final int FRAGMENTS = 64;
    private static final int CONDUCTOR_EVERY = 1 << 10; // it looks after connections and time-outs only
    private static final long SILENCE_NANOS = Duration.ofSeconds(20).toNanos();
    /** Both ends may stand still while others are measured. */
    private static final long PATIENCE_NANOS = Duration.ofMinutes(10).toNanos();

    private final int size;
    private final int termLength;
    private final UnsafeBuffer message;
    private final UnsafeBuffer first;
    private final MediaDriver driver;
    private final Aeron aeron;
    private final Subscription in;
    private final FragmentHandler assembler;
    private @Nullable ExclusivePublication out;
    private int turns;
    private long messages;
    private long others;

    AeronEnd(RunSpec spec) {
        size = spec.size();
        termLength = Math.max(LEAST_TERM, Integer.highestOneBit(2 * size - 1) * TERM_PER_MESSAGE);
        ByteBuffer content = ByteBuffer.allocateDirect(size + 1); // and one, see ask()
        Content.fill(MemorySegment.ofBuffer(content), 0, size);
        message = new UnsafeBuffer(content);
        first = new UnsafeBuffer(ByteBuffer.allocateDirect(size));
        driver = MediaDriver.launch(driverContext());
        aeron = Aeron.connect(new Aeron.Context()
                .aeronDirectoryName(driver.aeronDirectoryName())
                .driverTimeoutMs(TimeUnit.NANOSECONDS.toMillis(PATIENCE_NANOS))
                .useConductorAgentInvoker(true)
                .driverAgentInvoker(driver.sharedAgentInvoker()));
        in = aeron.addSubscription("aeron:udp?endpoint=" + LOOPBACK + ":0", STREAM);
        assembler = new FragmentAssembler((buffer, offset, length, _) -> take(buffer, offset, length));
    }

    private MediaDriver.Context driverContext() {
        int socketBuffer = socketBuffer();
        return new MediaDriver.Context()
                .aeronDirectoryName(folder().toString())
                .dirDeleteOnStart(true)
                .dirDeleteOnShutdown(true)
                .threadingMode(ThreadingMode.INVOKER)
                .mtuLength(MTU)
                .socketRcvbufLength(socketBuffer)
                .socketSndbufLength(socketBuffer)
                .initialWindowLength(Math.min(socketBuffer, termLength / 2))
                .publicationTermBufferLength(termLength)
                .clientLivenessTimeoutNs(PATIENCE_NANOS)
                .publicationUnblockTimeoutNs(2 * PATIENCE_NANOS)
                .publicationConnectionTimeoutNs(PATIENCE_NANOS)
                .imageLivenessTimeoutNs(PATIENCE_NANOS)
                .warnIfDirectoryExists(false);
    }

    /** What the system grants of what one wishes. */
    private static int socketBuffer() {
        try (DatagramChannel channel = DatagramChannel.open()) {
            channel.setOption(StandardSocketOptions.SO_RCVBUF, SOCKET_BUFFER);
            return Math.min(SOCKET_BUFFER, channel.getOption(StandardSocketOptions.SO_RCVBUF));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** In memory where there is such a file system. */
    private static Path folder() {
        Path shared = Path.of("/dev/shm");
        Path parent = Files.isWritable(shared) ? shared : Path.of(System.getProperty("java.io.tmpdir"));
        return parent.resolve("stag-perf-aeron-" + ProcessHandle.current().pid());
    }

    /** Where messages for this end go. */
    int port() {
        String endpoint = in.resolvedEndpoint();
        while (endpoint == null) {
            drive();
            endpoint = in.resolvedEndpoint();
        }
        return Integer.parseInt(endpoint.substring(endpoint.lastIndexOf(':') + 1));
    }

    /** Opens the way to the other end. */
    void connect(int port) {
        out = aeron.addExclusivePublication("aeron:udp?endpoint=" + LOOPBACK + ":" + port, STREAM);
    }

    void awaitConnected() {
        long deadline = System.nanoTime() + SILENCE_NANOS;
        ExclusivePublication opened = out();
        while (!opened.isConnected() || !in.isConnected()) {
            drive();
            if (System.nanoTime() - deadline > 0) {
                throw new CommandFailure("the two ends of Aeron do not find each other", "");
            }
        }
    }

    private ExclusivePublication out() {
        return Objects.requireNonNull(out, "connect() comes first");
    }

    /** Sends a message if there is room. */
    boolean offer() {
        return out().offer(message, 0, size) >= 0;
    }

    /** Sends a message that is longer by one octet, which asks the other end to answer. */
    boolean ask() {
        return out().offer(message, 0, size + 1) >= 0;
    }

    /** Takes what has come. */
    void poll() {
        drive();
        in.poll(assembler, FRAGMENTS);
    }

    void drive() {
        driver.sharedAgentInvoker().invoke();
        if (++turns % CONDUCTOR_EVERY == 0) {
            aeron.conductorAgentInvoker().invoke();
        }
    }

    private void take(DirectBuffer buffer, int offset, int length) {
        if (length == size) {
            messages++;
        } else {
            others++;
        }
        if (messages == 1) {
            first.putBytes(0, buffer, offset, size);
        }
    }

    /** Messages received. */
    long messages() {
        return messages;
    }

    /** Questions received, see {@link #ask}. */
    long questions() {
        return others;
    }

    boolean isContentRight() {
        return messages == 0 || Content.isRight(MemorySegment.ofBuffer(first.byteBuffer()), 0, size);
    }

    @Override
    public void close() {
        aeron.close();
        driver.close();
    }
}
