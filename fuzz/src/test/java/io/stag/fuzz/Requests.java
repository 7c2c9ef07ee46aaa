package io.stag.fuzz;

import io.stag.fuzz.Posted.Piece;
import io.stag.fuzz.World.Area;
import io.stag.rnic.work.SendList;
import io.stag.rnic.work.WorkKind;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Lets the fuzzer choose requests of the local program. They are well formed, but may name anything at the peer. */
final class Requests {
    private static final WorkKind[] KINDS = {
        WorkKind.SEND,
        WorkKind.WRITE,
        WorkKind.WRITE_IMMEDIATE,
        WorkKind.IMMEDIATE,
        WorkKind.READ,
        WorkKind.FETCH_ADD,
        WorkKind.COMPARE_SWAP
    };

    private Requests() {}

    /**
     * Posts a request.
     *
     * @param remote what the peer's STags reach
     */
    static void post(Endpoint endpoint, Map<Integer, Reach> remote, Input input, long id) {
        WorkKind kind = input.oneOf(KINDS);
        int flags = input.u8();
        var request = new Posted(id, kind, (flags & 1) == 0);
        SendList sends = endpoint.sends;
        if (kind != WorkKind.IMMEDIATE) {
            request.remoteStag = stag(input, remote);
            request.remoteOffset = offset(input, remote.get(request.remoteStag));
        }
        switch (kind) {
            case SEND -> {
                request.invalidate = (flags & 2) != 0;
                if (request.invalidate) {
                    sends.sendInvalidate(id, request.remoteStag);
                } else {
                    sends.send(id);
                }
                addSource(endpoint, request, input, flags);
            }
            case WRITE -> {
                sends.write(id, request.remoteStag, request.remoteOffset);
                addSource(endpoint, request, input, flags);
            }
            case WRITE_IMMEDIATE -> {
                request.immediate = id * 0x0101_0101_0101L;
                sends.writeImmediate(id, request.remoteStag, request.remoteOffset, request.immediate);
                addSource(endpoint, request, input, flags);
            }
            case IMMEDIATE -> {
                request.immediate = id * 0x0101_0101_0101L;
                sends.immediate(id, request.immediate);
            }
            case READ -> {
                sends.read(id, request.remoteStag, request.remoteOffset);
                addSink(endpoint, request, input, flags);
            }
            case FETCH_ADD -> sends.fetchAdd(id, request.remoteStag, request.remoteOffset, input.u8(), input.u8());
            case COMPARE_SWAP ->
                sends.compareSwap(id, request.remoteStag, request.remoteOffset, input.u8(), -1L, input.u8(), 0xFFL);
            case INVALIDATE, BIND, FAST_REGISTER -> throw new AssertionError(kind);
        }
        if (kind == WorkKind.FETCH_ADD || kind == WorkKind.COMPARE_SWAP) {
            addPiece(endpoint, request, Area.SINK, input.below(31) * 8, 8);
        }
        for (Piece piece : request.pieces) {
            if (kind.awaitsResponse()) {
                sends.into(piece.region(), piece.regionOffset(), piece.length());
            } else {
                sends.from(piece.region(), piece.regionOffset(), piece.length());
            }
        }
        decorate(sends, request, flags);
        endpoint.posted(request, sends.post());
    }

    private static void decorate(SendList sends, Posted request, int flags) {
        if (!request.signaled) {
            sends.unsignaled();
        }
        boolean completesReceive = request.kind == WorkKind.SEND
                || request.kind == WorkKind.IMMEDIATE
                || request.kind == WorkKind.WRITE_IMMEDIATE;
        if (completesReceive && (flags & 4) != 0) {
            request.solicited = true;
            sends.solicited();
        }
        if (request.kind != WorkKind.READ && (flags & 8) != 0) {
            request.readFence = true;
            sends.readFence();
        }
    }

    private static void addSource(Endpoint endpoint, Posted request, Input input, int flags) {
        if ((flags & 16) != 0) {
            request.inline = new byte[input.below(Endpoint.MAX_INLINE + 1)];
            java.util.Arrays.fill(request.inline, (byte) request.id);
            endpoint.sends.inline(MemorySegment.ofArray(request.inline));
            return;
        }
        for (int i = flags >> 6 & 3; i > 0; i--) {
            addPiece(endpoint, request, Area.SOURCE, input.u8(), input.u8() * ((flags & 32) == 0 ? 1 : 7));
        }
    }

    private static void addSink(Endpoint endpoint, Posted request, Input input, int flags) {
        for (int i = flags >> 6 & 3; i > 0; i--) {
            addPiece(endpoint, request, Area.SINK, input.below(128), input.below(129));
        }
    }

    private static void addPiece(Endpoint endpoint, Posted request, Area area, int offset, int length) {
        request.pieces.add(new Piece(endpoint.registry.regions.get(area), offset, area.offset() + offset, length));
    }

    /** Mostly one that exists. */
    static int stag(Input input, Map<Integer, Reach> remote) {
        int choice = input.u8();
        List<Integer> known = new ArrayList<>(remote.keySet());
        known.sort(null);
        if (choice < 240) {
            return known.get(choice % known.size());
        }
        int raw = choice < 248 ? known.get(choice % known.size()) ^ 1 << input.below(32) : input.u32();
        return raw == 0 ? 1 : raw;
    }

    /** Mostly one inside, often near an end. */
    static long offset(Input input, @org.jspecify.annotations.Nullable Reach reach) {
        int choice = input.u8();
        if (reach == null || choice >= 250) {
            return input.u64();
        }
        if (choice >= 240) {
            return reach.base() - 1;
        }
        return choice >= 220 ? reach.base() + reach.length() - (choice - 220) : reach.base() + choice;
    }
}
