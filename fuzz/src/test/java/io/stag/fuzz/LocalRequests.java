package io.stag.fuzz;

import io.stag.fuzz.Posted.Piece;
import io.stag.fuzz.World.Area;
import io.stag.rnic.memory.Rights;
import io.stag.rnic.memory.SoftMemoryRegion;
import io.stag.rnic.memory.SoftMemoryWindow;
import io.stag.rnic.work.SendList;
import io.stag.rnic.work.WorkKind;
import io.stag.verbs.VerbsException;
import java.util.Map;

/** Lets the fuzzer choose requests that change STags, in the send queue or at once. */
final class LocalRequests {
    private static final Area[] BINDABLE = {Area.BINDABLE, Area.EXPOSED, Area.SOURCE};
    private static final int SPARE_LENGTH = 256;

    private LocalRequests() {}

    /** Binds a window, makes the spare region valid, invalidates an STag, or reads into the spare region. */
    static void post(Endpoint endpoint, Map<Integer, Reach> remote, Input input, long id) {
        int flags = input.u8();
        switch (flags & 3) {
            case 0 -> bind(endpoint, input, id, flags);
            case 1 -> fastRegister(endpoint, input, id, flags);
            case 2 -> invalidate(endpoint, input, id, flags);
            default -> readInvalidate(endpoint, remote, input, id, flags);
        }
        endpoint.mayFail = true;
    }

    private static void bind(Endpoint endpoint, Input input, long id, int flags) {
        Registry registry = endpoint.registry;
        if (!registry.hasKeys()) {
            return;
        }
        SoftMemoryWindow window = registry.windows.get(input.below(registry.windows.size()));
        Area area = input.oneOf(BINDABLE);
        int key = registry.nextKey();
        int rights = (1 + input.below(7)) * Rights.REMOTE_READ;
        int offset = input.u8();
        int length = input.u8();
        registry.reach(window.index(), key, area, offset, length, rights, true);
        endpoint.sends.bindWindow(id, window, key, registry.regions.get(area), offset, length, Rights.toSet(rights));
        finish(endpoint, new Posted(id, WorkKind.BIND, (flags & 4) == 0), flags);
    }

    private static void fastRegister(Endpoint endpoint, Input input, long id, int flags) {
        Registry registry = endpoint.registry;
        if (!registry.hasKeys()) {
            return;
        }
        SoftMemoryRegion region = registry.regions.get(Area.SPARE);
        int key = registry.nextKey();
        int rights = Rights.LOCAL_READ | Rights.LOCAL_WRITE | input.u8() & Rights.REMOTE;
        // always the same memory, for Reads that were posted before; its address may be odd
        registry.reach(region.index(), key, Area.SPARE, endpoint.spareOffset, SPARE_LENGTH, rights, true);
        endpoint.sends.fastRegister(
                id,
                region,
                key,
                endpoint.world.slice(Area.SPARE.offset() + endpoint.spareOffset, SPARE_LENGTH),
                Rights.toSet(rights));
        finish(endpoint, new Posted(id, WorkKind.FAST_REGISTER, (flags & 4) == 0), flags);
    }

    private static void invalidate(Endpoint endpoint, Input input, long id, int flags) {
        endpoint.sends.invalidate(id, Requests.stag(input, endpoint.registry.reaches));
        finish(endpoint, new Posted(id, WorkKind.INVALIDATE, (flags & 4) == 0), flags);
    }

    private static void readInvalidate(Endpoint endpoint, Map<Integer, Reach> remote, Input input, long id, int flags) {
        var request = new Posted(id, WorkKind.READ, (flags & 4) == 0);
        request.invalidate = true;
        request.remoteStag = Requests.stag(input, remote);
        request.remoteOffset = Requests.offset(input, remote.get(request.remoteStag));
        SoftMemoryRegion region = endpoint.registry.regions.get(Area.SPARE);
        int offset = input.below(128);
        int length = input.below(129);
        int worldOffset = Area.SPARE.offset() + endpoint.spareOffset + offset;
        request.pieces.add(new Piece(region, offset, worldOffset, length));
        SendList sends = endpoint.sends;
        sends.readInvalidate(id, request.remoteStag, request.remoteOffset).into(region, offset, length);
        if (!request.signaled) {
            sends.unsignaled();
        }
        endpoint.posted(request, sends.post());
    }

    /** Posts something that names memory whose arena is closed before its turn comes. */
    static void vanish(Endpoint endpoint, Map<Integer, Reach> remote, Input input, long id) {
        Piece gone = endpoint.registry.goneMemory();
        int choice = input.below(4);
        if (choice == 3) {
            if (endpoint.canPostReceive()) {
                endpoint.postReceive(id, gone);
            }
            return;
        }
        var request =
                new Posted(id, choice == 0 ? WorkKind.SEND : choice == 1 ? WorkKind.READ : WorkKind.FETCH_ADD, true);
        SendList sends = endpoint.sends;
        if (choice == 0) {
            // so long that some segments are sent before the gone memory's turn
            int length = input.u8() * 4;
            SoftMemoryRegion source = endpoint.registry.regions.get(Area.SOURCE);
            request.pieces.add(new Piece(source, 0, Area.SOURCE.offset(), length));
            sends.send(id).from(source, 0, length).from(gone.region(), 0, gone.length());
        } else {
            request.remoteStag = Requests.stag(input, remote);
            request.remoteOffset = Requests.offset(input, remote.get(request.remoteStag));
            if (choice == 1) {
                sends.read(id, request.remoteStag, request.remoteOffset).into(gone.region(), 0, gone.length());
            } else {
                sends.fetchAdd(id, request.remoteStag, request.remoteOffset, 1, 0)
                        .into(gone.region(), 0, gone.length());
            }
        }
        request.pieces.add(gone);
        endpoint.mayFail = true;
        endpoint.posted(request, sends.post());
    }

    private static void finish(Endpoint endpoint, Posted request, int flags) {
        if (!request.signaled) {
            endpoint.sends.unsignaled();
        }
        if ((flags & 8) != 0) {
            endpoint.sends.localFence();
        }
        if ((flags & 16) != 0) {
            endpoint.sends.readFence();
        }
        endpoint.posted(request, endpoint.sends.post());
    }

    /** Closes a window or the spare region at once, as the program may at any time. */
    static void close(Endpoint endpoint, Input input) {
        int choice = input.below(endpoint.registry.windows.size() + 1);
        endpoint.mayFail = true;
        try {
            if (choice < endpoint.registry.windows.size()) {
                endpoint.registry.windows.get(choice).close();
            } else {
                endpoint.registry.regions.get(Area.SPARE).close();
            }
        } catch (VerbsException e) {
            Check.that(!e.getMessage().isEmpty(), "a refusal says why");
        }
    }
}
