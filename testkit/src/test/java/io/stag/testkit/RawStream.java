package io.stag.testkit;

import io.stag.simnet.SimStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/** A hand-made peer: octets into and out of a simulated stream. */
final class RawStream {
    final SimStream stream;
    private final SimulatedRnics simulation;
    private byte[] received = new byte[0];
    private boolean ended;
    private boolean reset;

    RawStream(SimulatedRnics simulation, SimStream stream) {
        this.simulation = simulation;
        this.stream = stream;
    }

    /** Writes all of it, as fast as the window lets it. */
    void write(byte[] octets) {
        MemorySegment source = MemorySegment.ofArray(octets);
        int[] written = {0};
        simulation.runUntil("the peer takes the octets", () -> {
            try {
                written[0] += stream.write(source, written[0], octets.length - written[0]);
            } catch (IOException e) {
                throw new AssertionError("the stream broke after " + written[0] + " octets", e);
            }
            return written[0] == octets.length;
        });
    }

    /** Takes what is there. */
    private void poll() {
        byte[] chunk = new byte[4096];
        try {
            int count = stream.isConnected() || stream.failed()
                    ? stream.read(MemorySegment.ofArray(chunk), 0, chunk.length)
                    : 0;
            while (count > 0) {
                int before = received.length;
                received = Arrays.copyOf(received, before + count);
                System.arraycopy(chunk, 0, received, before, count);
                count = stream.read(MemorySegment.ofArray(chunk), 0, chunk.length);
            }
            ended |= count < 0;
        } catch (IOException e) {
            reset = true;
        }
    }

    /** Takes and forgets exactly so many octets. */
    byte[] read(int count) {
        simulation.runUntil(count + " octets from the RNIC", () -> {
            poll();
            return received.length >= count || isOver();
        });
        byte[] taken = Arrays.copyOf(received, Math.min(count, received.length));
        received = Arrays.copyOfRange(received, taken.length, received.length);
        return taken;
    }

    /** Everything until the RNIC closes. */
    byte[] readToEnd() {
        simulation.runUntil("the end of the stream", () -> {
            poll();
            return isOver();
        });
        return received;
    }

    boolean isOver() {
        return ended || reset;
    }
}
