package io.stag.fuzz;

import io.stag.rnic.work.WorkKind;
import java.util.Arrays;

/** Lets the fuzzer choose a segment field by field. Without special wishes it is the one that the engine waits for. */
final class HostilePeer {
    /** Opcodes that get something done come more often. */
    private static final int[] OPCODES = {
        Segment.WRITE,
        Segment.READ,
        Segment.READ_RESPONSE,
        Segment.SEND,
        4,
        5,
        Segment.SEND_SE_INVALIDATE,
        Segment.TERMINATE,
        Segment.IMMEDIATE_DATA,
        Segment.IMMEDIATE_DATA_SE,
        Segment.ATOMIC,
        Segment.ATOMIC_ANSWER,
        12,
        15
    };

    private HostilePeer() {}

    static Segment segment(Endpoint endpoint, Input input) {
        int opcode = OPCODES[input.below(OPCODES.length)];
        int quirks = input.u8();
        boolean tagged = opcode == Segment.WRITE || opcode == Segment.READ_RESPONSE;
        // quirks: 1 not the last; from 192 on one field is wrong
        int wrong = quirks < 192 ? 0 : 1 + (quirks >> 1) % 6;
        int control = (tagged != (wrong == 1) ? 0x80 : 0) | ((quirks & 1) == 0 ? 0x40 : 0) | (wrong == 2 ? 2 : 1);
        int rdmapControl = (wrong == 3 ? 0x80 : 0x40) | opcode;
        return (control & 0x80) != 0
                ? tagged(endpoint, input, control, rdmapControl, opcode, wrong)
                : untagged(endpoint, input, control, rdmapControl, opcode, wrong);
    }

    private static Segment tagged(
            Endpoint endpoint, Input input, int control, int rdmapControl, int opcode, int wrong) {
        Posted read = endpoint.receiver.outstanding.peek();
        if (opcode == Segment.READ_RESPONSE && wrong == 0 && read != null) {
            int left = read.kind == WorkKind.READ ? read.length() - read.done : 8;
            int length = Math.min(left, 1 + input.u8());
            return Segment.tagged(
                    length == left ? control | 0x40 : control & ~0x40,
                    rdmapControl,
                    read.sinkStag,
                    read.sinkOffset + read.done,
                    payload(input, length));
        }
        int stag = Requests.stag(input, endpoint.registry.reaches);
        long offset = Requests.offset(input, endpoint.registry.reaches.get(stag));
        return Segment.tagged(control, rdmapControl, stag, offset, payload(input, length(input)));
    }

    private static Segment untagged(
            Endpoint endpoint, Input input, int control, int rdmapControl, int opcode, int wrong) {
        int queue = Math.max(0, Segment.queueOf(opcode)) + (wrong == 4 ? 1 + input.u8() : 0);
        int msn = endpoint.receiver.nextMsn(queue) + (wrong == 5 ? (byte) input.u8() : 0);
        int messageOffset = queue == 0 && opcode <= Segment.SEND_SE_INVALIDATE ? endpoint.receiver.messageOffset() : 0;
        if (wrong == 6) {
            messageOffset += (byte) input.u8();
        }
        int invalidated = opcode == 4 || opcode == 6 ? Requests.stag(input, endpoint.registry.reaches) : 0;
        byte[] payload = switch (opcode) {
            case Segment.READ -> readRequest(endpoint, input);
            case Segment.ATOMIC -> atomicRequest(endpoint, input);
            case Segment.ATOMIC_ANSWER -> atomicResponse(endpoint, input);
            case Segment.IMMEDIATE_DATA, Segment.IMMEDIATE_DATA_SE -> payload(input, 8);
            case Segment.TERMINATE -> input.octets(input.below(60));
            default -> payload(input, length(input));
        };
        if (wrong == 1) {
            payload = Arrays.copyOf(payload, input.u8());
        }
        return Segment.untagged(control, rdmapControl, invalidated, queue, msn, messageOffset, payload);
    }

    private static byte[] readRequest(Endpoint endpoint, Input input) {
        int stag = Requests.stag(input, endpoint.registry.reaches);
        long offset = Requests.offset(input, endpoint.registry.reaches.get(stag));
        int choice = input.u8();
        int size = choice < 250 ? choice : input.u32();
        return Segment.readRequest(0x7777_0001, 0x1000, size, stag, offset);
    }

    private static byte[] atomicRequest(Endpoint endpoint, Input input) {
        int stag = Requests.stag(input, endpoint.registry.reaches);
        long offset = Requests.offset(input, endpoint.registry.reaches.get(stag));
        int flags = input.u8();
        if ((flags & 8) == 0) {
            offset &= ~7L;
        }
        int operation = (flags & 4) == 0 ? flags & 2 : flags >> 4;
        return Segment.atomicRequest(
                operation, flags, stag, offset, input.u8() * 0x0101L, input.u16(), input.u8(), input.u8());
    }

    private static byte[] atomicResponse(Endpoint endpoint, Input input) {
        Posted oldest = endpoint.receiver.outstanding.peek();
        int id = (oldest == null ? 0 : oldest.sinkStag) + (input.u8() == 255 ? 1 : 0);
        return Segment.atomicResponse(id, input.u8() * 0x1_0001_0001L);
    }

    private static int length(Input input) {
        int choice = input.u8();
        return choice < 250 ? choice : input.u16();
    }

    private static byte[] payload(Input input, int length) {
        byte[] payload = new byte[length];
        Arrays.fill(payload, (byte) input.u8());
        return payload;
    }
}
