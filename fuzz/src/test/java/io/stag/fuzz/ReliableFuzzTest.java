package io.stag.fuzz;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.stag.rnic.datagram.DatagramAddress;
import io.stag.wire.Crc32c;
import io.stag.wire.datagram.DatagramPrefix;
import io.stag.wire.datagram.ReliableHeader;
import io.stag.wire.ddp.TaggedHeader;
import io.stag.wire.ddp.UntaggedHeader;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * Two reliable datagram queue pairs, their programs, time, and a network that loses, repeats, delays and reorders, lets them be
 * made anew, and lies. Whatever happens: nothing is written outside of what was granted, peers are bounded, requests and receives
 * complete once. Without lies: a message is taken once and in order by each life, what is complete was taken, and when the
 * network calms down everything comes to an end.
 *
 * <p>Input: steps, each an octet that chooses it; see {@link Step}.
 */
class ReliableFuzzTest {
    private static final int MOST_STEPS = 600;
    private static final int MOST_ON_THE_WAY = 64;
    private static final int MOST_LIVES = 8;
    private static final int MOST_ROUNDS = 20_000;
    private static final long MILLISECOND = 1_000_000;
    private static final long SECOND = 1_000 * MILLISECOND;

    /** Shorter than RD-014 allows: the steps of the clock are coarse. */
    private static final long LIFETIME = 15 * SECOND;

    enum Step {
        /** End, length. */
        RECEIVE,
        /** End, length. */
        SEND,
        /** End. */
        IMMEDIATE,
        /** End, kind of memory, place, length; with immediate data if the place is odd. */
        WRITE,
        /** End, kind of memory, place, length. */
        READ,
        /** End, kind of memory. */
        ADD,
        /** End, datagrams that the port takes. */
        FLUSH,
        /** Which. */
        DELIVER,
        /** Which. */
        REPEAT,
        /** Which. */
        LOSE,
        /** End. */
        ACKNOWLEDGE,
        /** Microseconds, as a power of two. */
        PASS,
        /** End. */
        RESET,
        /** End. */
        RESTART,
        /** Which, octet, value; the CRC is set right. */
        SPOIL,
        /** End, source, fields of a datagram. */
        FORGE,
        /** End, source, length, octets. */
        RAW
    }

    /** A datagram on its way. */
    private record Datagram(byte[] octets, int to, long sent) {}

    /** The two ends and all that is between them. */
    private static final class Scene {
        final ReliableEnd[] ends = {new ReliableEnd(0, 1), new ReliableEnd(1, 1)};
        final List<List<ReliableEnd>> lives = List.of(new ArrayList<>(), new ArrayList<>());
        final List<Datagram> onTheWay = new ArrayList<>();
        long now = 1_000 * SECOND;

        Scene() {
            lives.get(0).add(ends[0]);
            lives.get(1).add(ends[1]);
            introduce();
        }

        private void introduce() {
            for (int i = 0; i < 2; i++) {
                ReliableEnd[] others = lives.get(1 - i).toArray(ReliableEnd[]::new);
                lives.get(i).forEach(end -> end.knows(others));
            }
        }

        void restart(int index) {
            int life = lives.get(index).size() + 1;
            if (life <= MOST_LIVES) {
                ends[index].checkMemory();
                ends[index] = new ReliableEnd(index, life);
                lives.get(index).add(ends[index]);
                introduce();
            }
        }

        void send(ReliableEnd from, DatagramAddress to, byte[] octets) {
            boolean isPeer = to.port() == 7174 && to.low() == DatagramAddress.ipv4Low(0x0A00_0002 - from.index);
            if (isPeer) {
                if (onTheWay.size() == MOST_ON_THE_WAY) {
                    onTheWay.removeFirst();
                }
                onTheWay.add(new Datagram(octets, 1 - from.index, now));
            }
        }

        void deliver(Datagram datagram) {
            if (now - datagram.sent < LIFETIME) {
                ends[datagram.to].arrive(datagram.octets, 2 - datagram.to, 7174, now);
            }
        }

