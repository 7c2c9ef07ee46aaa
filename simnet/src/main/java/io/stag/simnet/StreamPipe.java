package io.stag.simnet;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * One direction of a connection. Octets are numbered from 0. What was written is cut into pieces, each of which arrives
 * by one event; arrival times never go back, so the order holds.
 */
final class StreamPipe {
    /** What becomes of octets written now. */
    private enum Fate {
        CARRIED,
        LOST,
        SILENCED
    }

    /** Octets that arrive together. Grows while it is under way, when others join it. */
    private static final class Piece {
        private int length;
        private boolean endsRead;
    }

    private final SimNetwork network;
    private final SimStream sender;
    private final SimStream receiver;
    private final SplittableRandom random;
    private final FaultCounts counts = new FaultCounts();
    private final ArrayDeque<Piece> underWay = new ArrayDeque<>();
    /** Positions that no read passes. */
    private final ArrayDeque<Long> cuts = new ArrayDeque<>();

    private StreamFaults faults;
    private Fate fate = Fate.CARRIED;
    private byte[] ring = new byte[0];
    private long written; // taken from the sender, with those that get lost
    private long carried; // put into the ring
    private long arrived; // may be read
    private long read;
    private long credited; // reads that the sender has heard of
    private long silenced; // occupy the window for ever
    private long nextCorrupt;
    private long lastArrivalNanos;
    private boolean creditUnderWay;
    private boolean endSent;
    private boolean endArrived;
    private boolean stopped;
    private byte[] capture = new byte[0];
    private int capturedOctets;

    StreamPipe(SimNetwork network, SimStream sender, SimStream receiver, SplittableRandom random, StreamFaults faults) {
        this.network = network;
        this.sender = sender;
        this.receiver = receiver;
        this.random = random;
        this.faults = faults;
        this.nextCorrupt = drawCorrupt(0);
    }

    void faults(StreamFaults newFaults) {
        faults = newFaults;
        nextCorrupt = drawCorrupt(written);
    }

    int space() {
        return Math.clamp(faults.windowOctets() - (carried - credited) - silenced, 0, Integer.MAX_VALUE);
    }

    int available() {
        return Math.toIntExact(arrived - read);
    }

    boolean ended() {
        return endArrived;
    }

    long written() {
        return written;
    }

    long delivered() {
        return arrived;
    }

    long consumed() {
        return read;
    }

    long injected(Fault fault) {
        return counts.of(fault);
    }

    void capture(int maxOctets) {
        capture = new byte[maxOctets];
        capturedOctets = 0;
    }

    byte[] captured() {
        return Arrays.copyOf(capture, capturedOctets);
    }

    int write(MemorySegment source, long offset, int length) {
        int take = Math.min(length, space());
        if (take > 1 && chance(faults.shortWriteProbability())) {
            take = 1 + random.nextInt(take - 1);
            inject(Fault.SHORT_WRITE);
        }
        int kept = Math.min(take, capture.length - capturedOctets);
        MemorySegment.copy(source, ValueLayout.JAVA_BYTE, offset, capture, capturedOctets, kept);
        capturedOctets += kept;
        int done = 0;
        while (done < take) {
            meetPositionFaults();
            done += send(source, offset + done, take - done);
        }
        return take;
    }

    /** Faults at an octet that is about to be sent. */
    private void meetPositionFaults() {
        if (fate != Fate.CARRIED) {
            return;
        }
        if (written >= faults.resetAtOctet()) {
            fate = Fate.LOST;
            inject(Fault.RESET);
            at(drawArrival(), receiver::receiveReset);
            // Not through at(): the receiver's failure stops this pipe.
            network.schedule(lastArrivalNanos + drawDelay(), sender::receiveReset);
        } else if (written >= faults.halfCloseAtOctet()) {
            inject(Fault.HALF_CLOSE);
            sendEnd();
            fate = Fate.LOST;
        } else if (written >= faults.silenceAtOctet()) {
            fate = Fate.SILENCED;
            inject(Fault.SILENCE);
        }
    }

    private int send(MemorySegment source, long offset, int length) {
        return switch (fate) {
            case LOST -> {
                written += length;
                yield length;
            }
            case SILENCED -> {
                written += length;
                silenced += length;
                yield length;
            }
            case CARRIED -> {
                int limit = (int) Math.min(length, nextPositionFault() - written);
                int piece = drawPiece(limit);
                store(source, offset, piece);
                dispatch(piece, piece < limit);
                yield piece;
            }
        };
    }

    private long nextPositionFault() {
        return Math.min(faults.resetAtOctet(), Math.min(faults.halfCloseAtOctet(), faults.silenceAtOctet()));
    }

    private int drawPiece(int length) {
        if (!chance(faults.cutProbability())) {
            return length;
        }
        return Math.min(length, StreamFaults.logUniform(random, faults.minCutOctets(), faults.maxCutOctets()));
    }

