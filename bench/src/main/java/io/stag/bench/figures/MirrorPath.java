package io.stag.bench.figures;

import io.stag.bench.Shell;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;

/**
 * A path with delay, loss and a bottleneck for packets of any protocol, without netem and in one network namespace: a TUN
 * device whose packets come back with source and destination exchanged. Whoever sends to {@link #THERE} reaches a socket at
 * {@link #HERE}, through this object; checksums stay right, since they do not depend on the order of addresses. Linux, with the
 * right to make network devices.
 */
@SuppressWarnings("restricted") // TUN devices are made by ioctl
final class MirrorPath implements AutoCloseable {
    /** Address of all sockets. */
    static final String HERE = "10.9.0.1";

    /** What all connect to. */
    static final String THERE = "10.9.0.2";

    /** Servers have ports below this, clients from it on: that tells the directions apart. */
    static final int FIRST_CLIENT_PORT = 20_000;

    private static final String NAME = "mirror0";
    private static final long TUNSETIFF = 0x4004_54CAL;
    private static final short TUN_WITHOUT_HEADER = 0x1001;
    private static final int FLAGS_AT = 16;
    private static final int REQUEST_LENGTH = 40;
    private static final int READ_WRITE_NONBLOCKING = 0x802;
    private static final int MTU = 1_500;
    private static final int SOURCE_AT = 12;
    private static final int DESTINATION_AT = 16;
    private static final int IPV4 = 4;
    private static final long IDLE_NANOS = 20_000;
    private static final ValueLayout.OfInt WORD = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfShort PORT = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private static final Linker LINKER = Linker.nativeLinker();
    private static final SymbolLookup LIBC = LINKER.defaultLookup();
    private static final MethodHandle OPEN =
            variadic("open", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT), 2);
    private static final MethodHandle IOCTL = variadic(
            "ioctl",
            FunctionDescriptor.of(
                    ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.ADDRESS),
            2);
    private static final MethodHandle READ = transfer("read");
    private static final MethodHandle WRITE = transfer("write");
    private static final MethodHandle CLOSE =
            LINKER.downcallHandle(symbol("close"), FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));

    private record Packet(MemorySegment octets, long dueNanos) {}

    /** One way through the path. */
    private static final class Lane {
        final ArrayDeque<Packet> onTheWay = new ArrayDeque<>();
        long freeNanos; // when the bottleneck has sent all that it took
    }

    private final Arena arena = Arena.ofShared();
    private final MemorySegment buffer = arena.allocate(MTU);
    private final Lane there = new Lane();
    private final Lane back = new Lane();
    private final int tun;
    private final Thread mover;
    private volatile PathSpec spec;
    private volatile boolean closed;
    private SplittableRandom random = new SplittableRandom(1);

    /** Makes the device and moves packets from now on. */
    MirrorPath(PathSpec spec) throws IOException {
        this.spec = spec;
        tun = open();
        Shell.run("ip", "addr", "add", HERE + "/24", "dev", NAME);
        Shell.run("ip", "link", "set", NAME, "mtu", Integer.toString(MTU), "txqueuelen", "10000", "up");
        mover = Thread.ofPlatform().daemon().name("mirror").start(this::move);
    }

    private int open() throws IOException {
        try {
            int opened = (int) OPEN.invokeExact(arena.allocateFrom("/dev/net/tun"), READ_WRITE_NONBLOCKING);
            if (opened < 0) {
                throw new IOException("/dev/net/tun cannot be opened");
            }
            MemorySegment request = arena.allocate(REQUEST_LENGTH);
            request.setString(0, NAME);
            request.set(ValueLayout.JAVA_SHORT, FLAGS_AT, TUN_WITHOUT_HEADER);
            if ((int) IOCTL.invokeExact(opened, TUNSETIFF, request) < 0) {
                throw new IOException("no network device can be made here (ioctl TUNSETIFF)");
            }
            return opened;
        } catch (IOException | RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    /** Another path from now on. */
    void become(PathSpec newSpec) {
        spec = newSpec;
    }

    private void move() {
        while (!closed) {
            int moved = 0;
            for (int i = 0; i < 64 && take(); i++) {
                moved++;
            }
            moved += deliver(there) + deliver(back);
            if (moved == 0) {
                LockSupport.parkNanos(IDLE_NANOS);
            }
        }
    }

    private boolean take() {
        long length = transfer(READ, MTU);
        if (length <= 0) {
            return false;
        }
        if (buffer.get(ValueLayout.JAVA_BYTE, 0) >>> 4 != IPV4 || length < DESTINATION_AT + Integer.BYTES) {
            return true;
        }
        PathSpec path = spec;
        int header = (buffer.get(ValueLayout.JAVA_BYTE, 0) & 0xF) * Integer.BYTES;
        boolean forth = Short.toUnsignedInt(buffer.get(PORT, header)) >= FIRST_CLIENT_PORT;
        Lane lane = forth ? there : back;
        long now = System.nanoTime();
        long leaves = now;
        if (path.megabitPerSecond() > 0) {
            double nanosPerOctet = Byte.SIZE * 1e3 / path.megabitPerSecond();
            long waiting = Math.max(0, lane.freeNanos - now);
            if (waiting / nanosPerOctet + length > path.queueOctets()) {
                return true;
            }
            leaves = now + waiting + (long) (length * nanosPerOctet);
            lane.freeNanos = leaves;
        }
        if (random.nextDouble() * 100 < path.lossPercent()) {
            return true;
        }
        int source = buffer.get(WORD, SOURCE_AT);
        buffer.set(WORD, SOURCE_AT, buffer.get(WORD, DESTINATION_AT));
        buffer.set(WORD, DESTINATION_AT, source);
        MemorySegment octets = MemorySegment.ofArray(buffer.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE));
        lane.onTheWay.add(new Packet(octets, leaves + (long) (path.delayMillis() * 1e6)));
        return true;
    }

    private int deliver(Lane lane) {
        int count = 0;
        long now = System.nanoTime();
        for (Packet first = lane.onTheWay.peek();
                first != null && first.dueNanos() <= now;
                first = lane.onTheWay.peek()) {
            lane.onTheWay.remove();
            buffer.copyFrom(first.octets());
            transfer(WRITE, first.octets().byteSize());
            count++;
        }
        return count;
    }

    private long transfer(MethodHandle call, long length) {
        try {
            return (long) call.invokeExact(tun, buffer, length);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        closed = true;
        try {
            mover.join();
            int ignored = (int) CLOSE.invokeExact(tun);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
        arena.close();
    }

    private static MemorySegment symbol(String name) {
        return LIBC.find(name).orElseThrow();
    }

    private static MethodHandle variadic(String name, FunctionDescriptor types, int fixed) {
        return LINKER.downcallHandle(symbol(name), types, Linker.Option.firstVariadicArg(fixed));
    }

    private static MethodHandle transfer(String name) {
        return LINKER.downcallHandle(
                symbol(name),
                FunctionDescriptor.of(
                        ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_LONG));
    }
}
