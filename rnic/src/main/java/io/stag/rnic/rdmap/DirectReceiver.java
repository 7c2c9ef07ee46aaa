package io.stag.rnic.rdmap;

import io.stag.rnic.mpa.StagingBuffer;
import io.stag.wire.ddp.DdpControl;
import io.stag.wire.ddp.TaggedHeader;
import io.stag.wire.ddp.UntaggedHeader;
import io.stag.wire.mpa.Fpdu;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * Puts large payload where it belongs while it comes in, without staging. Only without CRC: with it, a damaged header must
 * not steer octets into somebody's memory, so the whole FPDU is checked first. And only without markers, which would have
 * to be taken out.
 *
 * <p>Before each read the driver asks for {@link #target}. If there is one, octets go there first and those behind them to
 * staging; it reports them with {@link #placed} and then, as always, with {@link RdmaStream#received}.
 */
public final class DirectReceiver {
    private static final int HEADERS = Fpdu.LENGTH_FIELD + UntaggedHeader.LENGTH;

    private final RdmaStream stream;
    private final InboundSegments segments;
    private final boolean possible;
    private final DirectTarget target = new DirectTarget();
    private @Nullable PayloadTarget segment; // of the FPDU under way
    private int left; // of its payload
    private int trailer; // its pad and CRC field, as far as they have not come
    private boolean largeSeen;
    private int least = Integer.MAX_VALUE;

    DirectReceiver(RdmaStream stream, InboundSegments segments) {
        this.stream = stream;
        this.segments = segments;
        possible = !stream.settings.crc() && !stream.settings.markersReceived();
    }

    void enable(int leastPlaced) {
        least = leastPlaced;
    }

    /** True when the next FPDU is likely to be large: it pays to read its header first. */
    public boolean expectsLarge() {
        return possible && largeSeen;
    }

    void seen(int ulpdu) {
        largeSeen = ulpdu >= least;
    }

    /** True while the header of an FPDU was taken and not all of the rest. */
    public boolean isUnderWay() {
        return segment != null;
    }

    int octetsNeeded() {
        return left + trailer;
    }

    /** Where the next octets belong; null when that is behind those that {@code in} holds. */
    public @Nullable DirectTarget target(StagingBuffer in) {
        if (!possible || stream.isStopped() || (segment == null && !begin(in))) {
            return null;
        }
        PayloadTarget current = segment;
        if (current == null || left == 0) {
            return null;
        }
        return current.target(left, target) ? target : abandon();
    }

    private boolean begin(StagingBuffer in) {
        if (in.size() < HEADERS) {
            return false;
        }
        int ulpdu = Fpdu.ulpduLength(in.segment(), in.start());
        int at = in.start() + Fpdu.LENGTH_FIELD;
        if (ulpdu > Fpdu.MAX_ULPDU || Fpdu.LENGTH_FIELD + ulpdu - in.size() < least) {
            return false;
        }
        int header = DdpControl.isTagged(DdpControl.ddpControl(in.segment(), at))
                ? TaggedHeader.LENGTH
                : UntaggedHeader.LENGTH;
        stream.heard();
        PayloadTarget begun = segments.begin(in.segment(), at, ulpdu);
        if (begun == null) {
            return false;
        }
        segment = begun;
        left = ulpdu - header;
        trailer = Fpdu.pad(ulpdu) + Fpdu.CRC_LENGTH;
        seen(ulpdu);
        in.consume(Fpdu.LENGTH_FIELD + header);
        return placeStaged(begun, in);
    }

    private boolean placeStaged(PayloadTarget current, StagingBuffer in) {
        int here = Math.min(in.size(), left);
        if (here > 0) {
            if (!current.place(in.segment(), in.start(), here)) {
                abandon();
                return false;
            }
            in.consume(here);
            left -= here;
        }
        return true;
    }

    /** So many octets are where {@link #target} said. */
    public void placed(int octets) {
        VarHandle.releaseFence(); // a program may poll the memory
        PayloadTarget current = segment;
        if (current != null) {
            current.advance(octets);
            left -= octets;
        }
    }

    /** The program took the memory away that {@link #target} named. */
    public void targetGone() {
        PayloadTarget current = segment;
        if (current != null) {
            current.targetGone();
            abandon();
        }
    }

    /** Takes what staging has of the FPDU under way. @return true when that was the end of it, or of the stream */
    boolean received(StagingBuffer in) {
        PayloadTarget current = segment;
        if (current == null || !placeStaged(current, in)) {
            return true;
        }
        if (left > 0) {
            return false;
        }
        int here = Math.min(in.size(), trailer);
        in.consume(here);
        trailer -= here;
        if (trailer > 0) {
            return false;
        }
        segment = null;
        if (current.finish()) {
            stream.segmentAccepted();
        }
        return true;
    }

    private @Nullable DirectTarget abandon() {
        segment = null;
        left = 0;
        trailer = 0;
        return null;
    }
}
