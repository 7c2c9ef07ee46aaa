package io.stag.rnic.rdmap;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.rnic.memory.Rights;
import io.stag.rnic.memory.SoftMemoryRegion;
import io.stag.rnic.rdmap.RecordingOwner.Completion;
import io.stag.verbs.CompletionStatus;
import io.stag.verbs.Operation;
import io.stag.wire.rdmap.AtomicArithmetic;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/**
 * One side of a simulation: posts random work of every kind and knows what must come of it. No octet is written twice,
 * so what memory holds tells what was placed, once and in its place: everything, or after a failure a part of it.
 */
final class RandomWork {
    private static final int AREA = 96 * 1024;
    private static final int LONGEST = 6_000;
    private static final long RECEIVE_IDS = 1L << 32;

    private record Posted(long id, Operation operation, boolean signaled) {}

    /** A message that takes a receive: its payload, or immediate data. */
    private record Message(byte[] payload, boolean immediate, long value, boolean solicited, int invalidated) {}

    private record Piece(int offset, int length) {}

    final StreamFixture fixture;
    private final SplittableRandom random;

    /** An area of memory and what it must hold in the end. */
    private final class Area {
        final GuardedMemory memory = new GuardedMemory(AREA);
        final byte[] expected = new byte[AREA];
        final SoftMemoryRegion region;
        int used;

        Area(int rights) {
            region = fixture.register(memory, rights);
        }

        /** The next octets that nobody used, after a gap that stays as it is; or -1. */
        int take(int length) {
            int at = used + random.nextInt(4);
            if (at + length > AREA) {
                return -1;
            }
            used = at + length;
            return at;
        }

        void expect(int at, byte[] octets) {
            System.arraycopy(octets, 0, expected, at, octets.length);
        }

        /** Where something is that is neither untouched nor as expected, or -1. */
        int firstStrayOctet() {
            byte[] octets = memory.octets();
            for (int i = 0; i < AREA; i++) {
                if (octets[i] != 0 && octets[i] != expected[i]) {
                    return i;
                }
            }
            return -1;
        }
    }

    private final Area source; // sent from, and read by the peer; never changes
    private final Area target; // written by the peer
    private final Area words; // changed by the peer's atomics
    private final Area sink; // Reads and atomics bring their results here
    private final Area mailbox; // receives

    private final List<Posted> requests = new ArrayList<>();
    private final List<List<Piece>> receives = new ArrayList<>();
    private final List<Message> toPeer = new ArrayList<>();
    private RandomWork peer;
    private long nextId;

    RandomWork(StreamFixture fixture, SplittableRandom random) {
        this.fixture = fixture;
        this.random = random;
        int local = Rights.LOCAL_READ | Rights.LOCAL_WRITE;
        source = new Area(local | Rights.REMOTE_READ);
        target = new Area(local | Rights.REMOTE_READ | Rights.REMOTE_WRITE);
        words = new Area(local | Rights.REMOTE_ATOMIC | Rights.REMOTE_READ);
        sink = new Area(local);
        mailbox = new Area(local);
        random.nextBytes(source.expected);
        source.memory.put(0, source.expected);
    }

    static void connect(RandomWork one, RandomWork other) {
        one.peer = other;
        other.peer = one;
    }

    /** Posts something, or nothing if there is no room for it. */
    void post() {
        if (random.nextBoolean()) {
            postReceive();
        }
        if (canPost()) {
            postRequest();
        }
    }

    private void postReceive() {
        if (fixture.receiveQueue.size() == StreamFixture.DEPTH) {
            return;
        }
        List<Piece> pieces = new ArrayList<>();
        fixture.receives.receive(RECEIVE_IDS + receives.size());
        int left = length();
        int at = mailbox.take(left);
        while (at >= 0 && left > 0) {
            int length = pieces.size() == 7 ? left : random.nextInt(left + 1);
            fixture.receives.into(mailbox.region, at, length);
            pieces.add(new Piece(at, length));
            at += length;
            left -= length;
        }
        fixture.receives.post();
        receives.add(pieces);
    }

    boolean canPost() {
        return fixture.sendQueue.size() < StreamFixture.DEPTH;
    }

    /** A Write that the peer must refuse. */
    void postForbiddenWrite() {
        fixture.requests.write(nextId, 0, 0).from(source.region, 0, 1);
        finish(Operation.RDMA_WRITE, true);
    }

    /** Octets of the peer's receive that the next message will take, or -1 when it has posted none. */
    private int roomAtPeer() {
        return toPeer.size() < peer.receives.size()
                ? peer.receives.get(toPeer.size()).stream()
                        .mapToInt(Piece::length)
                        .sum()
                : -1;
    }

    private void postRequest() {
        switch (random.nextInt(11)) {
            case 0 -> postWrite(false);
            case 1 -> postWrite(true);
            case 2 -> postImmediate();
            case 3 -> postRead(peer.source, AREA);
            case 4 -> postRead(peer.target, peer.target.used);
            case 5 -> postFetchAdd();
            case 6 -> postCompareSwap();
            case 7 -> postLocalOperation();
            default -> postSend();
        }
    }

