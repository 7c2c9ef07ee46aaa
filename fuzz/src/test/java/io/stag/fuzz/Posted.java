package io.stag.fuzz;

import io.stag.rnic.memory.SoftMemoryRegion;
import io.stag.rnic.work.WorkKind;
import java.util.ArrayList;
import java.util.List;

/** A request of the local program as the models see it. */
final class Posted {
    /**
     * A piece of local memory.
     *
     * @param worldOffset where it is in the {@link World}; negative when its arena is closed and it is nowhere
     */
    record Piece(SoftMemoryRegion region, int regionOffset, int worldOffset, int length) {
        boolean isGone() {
            return worldOffset < 0;
        }
    }

    final long id;
    final WorkKind kind;
    final boolean signaled;
    final List<Piece> pieces = new ArrayList<>();
    int remoteStag;
    long remoteOffset;
    byte[] inline = new byte[0];
    boolean invalidate;
    boolean solicited;
    boolean readFence;
    long immediate;

    // a Read on its way
    int sinkStag;
    long sinkOffset;
    int msn;
    int done;

    Posted(long id, WorkKind kind, boolean signaled) {
        this.id = id;
        this.kind = kind;
        this.signaled = signaled;
    }

    int length() {
        int sum = inline.length;
        for (Piece piece : pieces) {
            sum += piece.length();
        }
        return sum;
    }

    /** Calls for each part of {@code length} octets from {@code from} on. */
    void forEach(int from, int length, PartConsumer consumer) {
        int skip = from;
        int left = length;
        int at = 0;
        for (Piece piece : pieces) {
            int step = Math.min(left, piece.length() - skip);
            if (step > 0) {
                consumer.accept(piece, skip, at, step);
                at += step;
                left -= step;
                skip = 0;
            } else {
                skip -= piece.length();
            }
        }
    }

    interface PartConsumer {
        /**
         * A part.
         *
         * @param inPiece where it begins in the piece
         * @param at where it begins in what is copied
         */
        void accept(Piece piece, int inPiece, int at, int length);
    }

    @Override
    public String toString() {
        return kind + " " + id;
    }
}
