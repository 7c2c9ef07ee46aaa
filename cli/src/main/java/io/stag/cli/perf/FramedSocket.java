package io.stag.cli.perf;

import io.stag.cli.CommandFailure;
import io.stag.wire.mpa.Fpdu;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.zip.CRC32C;

/**
 * Frames of length, payload and CRC: what any protocol with frames must do at least. Frames are staged and written
 * together; on the other side they are read in bulk, checked, and copied to their place.
 *
 * <pre>
 *  0        4                4+n     8+n
 *  | length | payload, n octets | CRC |
 * </pre>
 */
final class FramedSocket extends MessageSocket {
    private static final int LENGTH = 4;
    private static final int CRC = 4;
    private static final int STAGING = 1 << 18;

    private final int size;
    private final int maxPayload;
    private final int batch;
    private final boolean useCrc;
    private final CRC32C crc = new CRC32C();
    private final ByteBuffer message;
    private final ByteBuffer target;
    private final ByteBuffer out = ByteBuffer.allocateDirect(STAGING);
    private final ByteBuffer in = ByteBuffer.allocateDirect(STAGING);
    private int parsed; // octets at the start of in that are done with
    private int placed; // octets of the present message in target

    FramedSocket(SocketChannel channel, RunSpec spec) throws IOException {
        super(channel, spec);
        size = spec.size();
        useCrc = spec.crc();
        maxPayload = spec.segment() == 0 ? Fpdu.MAX_ULPDU : Fpdu.mulpdu(spec.segment(), false);
        batch = Math.max(1, Math.min(spec.depth(), STAGING / (size + LENGTH + CRC)));
        message = filled(size);
        target = ByteBuffer.allocateDirect(size);
        in.limit(0);
    }

    @Override
    void send() throws IOException {
        stage();
        flush();
    }

    @Override
    int sendMany() throws IOException {
        for (int i = 0; i < batch; i++) {
            stage();
        }
        flush();
        return batch;
    }

    @Override
    boolean receive() throws IOException {
        while (!takeMessage()) {
            makeRoom();
            boolean open = readSome(in);
            endOfRead();
            if (!open) {
                return false;
            }
        }
        return true;
    }

    @Override
    int receiveSome() throws IOException {
        makeRoom();
        int count = read(in);
        endOfRead();
        if (count < 0) {
            return END;
        }
        int messages = 0;
        while (takeMessage()) {
            messages++;
        }
        return messages;
    }

    @Override
    boolean isContentRight() {
        return isRight(target, size);
    }

    private void stage() throws IOException {
        int at = 0;
        while (at < size) {
            int payload = Math.min(maxPayload, size - at);
            if (out.remaining() < LENGTH + payload + CRC) {
                flush();
            }
            int start = out.position();
            out.putInt(payload);
            out.put(start + LENGTH, message, at, payload).position(start + LENGTH + payload);
            out.putInt(useCrc ? crcOf(out, start, LENGTH + payload) : 0);
            at += payload;
        }
    }

    private void flush() throws IOException {
        writeAll(out.flip());
        out.clear();
    }

    /** Takes frames until a message is whole; false when the octets at hand are not enough. */
    private boolean takeMessage() {
        while (in.limit() - parsed >= LENGTH) {
            int payload = in.getInt(parsed);
            if (in.limit() - parsed < LENGTH + payload + CRC) {
                return false;
            }
            if (useCrc && crcOf(in, parsed, LENGTH + payload) != in.getInt(parsed + LENGTH + payload)) {
                throw new CommandFailure("a frame with a wrong CRC", "");
            }
            target.put(placed, in, parsed + LENGTH, payload);
            placed += payload;
            parsed += LENGTH + payload + CRC;
            if (placed == size) {
                placed = 0;
                return true;
            }
        }
        return false;
    }

    /** From reading frames to filling: what is left moves to the start only when room is short. */
    private void makeRoom() {
        int limit = in.limit();
        if (parsed == limit) {
            in.clear();
            parsed = 0;
        } else if (in.capacity() - limit < maxPayload + LENGTH + CRC) {
            in.position(parsed).limit(limit);
            in.compact();
            parsed = 0;
        } else {
            in.limit(in.capacity()).position(limit);
        }
    }

    private void endOfRead() {
        in.limit(in.position());
    }

    private int crcOf(ByteBuffer buffer, int start, int length) {
        int position = buffer.position();
        int limit = buffer.limit();
        crc.reset();
        buffer.limit(start + length).position(start);
        crc.update(buffer);
        buffer.limit(limit).position(position);
        return (int) crc.getValue();
    }
}
