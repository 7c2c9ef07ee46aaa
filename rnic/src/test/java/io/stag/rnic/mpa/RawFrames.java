package io.stag.rnic.mpa;

import io.stag.verbs.cm.ConnectionConfig.ReadyToReceive;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;

/** Startup frames as a raw peer would write them, with none of the code under test, and small machinery around them. */
final class RawFrames {
    static final int M = 0x80;
    static final int C = 0x40;
    static final int R = 0x20;
    static final int S = 0x10;
    static final int A = 0x8000;
    static final int B = 0x4000;
    /** C of the enhanced word. */
    static final int WRITE = 0x8000;
    /** D of the enhanced word. */
    static final int READ = 0x4000;

    static final int NOT_NEGOTIATED = 0x3FFF;
    static final byte[] NOTHING = {};
    static final long DEADLINE = 1_000;
    static final Set<ReadyToReceive> ALL_KINDS = EnumSet.allOf(ReadyToReceive.class);

    private RawFrames() {}

    static byte[] request(int flags, int revision, byte... privateData) {
        return frame("MPA ID Req Frame", flags, revision, privateData.length, privateData);
    }

    static byte[] reply(int flags, int revision, byte... privateData) {
        return frame("MPA ID Rep Frame", flags, revision, privateData.length, privateData);
    }

    static byte[] frame(String key, int flags, int revision, int privateDataLength, byte... privateData) {
        var out = new ByteArrayOutputStream();
        out.writeBytes(ascii(key));
        out.write(flags);
        out.write(revision);
        out.write(privateDataLength >> 8);
        out.write(privateDataLength);
        out.writeBytes(privateData);
        return out.toByteArray();
    }

    /** First half: A, B and IRD; second half: C, D and ORD. */
    static byte[] word(int first, int second) {
        return new byte[] {(byte) (first >> 8), (byte) first, (byte) (second >> 8), (byte) second};
    }

    static byte[] join(byte[]... parts) {
        var out = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            out.writeBytes(part);
        }
        return out.toByteArray();
    }

    static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    static StartupOffer plainOffer() {
        return new StartupOffer(1, true, false, false, Set.of(), 4, 4, 4, false);
    }

    static StartupOffer clientServerOffer(int ird, int ord, int maxIrd) {
        return new StartupOffer(2, true, false, false, ALL_KINDS, ird, ord, maxIrd, false);
    }

    static StartupOffer peerToPeerOffer(Set<ReadyToReceive> kinds) {
        return new StartupOffer(2, true, false, true, kinds, 4, 4, 4, false);
    }

    static byte[] transmit(MpaInitiator initiator) {
        byte[] out = new byte[600];
        int length = initiator.pollTransmit(MemorySegment.ofArray(out), 0, out.length);
        return Arrays.copyOf(out, length);
    }

    static byte[] transmit(MpaResponder responder) {
        byte[] out = new byte[600];
        int length = responder.pollTransmit(MemorySegment.ofArray(out), 0, out.length);
        return Arrays.copyOf(out, length);
    }

    static int feed(MpaInitiator initiator, byte... octets) {
        return initiator.handleOctets(MemorySegment.ofArray(octets), 0, octets.length);
    }

    static int feed(MpaResponder responder, byte... octets) {
        return responder.handleOctets(MemorySegment.ofArray(octets), 0, octets.length);
    }

    /** An initiator whose Request is on its way. */
    static MpaInitiator initiator(StartupOffer offer) {
        var initiator = new MpaInitiator(offer, NOTHING, DEADLINE);
        transmit(initiator);
        return initiator;
    }

    /** A responder of both revisions that took {@code octets}. */
    static MpaResponder responder(byte... octets) {
        var responder = new MpaResponder(2, DEADLINE);
        feed(responder, octets);
        return responder;
    }

    /** The Reply with which an accepting responder answers {@code request}. */
    static byte[] accept(byte[] request, StartupOffer offer) {
        MpaResponder responder = responder(request);
        responder.accept(offer, NOTHING);
        return transmit(responder);
    }
}
