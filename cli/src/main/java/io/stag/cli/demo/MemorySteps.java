package io.stag.cli.demo;

import io.stag.verbs.Access;
import io.stag.verbs.MemoryRegion;
import io.stag.verbs.MemoryWindow;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;

/** Memory that is opened and closed through the send queue: windows and fast registration. */
final class MemorySteps {
    private static final int LENGTH = 256;

    private MemorySteps() {}

    static List<Step> all() {
        return List.of(
                new Step("Memory window: bind, write, invalidate", MemorySteps::window),
                new Step("Fast registration, then write", MemorySteps::fastRegister));
    }

    private static String window(Pair.Ends ends) {
        Peer server = ends.server();
        try (MemoryWindow window = server.domain.allocateWindow()) {
            bind(server, window);
            writeTo(ends, window.stag(), 0, server.memory.segment(), 21);
            long invalidate = server.nextId();
            server.sends.invalidate(invalidate, window.stag());
            server.postAndAwait(invalidate);
            Check.isTrue(!window.isBound(), "the window is still bound");
            return LENGTH + " octets through a window that is closed again";
        }
    }

    /** Opens a window to the first octets of the server's memory. */
    private static void bind(Peer server, MemoryWindow window) {
        long id = server.nextId();
        server.sends.bindWindow(id, window, 0x5A, server.memory, 0, LENGTH, EnumSet.of(Access.REMOTE_WRITE));
        server.postAndAwait(id);
        Check.isTrue(window.isBound(), "the window is not bound");
    }

    private static String fastRegister(Pair.Ends ends) {
        Peer server = ends.server();
        try (Arena arena = Arena.ofShared();
                MemoryRegion region = server.domain.allocateStag(true)) {
            MemorySegment memory = arena.allocate(LENGTH, 64);
            long register = server.nextId();
            server.sends.fastRegister(
                    register,
                    region,
                    0x17,
                    memory,
                    EnumSet.of(Access.LOCAL_READ, Access.LOCAL_WRITE, Access.REMOTE_WRITE));
            server.postAndAwait(register);
            writeTo(ends, region.stag(), region.remoteOffset(0), memory, 22);
            return LENGTH + " octets under STag 0x" + HexFormat.of().toHexDigits(region.stag());
        }
    }

    private static void writeTo(Pair.Ends ends, int stag, long offset, MemorySegment memory, int seed) {
        long id = ends.client().nextId();
        ends.client().fill(0, LENGTH, seed);
        ends.client().sends.write(id, stag, offset).from(ends.client().memory, 0, LENGTH);
        ends.client().postAndAwait(id);
        Peer.awaitWritten(memory, 0, LENGTH, seed);
        Peer.verify(memory, 0, LENGTH, seed);
    }
}
