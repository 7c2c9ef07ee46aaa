package io.stag.cli.demo;

import io.stag.verbs.Access;
import io.stag.verbs.MemoryRegion;
import io.stag.verbs.Operation;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** Operations that complete a receive of the other end. */
final class MessageSteps {
    private static final int LENGTH = 5_000;
    private static final int INLINE = 40;
    private static final long IMMEDIATE = 0x0102_0304_0506_0708L;

    private MessageSteps() {}

    static List<Step> all() {
        return List.of(
                new Step("Send", MessageSteps::send),
                new Step("Send with Solicited Event", MessageSteps::sendSolicited),
                new Step("Send with Invalidate", MessageSteps::sendInvalidate),
                new Step("Send, inline payload", MessageSteps::sendInline),
                new Step("Write with Immediate", MessageSteps::writeImmediate),
                new Step("Immediate Data", MessageSteps::immediate));
    }

    /** A Send of one end into a receive of the other, content verified. */
    static String send(Pair.Ends ends) {
        ends.client().fill(0, LENGTH, 1);
        long receive = ends.server().postReceive(0, LENGTH);
        long id = ends.client().nextId();
        ends.client().sends.send(id).from(ends.client().memory, 0, LENGTH);
        ends.client().postAndAwait(id);
        Completion completion = ends.server().await(receive);
        Check.equal("operation", Operation.RECEIVE, completion.operation());
        Check.equal("length", (long) LENGTH, completion.length());
        ends.server().verify(0, LENGTH, 1);
        return LENGTH + " octets received";
    }

    private static String sendSolicited(Pair.Ends ends) {
        long receive = ends.server().postReceive(0, 16);
        long id = ends.client().nextId();
        ends.client().fill(0, 16, 2);
        ends.client().sends.send(id).from(ends.client().memory, 0, 16).solicited();
        ends.client().postAndAwait(id);
        Check.isTrue(ends.server().await(receive).isSolicited(), "the receive is not marked as solicited");
        ends.server().verify(0, 16, 2);
        return "the receive is marked";
    }

    private static String sendInvalidate(Pair.Ends ends) {
        try (MemoryRegion region = ends.server()
                .domain
                .allocate(
                        64,
                        EnumSet.of(
                                Access.LOCAL_READ,
                                Access.LOCAL_WRITE,
                                Access.REMOTE_WRITE,
                                Access.REMOTE_INVALIDATE))) {
            int stag = region.stag();
            long receive = ends.server().postReceive(0, 16);
            long id = ends.client().nextId();
            ends.client().fill(0, 16, 3);
            ends.client().sends.sendInvalidate(id, stag).from(ends.client().memory, 0, 16);
            ends.client().postAndAwait(id);
            Check.equal(
                    "invalidated STag",
                    OptionalInt.of(stag),
                    ends.server().await(receive).invalidatedStag());
            Check.isTrue(!region.isValid(), "the region is still valid");
            ends.server().verify(0, 16, 3);
            return "STag 0x" + HexFormat.of().toHexDigits(stag) + " is not valid any more";
        }
    }

    private static String sendInline(Pair.Ends ends) {
        long receive = ends.server().postReceive(0, INLINE);
        long id = ends.client().nextId();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment payload = arena.allocate(INLINE);
            Peer.fill(payload, 0, INLINE, 4);
            ends.client().sends.send(id).inline(payload);
            payload.fill((byte) 0); // taken already
            ends.client().postAndAwait(id);
        }
        ends.server().await(receive);
        ends.server().verify(0, INLINE, 4);
        return INLINE + " octets from memory that is not registered";
    }

    private static String writeImmediate(Pair.Ends ends) {
        Peer server = ends.server();
        long receive = server.postReceive(0, 16);
        long id = ends.client().nextId();
        ends.client().fill(0, LENGTH, 5);
        ends.client()
                .sends
                .writeImmediate(id, server.memory.stag(), server.memory.remoteOffset(10_000), IMMEDIATE)
                .from(ends.client().memory, 0, LENGTH);
        ends.client().postAndAwait(id);
        Completion completion = server.await(receive);
        Check.equal("operation", Operation.RECEIVE_IMMEDIATE, completion.operation());
        Check.equal("immediate data", OptionalLong.of(IMMEDIATE), completion.immediate());
        server.verify(10_000, LENGTH, 5);
        return LENGTH + " octets written, then the receive completed";
    }

    private static String immediate(Pair.Ends ends) {
        long receive = ends.server().postReceive(0, 16);
        long id = ends.client().nextId();
        ends.client().sends.immediate(id, ~IMMEDIATE);
        ends.client().postAndAwait(id);
        Check.equal(
                "immediate data",
                OptionalLong.of(~IMMEDIATE),
                ends.server().await(receive).immediate());
        return "8 octets in the completion";
    }
}
