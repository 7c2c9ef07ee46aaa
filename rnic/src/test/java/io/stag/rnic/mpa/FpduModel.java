package io.stag.rnic.mpa;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.zip.CRC32C;

/** Framing done the slow and obvious way, four octets at a time (RFC 5044, sections 4.1 to 4.4), to compare with. */
final class FpduModel {
    private static final int GROUP = 4;

    private FpduModel() {}

    static byte[] encode(int startPosition, List<byte[]> ulpdus, boolean crc, boolean markers) {
        var stream = new ByteArrayOutputStream();
        for (byte[] ulpdu : ulpdus) {
            stream.writeBytes(fpdu(startPosition + stream.size(), ulpdu, new byte[3], crc, markers));
        }
        return stream.toByteArray();
    }

    /** One FPDU, with the first octets of {@code pad} as its pad. */
    static byte[] fpdu(int position, byte[] ulpdu, byte[] pad, boolean crc, boolean markers) {
        var plain = new ByteArrayOutputStream();
        plain.write(ulpdu.length >>> 8);
        plain.write(ulpdu.length);
        plain.writeBytes(ulpdu);
        for (int i = 0; plain.size() % GROUP != 0; i++) {
            plain.write(pad[i]);
        }
        byte[] groups = plain.toByteArray();
        var wire = new ByteArrayOutputStream();
        int lengthFieldAt = -1;
        for (int at = 0; ; at += GROUP) {
            if (markers && (position + wire.size()) % 512 == 0) {
                int pointer = lengthFieldAt < 0 ? 0 : wire.size() - lengthFieldAt;
                wire.writeBytes(new byte[] {0, 0, (byte) (pointer >>> 8), (byte) pointer});
            }
            if (at == groups.length) {
                break;
            }
            if (at == 0) {
                lengthFieldAt = wire.size();
            }
            wire.write(groups, at, GROUP);
        }
        wire.writeBytes(crc ? crcOf(wire.toByteArray()) : new byte[GROUP]);
        return wire.toByteArray();
    }

    static byte[] crcOf(byte[] covered) {
        var crc = new CRC32C();
        crc.update(covered);
        return ByteBuffer.allocate(GROUP)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt((int) crc.getValue())
                .array();
    }

    /** Makes the CRC of a single FPDU right again after some of its octets were changed. */
    static byte[] withGoodCrc(byte[] fpdu) {
        byte[] covered = Arrays.copyOf(fpdu, fpdu.length - GROUP);
        byte[] mended = Arrays.copyOf(fpdu, fpdu.length);
        System.arraycopy(crcOf(covered), 0, mended, covered.length, GROUP);
        return mended;
    }

    /** Some ULPDUs, all small or of any size. */
    static List<byte[]> randomUlpdus(SplittableRandom random) {
        int largest = random.nextBoolean() ? 60 : 3_000;
        List<byte[]> ulpdus = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            byte[] ulpdu = new byte[1 + random.nextInt(largest)];
            random.nextBytes(ulpdu);
            ulpdus.add(ulpdu);
        }
        return ulpdus;
    }

    /** The start of a stream, or a multiple of 4 less than the octets of {@link #randomUlpdus} below 2^32. */
    static int randomStart(SplittableRandom random) {
        return random.nextInt(4) == 0 ? 0 : -4 * random.nextInt(600);
    }
}