        void pass(long nanos) {
            now += nanos;
            for (ReliableEnd end : ends) {
                if (end.engine.nextDeadline() <= now) {
                    end.engine.handleTimeout(now);
                }
            }
        }

        boolean isQuiet() {
            return ends[0].isQuiet() && ends[1].isQuiet();
        }

        void distrust() {
            lives.forEach(all -> all.forEach(ReliableEnd::distrust));
        }
    }

    @FuzzTest
    void keepsItsPromises(byte[] data) {
        var input = new Input(data);
        var scene = new Scene();
        boolean lies = false;
        boolean restarts = false;
        for (int i = 0; i < MOST_STEPS && !input.isEmpty(); i++) {
            Step step = input.oneOf(Step.values());
            switch (step) {
                case DELIVER, REPEAT, LOSE, SPOIL -> lies |= handleDatagram(step, scene, input, lies);
                case PASS -> scene.pass(1_000L << input.below(26));
                default -> {
                    int index = input.below(2);
                    if (step == Step.FORGE || step == Step.RAW) {
                        lies = true;
                        scene.distrust();
                    }
                    restarts |= step == Step.RESTART;
                    handleEnd(step, scene, index, input);
                }
            }
            if (lies) {
                scene.distrust(); // those that were made since, too
            }
        }
        calmDown(scene, lies);
        for (ReliableEnd end : scene.ends) {
            end.checkMemory();
        }
        if (!lies && !restarts) {
            for (ReliableEnd end : scene.ends) {
                long value = scene.ends[1 - end.index].counterValue();
                Check.that(
                        value >= end.atomicsDone && value <= end.atomicsPosted,
                        "atomics are carried out once: " + value + ", complete are " + end.atomicsDone);
            }
        }
    }

    private static boolean handleDatagram(Step step, Scene scene, Input input, boolean lies) {
        if (scene.onTheWay.isEmpty()) {
            return false;
        }
        int which = input.below(scene.onTheWay.size());
        Datagram datagram = step == Step.REPEAT ? scene.onTheWay.get(which) : scene.onTheWay.remove(which);
        if (step == Step.SPOIL) {
            scene.distrust();
            byte[] octets = datagram.octets.clone();
            octets[input.below(octets.length)] = (byte) input.u8();
            scene.deliver(new Datagram(DatagramFuzzTest.repaired(octets), datagram.to, datagram.sent));
            return true;
        }
        if (step != Step.LOSE) {
            scene.deliver(datagram);
        }
        return lies;
    }

    private static void handleEnd(Step step, Scene scene, int index, Input input) {
        ReliableEnd end = scene.ends[index];
        ReliableEnd other = scene.ends[1 - index];
        switch (step) {
            case RECEIVE -> end.postReceive(input.flag() ? ReliableEnd.MAX_MESSAGE : input.u8());
            case SEND -> end.postSend(input.u8());
            case IMMEDIATE -> end.postImmediate();
            case WRITE -> {
                int stag = stag(other, input);
                int place = input.u16() % 1100;
                end.postWrite(stag, place, input.u8(), (place & 1) != 0);
            }
            case READ -> end.postRead(stag(other, input), input.u16() % 1100, input.u8());
            case ADD -> end.postAdd(input.below(8) == 0 ? stag(other, input) : other.counter.stag());
            case FLUSH -> end.flush(scene::send, input.below(9) == 0 ? input.u8() : Integer.MAX_VALUE, scene.now);
            case ACKNOWLEDGE -> end.engine.acknowledge();
            case RESET -> end.engine.reset();
            case RESTART -> scene.restart(index);
            case FORGE -> end.arrive(forge(end, other, input), host(input), 7174 + input.below(3), scene.now);
            case RAW -> end.arrive(DatagramFuzzTest.repaired(input.octets(input.u8())), host(input), 7174, scene.now);
            case DELIVER, REPEAT, LOSE, PASS, SPOIL -> throw new IllegalStateException(step.toString());
        }
    }

