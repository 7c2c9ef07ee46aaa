package io.stag.cli.dump;

import io.stag.wire.mpa.MpaFrame;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/** One direction of a connection: the startup frame, then FPDUs. */
final class StreamDecoder implements TcpReassembly.Sink {
    private static final byte[] KEY_START = "MPA ".getBytes(StandardCharsets.US_ASCII);
    private static final int MAX_WAITING = 1 << 20;
    private static final int MAX_SEARCHED = 4 << 20;
    private static final int KEPT_WHEN_SEARCHING = 1 << 17; // longer than any FPDU

    private enum State {
        /** The startup frame of this side has not come. */
        STARTUP,
        /** It has, and that of the other side has not. */
        AWAIT_PEER,
        FULL_OPERATION,
        /** Where the next FPDU begins is not known. */
        SEARCHING,
        IGNORED
    }

    private final Conversation conversation;
    private final DumpSettings settings;
    private final MpaFrame startup = new MpaFrame();
    private final FpduDecoder decoder = new FpduDecoder();
    private final FpduFinder finder = new FpduFinder();
    private final StreamBuffer buffer = new StreamBuffer();
    private SegmentInspector inspector;
    private State state = State.STARTUP;
    private boolean crc;
    private boolean markers;
    private long position; // of the first octet in the buffer, counted in Full Operation
    private long searched;
    private long segmentStart; // position of the first octet of the last TCP segment
    private long fpdus;
    private long wholeFpdus;
    private long timestampNanos;
    private boolean complainedAboutEarlyOctets;

    StreamDecoder(Conversation conversation, DumpSettings settings, SegmentInspector inspector) {
        this.conversation = conversation;
        this.settings = settings;
        this.inspector = inspector;
    }

    @Override
    public void octets(byte[] data, int offset, int length, long timestamp) {
        timestampNanos = timestamp;
        if (state != State.IGNORED) {
            segmentStart = position + buffer.size();
            buffer.append(data, offset, length);
            advance();
        }
    }

    @Override
    public void gap(long length, long timestamp) {
        timestampNanos = timestamp;
        switch (state) {
            case STARTUP, AWAIT_PEER -> conversation.startupMissing();
            case FULL_OPERATION -> {
                remark(Remark.note(length + " octets are missing in the capture", ""));
                inspector.forget();
                position += buffer.size() + length;
                buffer.clear();
                search();
            }
            case SEARCHING -> {
                position += buffer.size() + length;
                buffer.clear();
            }
            case IGNORED -> {}
        }
    }

    @Override
    public void end(boolean reset, long timestamp) {
        timestampNanos = timestamp;
        if (state == State.FULL_OPERATION && buffer.size() > 0) {
            remark(Remark.anomaly(
                    "the stream ends inside an FPDU, after " + buffer.size() + " of its octets", "RFC 5044 §4.1"));
        } else if (reset && state == State.FULL_OPERATION) {
            remark(Remark.note("TCP reset", ""));
        }
        buffer.clear();
    }

    Alignment alignment() {
        return new Alignment(fpdus, wholeFpdus);
    }

    /** Goes on as far as the octets allow. */
    void advance() {
        boolean progress = true;
        while (progress) {
            progress = switch (state) {
                case STARTUP -> takeStartupFrame();
                case AWAIT_PEER -> beginFullOperation();
                case FULL_OPERATION -> takeFpdu();
                case SEARCHING -> findFpdu();
                case IGNORED -> false;
            };
        }
    }

    /** Nothing more of this direction is shown. */
    void ignore() {
        state = State.IGNORED;
        buffer.clear();
    }

    /** The startup frames are missing: FPDUs are looked for. */
    void guess(SegmentInspector withoutHistory) {
        inspector = withoutHistory;
        crc = settings.crc().orElse(false);
        markers = settings.markers().orElse(false);
        search();
        advance();
    }

    private void search() {
        state = State.SEARCHING;
        searched = 0;
    }

