package io.stag.wire.mpa;

import io.stag.wire.Crc32c;
import io.stag.wire.NetworkOrder;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * A plain sender and receiver of marked streams, made from {@link Marker}, {@link Fpdu} and {@link Crc32c} alone: what
 * the engine does without copies is done here with as many as it takes.
 */
final class MarkedStream {
    /** An FPDU as a receiver sees it; positions count from the start of the stream. */
    record Received(int position, int lengthField, int wireLength, List<Mark> markers, byte[] ulpdu, String crcHex) {}

    /** A Marker. */
    record Mark(int position, int fpduPtr) {}

    private MarkedStream() {}

    static byte[] encode(int startPosition, List<byte[]> ulpdus, boolean useCrc) {
        var stream = new ByteArrayOutputStream();
        for (byte[] ulpdu : ulpdus) {
            stream.writeBytes(encodeFpdu(startPosition + stream.size(), ulpdu, useCrc));
        }
        return stream.toByteArray();
    }

    private static byte[] encodeFpdu(int fpduPosition, byte[] ulpdu, boolean useCrc) {
        int crcOffset = Fpdu.lengthWithoutMarkers(ulpdu.length) - Fpdu.CRC_LENGTH;
        byte[] plain = new byte[crcOffset];
        Fpdu.putUlpduLength(MemorySegment.ofArray(plain), 0, ulpdu.length);
        System.arraycopy(ulpdu, 0, plain, Fpdu.LENGTH_FIELD, ulpdu.length);

        byte[] wire = new byte[Marker.wireLength(fpduPosition, ulpdu.length)];
        MemorySegment out = MemorySegment.ofArray(wire);
        int at = 0;
        for (int done = 0; ; ) {
            if (Marker.isDue(fpduPosition + at)) {
                Marker.put(out, at, Marker.pointer(fpduPosition, fpduPosition + at));
                at += Marker.LENGTH;
            }
            if (done == crcOffset) {
                break;
            }
            int step = Math.min(crcOffset - done, Marker.distanceToNext(fpduPosition + at));
            System.arraycopy(plain, done, wire, at, step);
            done += step;
            at += step;
        }
        Crc32c.putWire(out, at, useCrc ? crc(out, 0, at) : 0);
        if (at + Fpdu.CRC_LENGTH != wire.length) {
            throw new AssertionError("wrote " + (at + Fpdu.CRC_LENGTH) + " of " + wire.length);
        }
        return wire;
    }

    static List<Received> decode(int startPosition, byte[] stream, boolean useCrc) {
        List<Received> received = new ArrayList<>();
        for (int at = 0; at < stream.length; ) {
            Received fpdu = decodeFpdu(startPosition + at, stream, at, useCrc);
            received.add(fpdu);
            at += fpdu.wireLength();
        }
        return received;
    }

    private static Received decodeFpdu(int fpduPosition, byte[] stream, int start, boolean useCrc) {
        MemorySegment in = MemorySegment.ofArray(stream);
        int lengthField = start + Marker.lengthFieldPosition(fpduPosition) - fpduPosition;
        int ulpduLength = Fpdu.ulpduLength(in, lengthField);
        int wireLength = Marker.wireLength(fpduPosition, ulpduLength);
        int crcAt = start + wireLength - Fpdu.CRC_LENGTH;
        if (useCrc && Crc32c.getWire(in, crcAt) != crc(in, start, crcAt - start)) {
            throw new AssertionError("CRC of FPDU at " + start);
        }
        List<Mark> markers = new ArrayList<>();
        var ulpdu = new ByteArrayOutputStream();
        for (int at = start; at < crcAt; ) {
            int position = fpduPosition + at - start;
            if (Marker.isDue(position)) {
                int fpduPtr = Marker.fpduPtr(in, at);
                if (fpduPtr != Marker.pointer(fpduPosition, position)) {
                    throw new AssertionError("Marker at " + at + " points " + fpduPtr + " back");
                }
                markers.add(new Mark(at, fpduPtr));
                at += Marker.LENGTH;
            } else {
                int step = Math.min(crcAt - at, Marker.distanceToNext(position));
                ulpdu.write(stream, at, step);
                at += step;
            }
        }
        byte[] withLengthAndPad = ulpdu.toByteArray();
        byte[] result = new byte[ulpduLength];
        System.arraycopy(withLengthAndPad, Fpdu.LENGTH_FIELD, result, 0, ulpduLength);
        String crcHex = "%08x".formatted(in.get(NetworkOrder.U32, crcAt));
        return new Received(start, lengthField, wireLength, markers, result, crcHex);
    }

    private static int crc(MemorySegment segment, long offset, long length) {
        var crc = new Crc32c();
        crc.update(segment, offset, length);
        return crc.value();
    }
}
