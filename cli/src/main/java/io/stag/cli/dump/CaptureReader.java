package io.stag.cli.dump;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/** Packets of a capture file, one after the other, without holding the file in memory. */
abstract sealed class CaptureReader permits PcapReader, PcapngReader {
    /** Longer packets do not exist; a larger number means that the file is damaged. */
    static final int MAX_PACKET = 16 << 20;

    static final int MAGIC_LENGTH = 4;

    private static final int MIN_BUFFER = 1 << 16;

    private final InputStream in;
    private long position;

    /** Octets of the file are read here before they are taken apart. */
    ByteBuffer buffer = ByteBuffer.allocate(MIN_BUFFER);

    CaptureReader(InputStream in) {
        this.in = in;
    }

    /**
     * Chooses the format by the first octets, which have already been read.
     *
     * @param magic the first four octets of the file
     * @param in the rest
     * @return the reader, or null when this is no capture file
     */
    static @Nullable CaptureReader open(byte[] magic, InputStream in) throws IOException {
        int number = ByteBuffer.wrap(magic).getInt();
        if (number == PcapngReader.SECTION_HEADER) {
            return new PcapngReader(in);
        }
        return PcapReader.isMagic(number) ? new PcapReader(number, in) : null;
    }

    /**
     * The next packet, valid until the next call.
     *
     * @return null at the end of the file
     * @throws CaptureDamaged when the file is cut off or not what it claims to be
     */
    abstract @Nullable CapturedPacket next() throws IOException;

    /**
     * Reads octets to the start of {@link #buffer}.
     *
     * @return false at the end of the file, if not a single octet was left
     */
    final boolean read(int length, ByteOrder order) throws IOException {
        if (buffer.capacity() < length) {
            buffer = ByteBuffer.allocate(Math.max(length, 2 * buffer.capacity()));
        }
        buffer.clear().order(order);
        int got = in.readNBytes(buffer.array(), 0, length);
        position += got;
        if (got == 0 && length > 0) {
            return false;
        }
        if (got < length) {
            throw new CaptureDamaged("ends in the middle of a packet", position());
        }
        buffer.limit(length);
        return true;
    }

    final void require(int length, ByteOrder order) throws IOException {
        if (!read(length, order)) {
            throw new CaptureDamaged("ends in the middle of a packet", position());
        }
    }

    final void skip(long length) throws IOException {
        try {
            in.skipNBytes(length);
        } catch (EOFException _) {
            throw new CaptureDamaged("ends in the middle of a block", position());
        }
        position += length;
    }

    /** Octets of the file that were read. */
    final long position() {
        return MAGIC_LENGTH + position;
    }

    /** The file is not what it claims to be. */
    static final class CaptureDamaged extends IOException {
        private static final long serialVersionUID = 1L;

        CaptureDamaged(String what, long position) {
            super(what + ", at octet " + position + " of the file");
        }
    }
}
