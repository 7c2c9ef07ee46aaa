package io.stag.cli.dump;

import io.stag.wire.mpa.Fpdu;
import io.stag.wire.mpa.Marker;
import io.stag.wire.mpa.MpaFrame;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Arrays;

/**
 * Stands between two ends on one TCP connection and writes down what each sends, as a capture with one startup frame or
 * FPDU per TCP segment. Needs no rights, unlike a capture of the loopback interface.
 */
final class RecordingRelay implements AutoCloseable {
    private final ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    private final Capture capture = Capture.ethernet().handshake();
    private final Thread relay;

    RecordingRelay(InetSocketAddress server) throws IOException {
        relay = Thread.ofVirtual().start(() -> relay(server));
    }

    /** Where the client has to connect. */
    InetSocketAddress address() {
        return (InetSocketAddress) listener.getLocalSocketAddress();
    }

    /** The capture, once both directions have ended. */
    Capture awaitCapture() throws InterruptedException {
        relay.join();
        return capture;
    }

    private void relay(InetSocketAddress server) {
        try (Socket client = listener.accept();
                Socket peer = new Socket(server.getAddress(), server.getPort())) {
            client.setTcpNoDelay(true);
            peer.setTcpNoDelay(true);
            Direction fromClient = new Direction(true);
            Direction fromServer = new Direction(false);
            fromClient.other = fromServer;
            fromServer.other = fromClient;
            Thread back = Thread.ofVirtual().start(() -> fromServer.pump(peer, client));
            fromClient.pump(client, peer);
            back.join();
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
    }

    /** What one side sends. Guarded by the capture. */
    private final class Direction {
        private final boolean fromClient;
        private Direction other = this;
        private byte[] pending = new byte[0];
        private boolean started;
        private boolean wantsMarkers;
        private int position;

        private Direction(boolean fromClient) {
            this.fromClient = fromClient;
        }

        private void pump(Socket from, Socket to) {
            byte[] octets = new byte[1 << 16];
            try {
                for (int count = from.getInputStream().read(octets);
                        count > 0;
                        count = from.getInputStream().read(octets)) {
                    record(Arrays.copyOf(octets, count)); // first, so that no answer is recorded before its question
                    to.getOutputStream().write(octets, 0, count);
                }
                to.shutdownOutput();
            } catch (IOException _) {
                // a reset: what came before is recorded
            }
        }

        private void record(byte[] octets) {
            synchronized (capture) {
                ByteArrayOutputStream all = new ByteArrayOutputStream();
                all.writeBytes(pending);
                all.writeBytes(octets);
                pending = all.toByteArray();
                for (int length = unit(); length > 0; length = unit()) {
                    byte[] unit = Arrays.copyOf(pending, length);
                    pending = Arrays.copyOfRange(pending, length, pending.length);
                    if (fromClient) {
                        capture.client(unit);
                    } else {
                        capture.server(unit);
                    }
                }
            }
        }

        /** Octets of the next startup frame or FPDU; 0 when it is not all there. */
        private int unit() {
            MemorySegment memory = MemorySegment.ofArray(pending);
            if (!started) {
                MpaFrame frame = new MpaFrame();
                if (!frame.wrap(memory, 0, pending.length) || !frame.isComplete()) {
                    return 0;
                }
                started = true;
                wantsMarkers = frame.markers();
                return MpaFrame.HEADER_LENGTH + frame.privateDataLength();
            }
            boolean markers = other.wantsMarkers;
            int lengthAt = markers ? Marker.lengthFieldPosition(position) - position : 0;
            if (pending.length < lengthAt + Fpdu.LENGTH_FIELD) {
                return 0;
            }
            int ulpdu = Fpdu.ulpduLength(memory, lengthAt);
            int length = markers ? Marker.wireLength(position, ulpdu) : Fpdu.lengthWithoutMarkers(ulpdu);
            if (pending.length < length) {
                return 0;
            }
            position += length;
            return length;
        }
    }
}