    private void store(MemorySegment source, long offset, int length) {
        makeRoom();
        int start = (int) (carried % ring.length);
        int first = Math.min(length, ring.length - start);
        MemorySegment.copy(source, ValueLayout.JAVA_BYTE, offset, ring, start, first);
        MemorySegment.copy(source, ValueLayout.JAVA_BYTE, offset + first, ring, 0, length - first);
        while (nextCorrupt < written + length) {
            int index = (int) ((carried + nextCorrupt - written) % ring.length);
            ring[index] = (byte) (ring[index] ^ (1 << random.nextInt(8)));
            inject(Fault.CORRUPTION);
            nextCorrupt = drawCorrupt(nextCorrupt + 1);
        }
        carried += length;
        written += length;
    }

    /** The ring is as large as the window, which may have been changed while octets are in it. */
    private void makeRoom() {
        if (ring.length >= faults.windowOctets()) {
            return;
        }
        byte[] larger = new byte[faults.windowOctets()];
        for (long position = read; position < carried; position++) {
            larger[(int) (position % larger.length)] = ring[(int) (position % ring.length)];
        }
        ring = larger;
    }

    private void dispatch(int length, boolean cut) {
        if (cut) {
            inject(Fault.CUT);
        }
        if (!underWay.isEmpty() && chance(faults.coalesceProbability())) {
            inject(Fault.COALESCING);
            underWay.getLast().length += length;
            return;
        }
        Piece piece = new Piece();
        piece.length = length;
        piece.endsRead = faults.cutProbability() > 0;
        underWay.add(piece);
        at(drawArrival(), this::arrive);
    }

    private void arrive() {
        Piece piece = underWay.remove();
        if (network.isTracing()) {
            network.note(sender.name(), "delivers " + piece.length + " at " + arrived);
        }
        if (receiver.isClosed()) {
            receiver.output().sendReset();
            return;
        }
        arrived += piece.length;
        if (piece.endsRead) {
            cuts.add(arrived);
        }
    }

    /** The end of the stream, behind all octets sent. */
    void sendEnd() {
        if (endSent || fate != Fate.CARRIED) {
            return;
        }
        endSent = true;
        at(drawArrival(), () -> {
            network.note(sender.name(), "ends");
            endArrived = true;
        });
    }

    /** A reset does not wait for octets that are stalled. */
    void sendReset() {
        if (fate == Fate.SILENCED) {
            return;
        }
        at(network.clock().nanoTime() + drawDelay(), receiver::receiveReset);
    }

    /** The connection is gone: what is under way does not arrive. */
    void stop() {
        stopped = true;
    }

    /** What the receiver can still read after a reset. */
    void keepOrDiscardInput() {
        if (faults.resetDiscardsInput()) {
            read = arrived;
        }
    }

    int read(MemorySegment target, long offset, int length) {
        int take = Math.min(length, available());
        if (!cuts.isEmpty()) {
            take = (int) Math.min(take, cuts.getFirst() - read);
        }
        int start = take == 0 ? 0 : (int) (read % ring.length);
        int first = Math.min(take, ring.length - start);
        MemorySegment.copy(ring, start, target, ValueLayout.JAVA_BYTE, offset, first);
        MemorySegment.copy(ring, 0, target, ValueLayout.JAVA_BYTE, offset + first, take - first);
        read += take;
        if (!cuts.isEmpty() && cuts.getFirst() == read) {
            cuts.remove();
        }
        if (!creditUnderWay && take > 0) {
            creditUnderWay = true;
            at(network.clock().nanoTime() + drawDelay(), this::credit);
        }
        return take;
    }

    private void credit() {
        creditUnderWay = false;
        credited = read;
    }

    void nothingArrivesBefore(long nanos) {
        lastArrivalNanos = nanos;
    }

    long drawDelay() {
        long spread = faults.maxDelayNanos() - faults.minDelayNanos();
        return faults.minDelayNanos() + (spread == 0 ? 0 : random.nextLong(spread + 1));
    }

    private long drawArrival() {
        long nanos = network.clock().nanoTime() + drawDelay();
        if (faults.maxStallNanos() > 0 && chance(faults.stallProbability())) {
            inject(Fault.STALL);
            nanos += 1 + random.nextLong(faults.maxStallNanos());
        }
        lastArrivalNanos = Math.max(lastArrivalNanos, nanos);
        return lastArrivalNanos;
    }

    /** The first octet from a position on that is to be corrupted. */
    private long drawCorrupt(long position) {
        long fixed = position <= faults.corruptAtOctet() ? faults.corruptAtOctet() : StreamFaults.NEVER;
        double probability = faults.corruptionProbability();
        if (probability == 0) {
            return fixed;
        }
        // The gap between hits is geometrically distributed; StrictMath gives the same on every machine.
        double gap = probability == 1 ? 0 : StrictMath.log(1 - random.nextDouble()) / StrictMath.log(1 - probability);
        return gap > 1e15 ? fixed : Math.min(fixed, position + (long) gap);
    }

    private boolean chance(double probability) {
        return probability > 0 && random.nextDouble() < probability;
    }

    private void inject(Fault fault) {
        counts.add(fault);
        network.count(fault);
        if (network.isTracing()) {
            network.note(sender.name(), fault + " at " + written);
        }
    }

    private void at(long nanos, Runnable action) {
        network.schedule(nanos, () -> {
            if (!stopped) {
                action.run();
            }
        });
    }
}
