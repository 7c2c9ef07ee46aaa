package io.stag.wire;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * CRC32C of an FPDU (RFC 5044, section 4.4). One instance per agent, reset per FPDU.
 *
 * <p>On the wire the field has its least significant octet first, unlike every other field of iWARP: that is the order
 * of RFC 3720, section 12.1, once its reversed bit numbering is taken into account.
 */
public final class Crc32c {
    /** Octets of the field on the wire. */
    public static final int LENGTH = 4;

    /** Octets copied at a time; stays in the first-level cache with room for its source. */
    private static final int SCRATCH_LENGTH = 8192;

    /**
     * Octets that the JDK's code for AVX-512 takes at a time. It is slow with what is left behind them, but fast with as
     * many octets alone: in two calls 1,444 octets, as in a segment of Ethernet, take 50 instead of 59 ns (JDK 25).
     */
    private static final int BLOCK = 256;

    private static final ValueLayout.OfInt WIRE = ValueLayout.JAVA_INT_UNALIGNED.withOrder(LITTLE_ENDIAN);

    private final CRC32C crc = new CRC32C();
    private @Nullable ByteBuffer scratch; // only for those who pass segments
    private @Nullable MemorySegment scratchSegment;

    /** Creates a CRC over nothing. */
    public Crc32c() {}

    /** Begins a new CRC. */
    public void reset() {
        crc.reset();
    }

    /**
     * Adds a range of a buffer, wherever its position and limit are; they are left at the end of the range. To put them back would
     * take as long as the CRC of a small frame.
     *
     * @param buffer a direct buffer
     * @param position absolute index of the first octet
     * @param length octets to add
     */
    public void update(ByteBuffer buffer, int position, int length) {
        Objects.checkFromIndexSize(position, length, buffer.capacity());
        buffer.limit(position + length).position(position);
        int rest = length & BLOCK - 1;
        if (rest > BLOCK / 2 && length > BLOCK) {
            buffer.limit(position + length - rest);
            crc.update(buffer);
            buffer.limit(position + length);
        }
        crc.update(buffer);
    }

    /**
     * Adds a range of a segment of any kind and size. Where a direct buffer over the memory exists, prefer
     * {@link #update(ByteBuffer, int, int)}.
     *
     * @param segment where the octets are
     * @param offset offset of the first octet
     * @param length octets to add
     */
    public void update(MemorySegment segment, long offset, long length) {
        Objects.checkFromIndexSize(offset, length, segment.byteSize());
        // CRC32C takes no segments, and a ByteBuffer view per call costs about 100 octets of heap as soon as more than
        // one kind of segment has been seen. A copy through the cache is cheaper than that garbage.
        ByteBuffer buffer = scratch;
        MemorySegment copy = scratchSegment;
        if (buffer == null || copy == null) {
            buffer = ByteBuffer.allocateDirect(SCRATCH_LENGTH);
            copy = MemorySegment.ofBuffer(buffer);
            scratch = buffer;
            scratchSegment = copy;
        }
        for (long done = 0; done < length; ) {
            int step = (int) Math.min(length - done, SCRATCH_LENGTH);
            MemorySegment.copy(segment, offset + done, copy, 0, step);
            crc.update(buffer.limit(step).position(0));
            done += step;
        }
    }

    /**
     * The CRC of everything added since the last reset.
     *
     * @return the value as {@link CRC32C} defines it
     */
    public int value() {
        return (int) crc.getValue();
    }

    /**
     * Writes a CRC field.
     *
     * @param segment where to write
     * @param offset offset of the field
     * @param value what {@link #value()} gave
     */
    public static void putWire(MemorySegment segment, long offset, int value) {
        segment.set(WIRE, offset, value);
    }

    /**
     * Reads a CRC field.
     *
     * @param segment where to read
     * @param offset offset of the field
     * @return the value, comparable with {@link #value()}
     */
    public static int getWire(MemorySegment segment, long offset) {
        return segment.get(WIRE, offset);
    }
}
