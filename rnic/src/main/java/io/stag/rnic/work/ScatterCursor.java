package io.stag.rnic.work;

/** How far a message has come in the buffers of its request. */
public final class ScatterCursor {
    private int buffer;
    private long done;

    /** At the start of the first buffer. */
    public ScatterCursor() {}

    /** Back to the start. */
    public void reset() {
        buffer = 0;
        done = 0;
    }

    /** Leaves buffers behind that are used up. @return how much of {@code length}, which is not 0, the present one has */
    public int step(ScatterList buffers, int length) {
        while (buffers.length(buffer) == done) {
            buffer++;
            done = 0;
        }
        return (int) Math.min(buffers.length(buffer) - done, length);
    }

    /** Index of the present buffer. */
    public int buffer() {
        return buffer;
    }

    /** Where the next octet is in the present buffer's region. */
    public long offset(ScatterList buffers) {
        return buffers.offset(buffer) + done;
    }

    /** Octets of the present buffer were used. */
    public void advance(int octets) {
        done += octets;
    }
}
