package io.stag.rnic.rdmap;

import io.stag.rnic.mpa.FpduDecoder;
import io.stag.rnic.mpa.FpduEncoder;
import io.stag.rnic.mpa.StagingBuffer;
import io.stag.rnic.mpa.StagingPool;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;

/** A peer on a real socket that speaks octets: does the startup by hand, then says and hears segments. CRC on. */
final class RawTcpPeer implements AutoCloseable {
    private static final int PATIENCE_MILLIS = 30_000;
    private static final String REQUEST_KEY = "4d504120494420526571204672616d65";
    private static final String REPLY_KEY = "4d504120494420526570204672616d65";

    private final Socket socket;
    private final FpduEncoder encoder = new FpduEncoder(true, false, 0);
    private final FpduDecoder decoder = new FpduDecoder(true, false, 0);
    private final StagingBuffer in = new StagingBuffer(StagingPool.WORKING_CAPACITY);

    RawTcpPeer(Socket socket) throws IOException {
        this.socket = socket;
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(PATIENCE_MILLIS);
    }

    static RawTcpPeer connect(InetSocketAddress address) throws IOException {
        return new RawTcpPeer(new Socket(address.getAddress(), address.getPort()));
    }

    /** A Request frame with CRC and the enhanced word given in hexadecimal digits. */
    void request(String enhancedWord) throws IOException {
        octets(REQUEST_KEY + "50020004" + enhancedWord);
    }

    /** A Reply frame with CRC and the enhanced word given in hexadecimal digits. */
    void reply(String enhancedWord) throws IOException {
        octets(REPLY_KEY + "50020004" + enhancedWord);
    }

    void octets(String hex) throws IOException {
        socket.getOutputStream().write(HexFormat.of().parseHex(hex));
    }

    /** The startup frame of the endpoint, header and private data. */
    byte[] startupFrame() throws IOException {
        byte[] header = socket.getInputStream().readNBytes(20);
        byte[] data = socket.getInputStream().readNBytes(header[18] << 8 & 0xFF00 | header[19] & 0xFF);
        byte[] frame = Arrays.copyOf(header, header.length + data.length);
        System.arraycopy(data, 0, frame, header.length, data.length);
        return frame;
    }

    void says(Segment segment) throws IOException {
        var out = new StagingBuffer(StagingPool.FPDU_CAPACITY);
        byte[] octets = segment.octets();
        int at = encoder.begin(out, octets.length);
        MemorySegment.copy(octets, 0, out.segment(), ValueLayout.JAVA_BYTE, at, octets.length);
        encoder.end();
        byte[] fpdu = new byte[out.size()];
        MemorySegment.copy(out.segment(), ValueLayout.JAVA_BYTE, 0, fpdu, 0, fpdu.length);
        socket.getOutputStream().write(fpdu);
    }

    /** The next segment of the endpoint; empty at the end of its stream. A reset is an exception. */
    Optional<Segment> hears() throws IOException {
        FpduDecoder.Result result = decoder.next(in);
        while (result == FpduDecoder.Result.INCOMPLETE) {
            byte[] more = new byte[decoder.needed()];
            int count = socket.getInputStream().read(more);
            if (count < 0) {
                return Optional.empty();
            }
            in.compact();
            MemorySegment.copy(more, 0, in.segment(), ValueLayout.JAVA_BYTE, in.end(), count);
            in.append(count);
            result = decoder.next(in);
        }
        if (result != FpduDecoder.Result.FPDU) {
            throw new IOException(result.toString());
        }
        byte[] octets = new byte[decoder.ulpduLength()];
        decoder.place(in.segment(), decoder.ulpduOffset(), MemorySegment.ofArray(octets), 0, octets.length);
        decoder.consume(in);
        return Optional.of(new Segment(octets));
    }

    /** True when the endpoint closes without another octet, by FIN or by reset. */
    boolean seesTheEnd() throws IOException {
        try {
            return socket.getInputStream().read() < 0;
        } catch (java.net.SocketTimeoutException e) {
            throw e;
        } catch (IOException e) {
            return true; // reset
        }
    }

    void finish() throws IOException {
        socket.shutdownOutput();
    }

    void reset() throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
