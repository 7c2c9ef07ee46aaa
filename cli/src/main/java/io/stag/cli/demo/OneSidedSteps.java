package io.stag.cli.demo;

import io.stag.verbs.Access;
import io.stag.verbs.MemoryRegion;
import java.util.EnumSet;
import java.util.List;

/** Operations of which the other end notices nothing: Write and Read. */
final class OneSidedSteps {
    private static final int LENGTH = 20_000;
    private static final int PIECE = 3_000;

    private OneSidedSteps() {}

    static List<Step> all() {
        return List.of(
                new Step("RDMA Write", OneSidedSteps::write),
                new Step("RDMA Read", OneSidedSteps::read),
                new Step("RDMA Read into three buffers", OneSidedSteps::readPieces),
                new Step("RDMA Read with local invalidate", OneSidedSteps::readInvalidate));
    }

    private static String write(Pair.Ends ends) {
        Peer server = ends.server();
        long id = ends.client().nextId();
        ends.client().fill(0, LENGTH, 11);
        ends.client()
                .sends
                .write(id, server.memory.stag(), server.memory.remoteOffset(0))
                .from(ends.client().memory, 0, LENGTH);
        ends.client().postAndAwait(id);
        Peer.awaitWritten(server.memory.segment(), 0, LENGTH, 11);
        server.verify(0, LENGTH, 11);
        return LENGTH + " octets in the server's memory";
    }

    private static String read(Pair.Ends ends) {
        Peer server = ends.server();
        server.fill(0, LENGTH, 12);
        long id = ends.client().nextId();
        ends.client()
                .sends
                .read(id, server.memory.stag(), server.memory.remoteOffset(0))
                .into(ends.client().memory, 0, LENGTH);
        Check.equal("length", (long) LENGTH, ends.client().postAndAwait(id).length());
        ends.client().verify(0, LENGTH, 12);
        return LENGTH + " octets from the server's memory";
    }

    private static String readPieces(Pair.Ends ends) {
        Peer server = ends.server();
        for (int piece = 0; piece < 3; piece++) {
            server.fill((long) piece * PIECE, PIECE, 13 + piece);
        }
        long id = ends.client().nextId();
        ends.client()
                .sends
                .read(id, server.memory.stag(), server.memory.remoteOffset(0))
                .into(ends.client().memory, 40_000, PIECE)
                .into(ends.client().memory, 20_000, PIECE)
                .into(ends.client().memory, 0, PIECE);
        ends.client().postAndAwait(id);
        for (int piece = 0; piece < 3; piece++) {
            ends.client().verify((2 - piece) * 20_000L, PIECE, 13 + piece);
        }
        return "3 x " + PIECE + " octets, each where it belongs";
    }

    private static String readInvalidate(Pair.Ends ends) {
        Peer server = ends.server();
        server.fill(0, PIECE, 16);
        try (MemoryRegion sink = ends.client()
                .domain
                .allocate(PIECE, EnumSet.of(Access.LOCAL_READ, Access.LOCAL_WRITE, Access.REMOTE_WRITE))) {
            long id = ends.client().nextId();
            ends.client()
                    .sends
                    .readInvalidate(id, server.memory.stag(), server.memory.remoteOffset(0))
                    .into(sink, 0, PIECE);
            ends.client().postAndAwait(id);
            Check.isTrue(!sink.isValid(), "the sink is still valid");
            Peer.verify(sink.segment(), 0, PIECE, 16);
            return "read, and its STag is not valid any more";
        }
    }
}
