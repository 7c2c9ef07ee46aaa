package io.stag.cli.dump;

import io.stag.wire.mpa.MpaFrame;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Reader;
import java.util.HexFormat;

/**
 * Decodes octets written as hexadecimal text: startup frames and FPDUs, one after the other. An empty line begins a new
 * stream; {@code #} begins a comment.
 */
final class HexDump {
    private static final byte[] KEY_START = {'M', 'P', 'A', ' '};
    private static final int MAX_STREAM = 64 << 20;

    private final DumpSettings settings;
    private final DumpOutput output;
    private final MpaFrame startup = new MpaFrame();
    private final FpduDecoder decoder = new FpduDecoder();
    private int streams;
    private boolean requestCrc = true;
    private boolean replyCrc = true;

    HexDump(DumpSettings settings, DumpOutput output) {
        this.settings = settings;
        this.output = output;
    }

    /**
     * Reads to the end.
     *
     * @throws IOException also when something is not hexadecimal; what came before has been shown
     */
    void read(Reader text) throws IOException {
        BufferedReader lines = new BufferedReader(text);
        StreamBuffer stream = new StreamBuffer();
        int number = 0;
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            number++;
            String digits = digits(line);
            if (line.isBlank()) {
                decode(stream);
            } else if (stream.size() > MAX_STREAM) {
                throw new IOException("line " + number + ": more than " + MAX_STREAM + " octets in one stream");
            } else {
                byte[] octets = parse(digits, number);
                stream.append(octets, 0, octets.length);
            }
        }
        decode(stream);
    }

    private static String digits(String line) {
        int comment = line.indexOf('#');
        String text = comment < 0 ? line : line.substring(0, comment);
        return text.replace("0x", "").replaceAll("[\\s:,]", "");
    }

    private static byte[] parse(String digits, int line) throws IOException {
        try {
            return HexFormat.of().parseHex(digits);
        } catch (IllegalArgumentException e) {
            throw new IOException("line " + line + " is not hexadecimal: " + e.getMessage(), e);
        }
    }

    private void decode(StreamBuffer stream) {
        if (stream.size() == 0) {
            return;
        }
        streams++;
        requestCrc = true;
        replyCrc = true;
        ReadTracker reads = new ReadTracker(false);
        SegmentInspector inspector = new SegmentInspector(false, reads, reads);
        long position = 0;
        boolean going = true;
        while (going && stream.size() > 0) {
            if (isStartup(stream)) {
                going = takeStartup(stream);
            } else {
                int length = takeFpdu(stream, position, inspector);
                position += length;
                going = length > 0;
            }
        }
        if (stream.size() > 0) {
            Frame.Builder rest = new Frame.Builder(false);
            rest.name("rest");
            rest.anomaly(stream.size() + " octets that are no complete frame", "RFC 5044 §4.1");
            show(rest, position);
            stream.clear();
        }
    }

    private static boolean isStartup(StreamBuffer stream) {
        for (int i = 0; i < KEY_START.length; i++) {
            if (i >= stream.size() || stream.octet(i) != KEY_START[i]) {
                return false;
            }
        }
        return true;
    }

    private boolean takeStartup(StreamBuffer stream) {
        Frame.Builder frame = new Frame.Builder(settings.verbose());
        boolean whole = startup.wrap(stream.segment(), stream.start(), stream.size());
        boolean known = whole && (startup.isRequestKey() || startup.isReplyKey());
        if (whole && !known) {
            frame.name("MPA startup");
            frame.anomaly("the key is neither that of a Request nor of a Reply", "RFC 5044 §7.1.1");
            show(frame, 0);
            stream.consume(MpaFrame.HEADER_LENGTH);
            return true;
        }
        if (!whole || !startup.isComplete()) {
            return false;
        }
        StartupFrame read = StartupFrame.read(startup, stream.segment(), frame);
        if (startup.privateDataLength() > MpaFrame.MAX_PRIVATE_DATA) {
            frame.anomaly(
                    "PD_Length " + startup.privateDataLength() + " is above " + MpaFrame.MAX_PRIVATE_DATA,
                    "RFC 5044 §7.1.1");
        }
        if (read.isRequest()) {
            requestCrc = read.crc();
        } else {
            replyCrc = read.crc();
        }
        show(frame, 0);
        stream.consume(MpaFrame.HEADER_LENGTH + startup.privateDataLength());
        return true;
    }

    private int takeFpdu(StreamBuffer stream, long position, SegmentInspector inspector) {
        boolean markers = settings.markers().orElse(false);
        int length = decoder.decode(stream.segment(), stream.start(), stream.size(), (int) position, markers);
        if (length == 0) {
            return 0;
        }
        Frame.Builder frame = new Frame.Builder(settings.verbose());
        inspector.inspect(decoder.ulpdu(), decoder.ulpduLength(), frame);
        boolean crc = settings.crc().orElse(requestCrc || replyCrc);
        FramingText.describe(decoder, length, crc, frame);
        show(frame, position);
        stream.consume(length);
        return length;
    }

    private void show(Frame.Builder frame, long offset) {
        output.frame(frame.build(0, streams, '-', offset));
    }
}