    private static int stag(ReliableEnd end, Input input) {
        return switch (input.below(8)) {
            case 0 -> end.readOnly.stag();
            case 1 -> end.foreign.stag();
            case 2 -> end.counter.stag() + 1;
            default -> end.shared.stag();
        };
    }

    private static int host(Input input) {
        return 1 + input.below(4);
    }

    /** A datagram whose fields are mostly near those that would be right. */
    private static byte[] forge(ReliableEnd end, ReliableEnd other, Input input) {
        int[] epochs = {other.epoch, 0, 77, 78, 79, 80, 81, 82, 83, 84};
        int[] meant = {end.epoch, 0, end.epoch - 1};
        int kind = DatagramPrefix.DATA + input.below(3);
        byte[] room = new byte[512];
        MemorySegment out = MemorySegment.ofArray(room);
        var header = new ReliableHeader();
        header.wrap(out, 0, room.length);
        header.put(
                kind,
                input.below(8),
                input.u8(),
                epochs[input.below(epochs.length)],
                input.below(16) == 0 ? input.u32() : input.below(8),
                meant[input.below(meant.length)],
                input.below(16) == 0 ? input.u32() : input.below(12),
                input.below(8),
                input.below(16) == 0 ? input.u32() : input.below(12),
                input.u8(),
                input.u8());
        int length = ReliableHeader.LENGTH;
        if (kind == DatagramPrefix.ACKNOWLEDGEMENT) {
            int words = input.below(4);
            length = header.putAcknowledgement(input.u8(), words);
            for (int i = 0; i < words; i++) {
                header.putWord(i, input.u16());
            }
        } else if (kind == DatagramPrefix.DATA) {
            length = forgeSegment(out, end, input);
        }
        byte[] datagram = new byte[length + Crc32c.LENGTH];
        System.arraycopy(room, 0, datagram, 0, length);
        return DatagramFuzzTest.repaired(datagram);
    }

    private static int forgeSegment(MemorySegment out, ReliableEnd end, Input input) {
        int at = ReliableHeader.LENGTH;
        int opcode = input.below(12);
        boolean last = input.flag();
        if (opcode == 0 || opcode == 2) {
            var tagged = new TaggedHeader();
            tagged.wrap(out, at);
            tagged.put(last, 0x40 | opcode, stag(end, input), input.u16() % 1100);
            at += TaggedHeader.LENGTH;
        } else {
            int[] queues = {0, 1, 0, 0, 0, 0, 0, 2, 0, 0, 1, 3};
            var untagged = new UntaggedHeader();
            untagged.wrap(out, at);
            untagged.put(last, 0x40 | opcode, stag(end, input), queues[opcode], input.below(6), input.below(3) * 64);
            at += UntaggedHeader.LENGTH;
        }
        byte[] payload =
                input.octets(input.below(2) == 0 ? new int[] {0, 8, 28, 32, 52, 64}[input.below(6)] : input.u8());
        MemorySegment.copy(MemorySegment.ofArray(payload), 0, out, at, payload.length);
        return at + payload.length;
    }

    /** The network gets perfect, receives are posted: everything comes to an end. */
    private static void calmDown(Scene scene, boolean lies) {
        scene.onTheWay.clear();
        for (int round = 0; round < MOST_ROUNDS && !scene.isQuiet(); round++) {
            for (ReliableEnd each : scene.ends) {
                each.postReceive(ReliableEnd.MAX_MESSAGE);
                each.engine.acknowledge();
                each.flush(scene::send, Integer.MAX_VALUE, scene.now);
            }
            List<Datagram> all = List.copyOf(scene.onTheWay);
            scene.onTheWay.clear();
            all.forEach(scene::deliver);
            long next = Math.min(scene.ends[0].engine.nextDeadline(), scene.ends[1].engine.nextDeadline());
            scene.pass(all.isEmpty() ? Math.clamp(next - scene.now, MILLISECOND, SECOND) : MILLISECOND);
        }
        if (!lies) {
            Check.that(scene.isQuiet(), "requests that neither complete nor fail");
        }
    }
}