    private boolean takeStartupFrame() {
        for (int i = 0; i < Math.min(KEY_START.length, buffer.size()); i++) {
            if (buffer.octet(i) != KEY_START[i]) {
                conversation.startupMissing();
                return false;
            }
        }
        if (!startup.wrap(buffer.segment(), buffer.start(), buffer.size())) {
            return false;
        }
        Frame.Builder frame = new Frame.Builder(settings.verbose());
        if (!startup.isRequestKey() && !startup.isReplyKey()) {
            refuseStartup(frame, "the key is neither that of a Request nor of a Reply");
            return false;
        }
        if (startup.privateDataLength() > MpaFrame.MAX_PRIVATE_DATA) {
            refuseStartup(frame, "PD_Length " + startup.privateDataLength() + " is above " + MpaFrame.MAX_PRIVATE_DATA);
            return false;
        }
        if (!startup.isComplete()) {
            return false;
        }
        StartupFrame read = StartupFrame.read(startup, buffer.segment(), frame);
        buffer.consume(MpaFrame.HEADER_LENGTH + startup.privateDataLength());
        state = State.AWAIT_PEER;
        conversation.startup(this, read, frame, timestampNanos);
        return state != State.IGNORED;
    }

    private void refuseStartup(Frame.Builder frame, String wrong) {
        frame.name("MPA startup");
        frame.summary.append(HexFormat.ofDelimiter(" ").formatHex(buffer.copy(MpaFrame.HEADER_LENGTH)));
        frame.anomaly(wrong, "RFC 5044 §7.1.1");
        conversation.show(this, frame, 0, timestampNanos);
        conversation.ignore();
    }

    private boolean beginFullOperation() {
        if (!conversation.isNegotiated()) {
            if (buffer.size() > 0 && !complainedAboutEarlyOctets) {
                complainedAboutEarlyOctets = true;
                remark(Remark.anomaly(
                        buffer.size() + " octets follow before the peer's startup frame was seen", "RFC 5044 §7.1.2"));
            }
            if (buffer.size() > MAX_WAITING) {
                conversation.startupMissing();
            }
            return false;
        }
        crc = settings.crc().orElse(conversation.usesCrc());
        markers = settings.markers().orElse(conversation.usesMarkers(this));
        state = State.FULL_OPERATION;
        segmentStart = 0; // positions count from here
        return true;
    }

    private boolean takeFpdu() {
        int length = decoder.decode(buffer.segment(), buffer.start(), buffer.size(), (int) position, markers);
        if (length == 0) {
            return false;
        }
        Frame.Builder frame = new Frame.Builder(settings.verbose());
        inspector.inspect(decoder.ulpdu(), decoder.ulpduLength(), frame);
        FramingText.describe(decoder, length, crc, frame);
        conversation.show(this, frame, position, timestampNanos);
        fpdus++;
        wholeFpdus += position >= segmentStart ? 1 : 0;
        position += length;
        buffer.consume(length);
        return true;
    }

    private boolean findFpdu() {
        boolean negotiated = conversation.isNegotiated();
        int at = markers && negotiated
                ? finder.findByMarkers(buffer.segment(), buffer.start(), buffer.size(), (int) position)
                : finder.find(buffer.segment(), buffer.start(), buffer.size());
        if (at == FpduFinder.NONE) {
            int surplus = Math.max(0, buffer.size() - KEPT_WHEN_SEARCHING);
            skip(surplus);
            if (searched > MAX_SEARCHED) {
                if (negotiated) { // else it is probably another protocol, not worth a word
                    remark(Remark.note("no FPDU found in " + searched + " octets, the rest is left out", ""));
                }
                ignore();
            }
            return false;
        }
        if (!negotiated && settings.crc().isEmpty()) {
            crc = finder.isCrcRight();
        }
        skip(at);
        if (searched > 0) {
            remark(Remark.note("decoding goes on after " + searched + " octets that were left out", ""));
        }
        state = State.FULL_OPERATION;
        return true;
    }

    private void skip(int length) {
        buffer.consume(length);
        position += length;
        searched += length;
    }

    private void remark(Remark remark) {
        Frame.Builder frame = new Frame.Builder(false);
        frame.name("stream");
        if (remark.isAnomaly()) {
            frame.anomaly(remark.text(), remark.clause());
        } else {
            frame.note(remark.text(), remark.clause());
        }
        conversation.show(this, frame, position, timestampNanos);
    }
}
