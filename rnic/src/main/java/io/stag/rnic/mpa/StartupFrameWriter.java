package io.stag.rnic.mpa;

import io.stag.wire.mpa.EnhancedWord;
import io.stag.wire.mpa.MpaFrame;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/** One startup frame on its way out, in as many pieces as the driver takes it. */
final class StartupFrameWriter {
    private final byte[] octets;
    private int handedOut;

    private StartupFrameWriter(byte[] octets) {
        this.octets = octets;
    }

    static StartupFrameWriter request(
            boolean markers, boolean crc, int revision, @Nullable EnhancedWord word, byte[] privateData) {
        return frame(
                word, privateData, (frame, length) -> frame.putRequest(markers, crc, word != null, revision, length));
    }

    static StartupFrameWriter reply(
            boolean markers,
            boolean crc,
            boolean reject,
            int revision,
            @Nullable EnhancedWord word,
            byte[] privateData) {
        return frame(
                word,
                privateData,
                (frame, length) -> frame.putReply(markers, crc, reject, word != null, revision, length));
    }

    /** The most private data of the upper layer that fits beside what an enhanced frame adds. */
    static int privateDataLimit(boolean enhanced) {
        return MpaFrame.MAX_PRIVATE_DATA - (enhanced ? EnhancedWord.LENGTH : 0);
    }

    /** Copies what is left, up to {@code capacity} octets. */
    int pollTransmit(MemorySegment out, long offset, int capacity) {
        int step = Math.min(capacity, octets.length - handedOut);
        MemorySegment.copy(octets, handedOut, out, ValueLayout.JAVA_BYTE, offset, step);
        handedOut += step;
        return step;
    }

    boolean isDone() {
        return handedOut == octets.length;
    }

    private interface Header {
        void put(MpaFrame frame, int privateDataLength);
    }

    private static StartupFrameWriter frame(@Nullable EnhancedWord word, byte[] privateData, Header header) {
        int limit = privateDataLimit(word != null);
        if (privateData.length > limit) {
            throw new IllegalArgumentException("private data of " + privateData.length + " octets is above " + limit);
        }
        int wordLength = word == null ? 0 : EnhancedWord.LENGTH;
        byte[] octets = new byte[MpaFrame.HEADER_LENGTH + wordLength + privateData.length];
        MemorySegment segment = MemorySegment.ofArray(octets);
        MpaFrame frame = new MpaFrame();
        frame.wrap(segment, 0, octets.length);
        header.put(frame, wordLength + privateData.length);
        if (word != null) {
            word.put(segment, MpaFrame.HEADER_LENGTH);
        }
        System.arraycopy(privateData, 0, octets, MpaFrame.HEADER_LENGTH + wordLength, privateData.length);
        return new StartupFrameWriter(octets);
    }
}