    private void postSend() {
        int room = roomAtPeer();
        if (room < 0) {
            return;
        }
        int length = random.nextBoolean() ? room : Math.min(room, length());
        boolean invalidate = random.nextInt(4) == 0;
        boolean solicited = random.nextInt(4) == 0;
        int stag = invalidate ? peer.disposableStag() : 0;
        if (invalidate) {
            fixture.requests.sendInvalidate(nextId, stag);
        } else {
            fixture.requests.send(nextId);
        }
        byte[] payload = addPayload(length);
        if (solicited) {
            fixture.requests.solicited();
        }
        finish(Operation.SEND, true);
        toPeer.add(new Message(payload, false, 0, solicited, stag));
    }

    private void postWrite(boolean immediate) {
        int length = length();
        if (immediate && roomAtPeer() < 0) {
            return;
        }
        int at = peer.target.take(length);
        if (at < 0) {
            return;
        }
        long value = random.nextLong();
        if (immediate) {
            fixture.requests.writeImmediate(nextId, peer.target.region.stag(), at, value);
        } else {
            fixture.requests.write(nextId, peer.target.region.stag(), at);
        }
        peer.target.expect(at, addPayload(length));
        finish(Operation.RDMA_WRITE, true);
        if (immediate) {
            toPeer.add(new Message(new byte[0], true, value, false, 0));
        }
    }

    private void postImmediate() {
        if (roomAtPeer() < 0) {
            return;
        }
        long value = random.nextLong();
        boolean solicited = random.nextBoolean();
        fixture.requests.immediate(nextId, value);
        if (solicited) {
            fixture.requests.solicited();
        }
        finish(Operation.IMMEDIATE, true);
        toPeer.add(new Message(new byte[0], true, value, solicited, 0));
    }

    /** Reads what does not change, or what an earlier Write of ours put there. */
    private void postRead(Area from, int available) {
        int length = Math.min(length(), available);
        int start = random.nextInt(available - length + 1);
        fixture.requests.read(nextId, from.region.stag(), start);
        for (int left = length, pieces = 1; left > 0; pieces++) {
            int piece = pieces == 4 ? left : random.nextInt(left + 1);
            int at = sink.take(piece);
            if (at < 0) {
                piece = 0;
                at = 0;
                left = 0;
            }
            fixture.requests.into(sink.region, at, piece);
            int done = start + length - left;
            sink.expect(at, Arrays.copyOfRange(from.expected, done, done + piece));
            left -= piece;
        }
        finish(Operation.RDMA_READ, false);
    }

    private void postFetchAdd() {
        int at = sink.take(8);
        if (at >= 0) {
            int word = 8 * random.nextInt(3);
            long add = random.nextLong();
            long mask = random.nextBoolean() ? 0 : random.nextLong();
            long original = peer.word(word);
            fixture.requests
                    .fetchAdd(nextId, peer.words.region.stag(), word, add, mask)
                    .into(sink.region, at, 8);
            sink.expect(at, octets(original));
            peer.words.expect(word, octets(AtomicArithmetic.fetchAdd(original, add, mask)));
            finish(Operation.FETCH_ADD, true);
        }
    }

    private void postCompareSwap() {
        int at = sink.take(8);
        if (at >= 0) {
            int word = 8 * random.nextInt(3);
            long original = peer.word(word);
            long compare = random.nextBoolean() ? original : random.nextLong();
            long swap = random.nextLong();
            fixture.requests
                    .compareSwap(nextId, peer.words.region.stag(), word, compare, swap)
                    .into(sink.region, at, 8);
            sink.expect(at, octets(original));
            peer.words.expect(word, octets(AtomicArithmetic.compareSwap(original, compare, -1, swap, -1)));
            finish(Operation.COMPARE_SWAP, true);
        }
    }

    private void postLocalOperation() {
        fixture.requests.invalidate(nextId, disposableStag());
        if (random.nextBoolean()) {
            fixture.requests.localFence();
        }
        finish(Operation.LOCAL_INVALIDATE, false);
    }

    private void finish(Operation operation, boolean mayBeFenced) {
        boolean signaled = random.nextInt(4) > 0;
        if (!signaled) {
            fixture.requests.unsignaled();
        }
        if (mayBeFenced && random.nextInt(8) == 0) {
            fixture.requests.readFence();
        }
        assertThat(fixture.requests.post()).isEqualTo(1);
        requests.add(new Posted(nextId++, operation, signaled));
    }

    private int length() {
        return switch (random.nextInt(4)) {
            case 0 -> 0;
            case 1 -> random.nextInt(100);
            default -> random.nextInt(LONGEST);
        };
    }

    private byte[] addPayload(int length) {
        if (length <= fixture.maxInline() && random.nextBoolean()) {
            byte[] payload = new byte[length];
            random.nextBytes(payload);
            fixture.requests.inline(MemorySegment.ofArray(payload));
            return payload;
        }
        byte[] payload = new byte[length];
        for (int done = 0, pieces = 1; done < length; pieces++) {
            int piece = pieces == 4 ? length - done : random.nextInt(length - done + 1);
            int at = random.nextInt(AREA - piece + 1);
            fixture.requests.from(source.region, at, piece);
            System.arraycopy(source.expected, at, payload, done, piece);
            done += piece;
        }
        return payload;
    }

