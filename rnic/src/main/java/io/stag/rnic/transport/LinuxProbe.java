package io.stag.rnic.transport;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Finds out once whether {@link LinuxTransport} works here: platform, permission, C library, and a try. */
final class LinuxProbe {
    static final Optional<String> OBSTACLE = find();

    private LinuxProbe() {}

    private static Optional<String> find() {
        String system = System.getProperty("os.name", "");
        String processor = System.getProperty("os.arch", "");
        if (!system.equals("Linux") || !(processor.equals("amd64") || processor.equals("aarch64"))) {
            return Optional.of("not made for " + system + " on " + processor);
        }
        // asked first: without permission even the look-up of a symbol makes the JVM print a warning
        if (!LinuxProbe.class.getModule().isNativeAccessEnabled()) {
            return Optional.of("native access is not enabled for Stag (--enable-native-access)");
        }
        try {
            tryOut();
            return Optional.empty();
        } catch (IOException | RuntimeException | LinkageError e) {
            return Optional.of("a try failed: " + (e.getCause() == null ? e : e.getCause()));
        }
    }

    /** Sends an octet through a socket pair: wrong layouts or forbidden calls show here and not with a user's data. */
    private static void tryOut() throws IOException {
        Epoll epoll = new Epoll();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment pair = arena.allocate(JAVA_INT, 2);
            Errno.check("socketpair", Libc.socketpair(Libc.newState(), pair));
            LinuxSocket left = new LinuxSocket(pair.getAtIndex(JAVA_INT, 0));
            LinuxSocket right = new LinuxSocket(pair.getAtIndex(JAVA_INT, 1));
            try {
                tryOut(epoll, left, right, arena.allocateFrom("?"));
            } finally {
                left.close();
                right.close();
            }
        } finally {
            epoll.close();
        }
    }

    private static void tryOut(Epoll epoll, LinuxSocket left, LinuxSocket right, MemorySegment octet)
            throws IOException {
        List<Transport.ReadyHandler> ready = new ArrayList<>();
        Transport.ReadyHandler handler = () -> {};
        Epoll.Watch watch = epoll.add(right.descriptor(), Epoll.IN, handler);
        expect(-Errno.EAGAIN, right.receiveOrWhy(octet.address(), 1));
        expect(1, left.send(octet.address(), 1, false));
        epoll.select(0, ready::add);
        expect(1, right.receive(octet.address(), 1));
        for (int i = 0; i < 2; i++) { // a wake-up is seen, each time
            epoll.wakeup();
            epoll.select(0, ready::add);
            expect(0, epoll.isWakeupPending() ? 1 : 0);
        }
        epoll.remove(watch);
        if (!ready.equals(List.of(handler)) || octet.get(JAVA_BYTE, 0) != '?') {
            throw new IOException("ready were " + ready);
        }
    }

    private static void expect(int wanted, int result) throws IOException {
        if (result != wanted) {
            throw new IOException("a call returned " + result + ", expected " + wanted);
        }
    }
}
