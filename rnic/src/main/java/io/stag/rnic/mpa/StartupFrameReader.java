package io.stag.rnic.mpa;

import static io.stag.rnic.mpa.StartupErrors.FRAME;

import io.stag.verbs.ErrorDetail;
import io.stag.wire.mpa.EnhancedWord;
import io.stag.wire.mpa.MpaFrame;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Collects one startup frame, however TCP cuts it, and checks it as early as a cut-independent result allows: "MPA "
 * after 4 octets, so that a peer of another protocol is found out even when it sends less than a frame, the key after
 * 16, the rest of the header after 20.
 */
final class StartupFrameReader {
    /** Which frame is due. */
    enum Due {
        REQUEST,
        REPLY;

        /** Article and name, for messages. */
        String text() {
            return this == REQUEST ? "an MPA Request" : "an MPA Reply";
        }
    }

    /** What else the role asks of a header whose key is right. */
    interface HeaderCheck {
        /** Returns what is wrong, or null. */
        @Nullable
        ErrorDetail check(MpaFrame header);
    }

    private enum Stage {
        KEY_START,
        KEY,
        HEADER,
        PRIVATE_DATA,
        COMPLETE,
        BROKEN
    }

    private static final int KEY_START_LENGTH = 4;
    private static final int KEY_LENGTH = 16;
    private static final byte[] KEY_START = {'M', 'P', 'A', ' '};

    private final Due due;
    private final HeaderCheck headerCheck;
    private final byte[] octets = new byte[MpaFrame.HEADER_LENGTH + MpaFrame.MAX_PRIVATE_DATA];
    private final MpaFrame frame = new MpaFrame();
    private Stage stage = Stage.KEY_START;
    private int received;
    private @Nullable ErrorDetail error;

    StartupFrameReader(Due due, HeaderCheck headerCheck) {
        this.due = due;
        this.headerCheck = headerCheck;
        frame.wrap(MemorySegment.ofArray(octets), 0, octets.length);
    }

    /** Takes octets up to the end of the frame, or up to where it is found broken. */
    int handleOctets(MemorySegment in, long offset, int length) {
        int taken = 0;
        while (taken < length && needed() > 0) {
            int step = Math.min(needed(), length - taken);
            MemorySegment.copy(in, ValueLayout.JAVA_BYTE, offset + taken, octets, received, step);
            received += step;
            taken += step;
            while (needed() == 0 && stage != Stage.COMPLETE && stage != Stage.BROKEN) {
                advance();
            }
        }
        return taken;
    }

    boolean isComplete() {
        return stage == Stage.COMPLETE;
    }

    /** Why the frame is broken; null while it is not. */
    @Nullable
    ErrorDetail error() {
        return error;
    }

    int received() {
        return received;
    }

    /** What has come so far, for messages: a count when it looks like the frame, else the octets. */
    String progress() {
        if (received == 0) {
            return "not one octet of it";
        }
        if (stage == Stage.KEY_START) {
            return "only " + StartupErrors.excerpt(octets, received);
        }
        return "only " + received + " of its octets";
    }

    /** The header; complete only after the stage KEY, private data only when {@link #isComplete()}. */
    MpaFrame frame() {
        return frame;
    }

    /** Whether the private data begins with an enhanced word; under revision 1 the flag is a reserved bit. */
    boolean isEnhanced() {
        return isEnhanced(frame);
    }

    static boolean isEnhanced(MpaFrame header) {
        return header.revision() >= 2 && header.enhanced();
    }

    EnhancedWord enhancedWord() {
        return EnhancedWord.read(MemorySegment.ofArray(octets), MpaFrame.HEADER_LENGTH);
    }

    /** The private data of the upper layer, without the enhanced word; a copy. */
    byte[] privateData() {
        int start = MpaFrame.HEADER_LENGTH + (isEnhanced() ? EnhancedWord.LENGTH : 0);
        return Arrays.copyOfRange(octets, start, MpaFrame.HEADER_LENGTH + frame.privateDataLength());
    }

    private int needed() {
        return switch (stage) {
            case KEY_START -> KEY_START_LENGTH - received;
            case KEY -> KEY_LENGTH - received;
            case HEADER -> MpaFrame.HEADER_LENGTH - received;
            case PRIVATE_DATA -> MpaFrame.HEADER_LENGTH + frame.privateDataLength() - received;
            case COMPLETE, BROKEN -> 0;
        };
    }

    private void advance() {
        switch (stage) {
            case KEY_START -> become(Stage.KEY, checkKeyStart());
            case KEY -> become(Stage.HEADER, checkKey());
            case HEADER -> become(Stage.PRIVATE_DATA, checkHeader());
            case PRIVATE_DATA -> become(Stage.COMPLETE, null);
            case COMPLETE, BROKEN -> throw new IllegalStateException(stage.toString());
        }
    }

    private void become(Stage next, @Nullable ErrorDetail found) {
        stage = found == null ? next : Stage.BROKEN;
        error = found;
    }

    private @Nullable ErrorDetail checkKeyStart() {
        boolean right = Arrays.equals(octets, 0, KEY_START_LENGTH, KEY_START, 0, KEY_START_LENGTH);
        return right ? null : StartupErrors.foreignProtocol(octets, KEY_START_LENGTH, due);
    }

    private @Nullable ErrorDetail checkKey() {
        boolean request = frame.isRequestKey();
        boolean reply = frame.isReplyKey();
        return switch (due) {
            case REQUEST -> request ? null : reply ? StartupErrors.replyInsteadOfRequest() : wrongKey();
            case REPLY -> reply ? null : request ? StartupErrors.bothInitiators() : wrongKey();
        };
    }

    private ErrorDetail wrongKey() {
        return StartupErrors.foreignProtocol(octets, KEY_LENGTH, due);
    }

    private @Nullable ErrorDetail checkHeader() {
        ErrorDetail found = headerCheck.check(frame);
        if (found != null) {
            return found;
        }
        int length = frame.privateDataLength();
        if (length > MpaFrame.MAX_PRIVATE_DATA) {
            return StartupErrors.mpa(
                    FRAME, "PD_Length " + length + " is above the " + MpaFrame.MAX_PRIVATE_DATA + " octets allowed");
        }
        if (isEnhanced() && length < EnhancedWord.LENGTH) {
            return StartupErrors.mpa(
                    StartupErrors.ENHANCED_FRAME,
                    "S=1 promises the 4 octets of IRD and ORD, but PD_Length is " + length);
        }
        return null;
    }
}
