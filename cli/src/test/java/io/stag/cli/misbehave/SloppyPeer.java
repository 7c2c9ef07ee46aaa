package io.stag.cli.misbehave;

import io.stag.wire.mpa.MpaFrame;
import io.stag.wire.rdmap.RdmapOpcode;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Optional;
import java.util.function.Function;

/**
 * An endpoint that breaks the rules from the other side: takes any Request, checks nothing, and answers each segment as a
 * test wants.
 */
final class SloppyPeer implements AutoCloseable {
    private final ServerSocket listener = new ServerSocket(0, 16, InetAddress.getLoopbackAddress());
    private final Thread thread;
    private final Function<Segment, Optional<Segment>> answer;

    /** @param answer what it says to a segment */
    SloppyPeer(Function<Segment, Optional<Segment>> answer) throws IOException {
        this.answer = answer;
        thread = Thread.ofVirtual().start(this::serve);
    }

    /** What every endpoint does with a Read of nothing, and nothing else. */
    static Optional<Segment> answerReads(Segment segment) {
        return !segment.isTagged() && segment.opcode() == RdmapOpcode.READ_REQUEST
                ? Optional.of(Segment.readResponse(segment.readRequest().sinkStag(), 0, 0))
                : Optional.empty();
    }

    InetSocketAddress address() {
        return (InetSocketAddress) listener.getLocalSocketAddress();
    }

    private void serve() {
        while (!listener.isClosed()) {
            try (Socket socket = listener.accept()) {
                converse(socket);
            } catch (IOException _) {
                // the test is over, or our client went away
            }
        }
    }

    private void converse(Socket socket) throws IOException {
        byte[] header = socket.getInputStream().readNBytes(MpaFrame.HEADER_LENGTH);
        socket.getInputStream().readNBytes(header[18] << 8 | header[19]);
        byte[] reply = Wishes.asReply(Wishes.withPrivateData(header, 0));
        socket.getOutputStream().write(Wishes.patched(reply, Wishes.FLAGS, 0x40, 1)); // CRC, revision 1
        FpduReader reader = new FpduReader(false, false);
        byte[] received = new byte[1 << 17];
        int end = 0;
        int count = socket.getInputStream().read(received, end, received.length - end);
        while (count > 0) {
            end += count;
            Optional<Segment> next = reader.next(received, end);
            while (next.isPresent()) {
                Optional<Segment> said = next.get().hasHeader() ? answer.apply(next.get()) : Optional.empty();
                if (said.isPresent()) {
                    socket.getOutputStream().write(OutgoingFpdu.of(said.get()).encode(false, true, 0));
                    if (said.get().opcode() == RdmapOpcode.TERMINATE) {
                        socket.shutdownOutput();
                        socket.getInputStream().transferTo(OutputStream.nullOutputStream());
                        return;
                    }
                }
                next = reader.next(received, end);
            }
            count = socket.getInputStream().read(received, end, received.length - end);
        }
    }

    @Override
    public void close() throws Exception {
        listener.close();
        thread.join();
    }
}