    private int disposableStag() {
        return fixture.register(new GuardedMemory(8)).stag();
    }

    private long word(int at) {
        return ByteBuffer.wrap(words.expected).order(ByteOrder.nativeOrder()).getLong(at);
    }

    private static byte[] octets(long value) {
        return ByteBuffer.allocate(8)
                .order(ByteOrder.nativeOrder())
                .putLong(value)
                .array();
    }

    /** After a run without faults: everything happened, once, in order, and nothing else. */
    void assertEverythingDone(String replay) {
        assertThat(fixture.owner.failures).as(replay).isEmpty();
        assertThat(fixture.owner.terminates).as(replay).isEmpty();
        assertThat(fixture.stream.isQuiet()).as(replay).isTrue();
        assertThat(completions(false))
                .as(replay)
                .allMatch(completion -> completion.status() == CompletionStatus.SUCCESS);
        assertThat(completions(false))
                .as(replay)
                .extracting(Completion::id)
                .isEqualTo(requests.stream()
                        .filter(Posted::signaled)
                        .map(Posted::id)
                        .toList());
        assertThat(completions(true)).as(replay).hasSize(peer.toPeer.size());
        assertReceives(replay, completions(true));
        for (Area area : List.of(source, target, words, sink, mailbox)) {
            assertThat(Arrays.mismatch(area.memory.octets(), area.expected))
                    .as(replay)
                    .isEqualTo(-1);
        }
        assertGuards(replay);
    }

    /** After a run with a fault and a flush: what happened is a first part of it, and every request is accounted for. */
    void assertAccountedFor(String replay) {
        List<Completion> sends = completions(false);
        int good = 0;
        while (good < sends.size() && sends.get(good).status() == CompletionStatus.SUCCESS) {
            good++;
        }
        List<Completion> bad = sends.subList(good, sends.size());
        assertThat(bad).as(replay).noneMatch(completion -> completion.status() == CompletionStatus.SUCCESS);
        assertThat(bad.stream().filter(completion -> completion.status() != CompletionStatus.WR_FLUSH_ERR))
                .as("at most one request is to blame, %s", replay)
                .hasSizeLessThan(2);
        // from the first failure on every request completes, signalled or not
        long firstBad = bad.isEmpty() ? nextId : bad.getFirst().id();
        assertThat(sends)
                .as(replay)
                .extracting(Completion::id)
                .isEqualTo(requests.stream()
                        .filter(request -> request.signaled() || request.id() >= firstBad)
                        .map(Posted::id)
                        .toList());
        List<Completion> received = completions(true);
        assertThat(received).as(replay).extracting(Completion::id).isSorted().hasSize(receives.size());
        assertReceives(
                replay,
                received.stream()
                        .takeWhile(completion -> completion.status() == CompletionStatus.SUCCESS)
                        .toList());
        for (Area area : List.of(target, sink, mailbox)) {
            assertThat(area.firstStrayOctet()).as(replay).isEqualTo(-1);
        }
        assertGuards(replay);
    }

    private void assertReceives(String replay, List<Completion> received) {
        assertThat(received.size()).as(replay).isLessThanOrEqualTo(peer.toPeer.size());
        for (int i = 0; i < received.size(); i++) {
            Completion completion = received.get(i);
            Message message = peer.toPeer.get(i);
            assertThat(completion.id()).as(replay).isEqualTo(RECEIVE_IDS + i);
            assertThat(completion.length()).as(replay).isEqualTo(message.payload().length);
            assertThat(completion.hasImmediate()).as(replay).isEqualTo(message.immediate());
            assertThat(completion.immediate()).as(replay).isEqualTo(message.value());
            assertThat(completion.isSolicited()).as(replay).isEqualTo(message.solicited());
            assertThat(completion.invalidatedStag()).as(replay).isEqualTo(message.invalidated());
        }
        for (int i = 0; i < peer.toPeer.size(); i++) {
            expectInMailbox(receives.get(i), peer.toPeer.get(i).payload());
        }
    }

    private void expectInMailbox(List<Piece> pieces, byte[] payload) {
        int done = 0;
        for (Piece piece : pieces) {
            int step = Math.min(piece.length(), payload.length - done);
            mailbox.expect(piece.offset(), Arrays.copyOfRange(payload, done, done + step));
            done += step;
        }
        assertThat(done).isEqualTo(payload.length);
    }

    private void assertGuards(String replay) {
        for (Area area : List.of(source, target, words, sink, mailbox)) {
            assertThat(area.memory.guardsAreIntact()).as(replay).isTrue();
        }
    }

    private List<Completion> completions(boolean ofReceives) {
        return fixture.owner.completions.stream()
                .filter(completion -> completion.id() >= RECEIVE_IDS == ofReceives)
                .toList();
    }
}
