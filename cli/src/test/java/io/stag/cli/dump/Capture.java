package io.stag.cli.dump;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/** Builds capture files: packets of one TCP connection, in every format and on every link layer. */
final class Capture {
    static final int ETHERNET = 1;
    static final int NULL = 0;
    static final int RAW = 101;
    static final int LOOP = 108;
    static final int SLL = 113;
    static final int SLL2 = 276;

    static final int FIN = TcpSegment.FIN;
    static final int SYN = TcpSegment.SYN;
    static final int RST = TcpSegment.RST;
    static final int ACK = TcpSegment.ACK;

    private static final long FIRST_MICROS = 1_700_000_000_000_000L;
    private static final int CLIENT_START = 0xFFFF_FF00; // wraps soon
    private static final int SERVER_START = 77;

    private final int linkType;
    private final boolean ipv6;
    private final int clientPort;
    private final List<byte[]> packets = new ArrayList<>();
    private long clientSent;
    private long serverSent;

    Capture(int linkType, boolean ipv6, int clientPort) {
        this.linkType = linkType;
        this.ipv6 = ipv6;
        this.clientPort = clientPort;
    }

    static Capture ethernet() {
        return new Capture(ETHERNET, false, 40_000);
    }

    /** SYN, SYN and ACK, ACK. */
    Capture handshake() {
        raw(true, CLIENT_START, SYN, new byte[0]);
        raw(false, SERVER_START, SYN | ACK, new byte[0]);
        return raw(true, CLIENT_START + 1, ACK, new byte[0]);
    }

    /** The next octets of the client. */
    Capture client(byte[]... pieces) {
        for (byte[] piece : pieces) {
            clientAt(clientSent, piece);
            clientSent += piece.length;
        }
        return this;
    }

    /** The next octets of the server. */
    Capture server(byte[]... pieces) {
        for (byte[] piece : pieces) {
            serverAt(serverSent, piece);
            serverSent += piece.length;
        }
        return this;
    }

    /** Octets of the client at a position of its stream, whatever was sent before. */
    Capture clientAt(long position, byte[] octets) {
        return raw(true, CLIENT_START + 1 + (int) position, ACK, octets);
    }

    Capture serverAt(long position, byte[] octets) {
        return raw(false, SERVER_START + 1 + (int) position, ACK, octets);
    }

    /** Positions from which {@link #client} and {@link #server} go on. */
    Capture goOn(long client, long server) {
        clientSent = client;
        serverSent = server;
        return this;
    }

    Capture clientFin() {
        return raw(true, CLIENT_START + 1 + (int) clientSent, FIN | ACK, new byte[0]);
    }

    Capture clientReset() {
        return raw(true, CLIENT_START + 1 + (int) clientSent, RST, new byte[0]);
    }

    /** A UDP datagram. */
    Capture udp(boolean fromClient, byte[] payload) {
        return udpFragment(fromClient, payload, payload.length, 0, false);
    }

    /** A part of a UDP datagram; the first one has the UDP header. */
    Capture udpFragment(boolean fromClient, byte[] part, int whole, int offset, boolean more) {
        int udp = offset == 0 ? 8 : 0;
        ByteBuffer packet = ByteBuffer.allocate(linkHeader() + (ipv6 ? 40 : 20) + udp + part.length);
        putLink(packet);
        if (ipv6) {
            packet.putInt(0x6000_0000)
                    .putShort((short) (udp + part.length))
                    .put((byte) 17)
                    .put((byte) 64);
            packet.putLong(0x2001_0DB8_0000_0000L).putLong(fromClient ? 1 : 2);
            packet.putLong(0x2001_0DB8_0000_0000L).putLong(fromClient ? 2 : 1);
        } else {
            packet.put((byte) 0x45).put((byte) 0).putShort((short) (20 + udp + part.length));
            packet.putShort((short) 7).putShort((short) (offset / 8 | (more ? 0x2000 : 0)));
            packet.put((byte) 64).put((byte) 17).putShort((short) 0);
            packet.putInt(fromClient ? 0x0A00_0001 : 0x0A00_0002).putInt(fromClient ? 0x0A00_0002 : 0x0A00_0001);
        }
        if (udp > 0) {
            packet.putShort((short) (fromClient ? clientPort : 7174))
                    .putShort((short) (fromClient ? 7174 : clientPort));
            packet.putShort((short) (8 + whole)).putShort((short) 0);
        }
        packets.add(packet.put(part).array());
        return this;
    }

    Capture raw(boolean fromClient, int sequence, int flags, byte[] payload) {
        int header = 20 + (ipv6 ? 40 : 20);
        ByteBuffer packet = ByteBuffer.allocate(linkHeader() + header + payload.length);
        putLink(packet);
        if (ipv6) {
            packet.putInt(0x6000_0000)
                    .putShort((short) (20 + payload.length))
                    .put((byte) 6)
                    .put((byte) 64);
            packet.putLong(0x2001_0DB8_0000_0000L).putLong(fromClient ? 1 : 2);
            packet.putLong(0x2001_0DB8_0000_0000L).putLong(fromClient ? 2 : 1);
        } else {
            packet.put((byte) 0x45).put((byte) 0).putShort((short) (40 + payload.length));
            packet.putInt(0x4000).put((byte) 64).put((byte) 6).putShort((short) 0);
            packet.putInt(fromClient ? 0x0A00_0001 : 0x0A00_0002).putInt(fromClient ? 0x0A00_0002 : 0x0A00_0001);
        }
        packet.putShort((short) (fromClient ? clientPort : 7174)).putShort((short) (fromClient ? 7174 : clientPort));
        packet.putInt(sequence).putInt(0).put((byte) 0x50).put((byte) flags);
        packet.putShort((short) 0xFFFF).putInt(0).put(payload);
        packets.add(packet.array());
        return this;
    }

    /** Puts the packets of another capture behind those of this one. */
    Capture append(Capture other) {
        packets.addAll(other.packets);
        return this;
    }

    byte[] pcap(ByteOrder order, boolean nanoseconds) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteBuffer header = ByteBuffer.allocate(24).order(order);
        header.putInt(nanoseconds ? 0xA1B23C4D : 0xA1B2C3D4).putShort((short) 2).putShort((short) 4);
        header.putInt(0).putInt(0).putInt(262_144).putInt(linkType);
        out.writeBytes(header.array());
        long micros = FIRST_MICROS;
        for (byte[] packet : packets) {
            ByteBuffer record = ByteBuffer.allocate(16).order(order);
            int fraction = (int) (micros % 1_000_000) * (nanoseconds ? 1_000 : 1);
            record.putInt((int) (micros / 1_000_000))
                    .putInt(fraction)
                    .putInt(packet.length)
                    .putInt(packet.length);
            out.writeBytes(record.array());
            out.writeBytes(packet);
            micros += 10;
        }
        return out.toByteArray();
    }

    byte[] pcap() {
        return pcap(ByteOrder.LITTLE_ENDIAN, false);
    }

    byte[] pcapng(ByteOrder order) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteBuffer section = ByteBuffer.allocate(16).order(order);
        section.putInt(0x1A2B3C4D).putShort((short) 1).putShort((short) 0).putLong(-1);
        block(out, order, 0x0A0D0D0A, section.array());
        ByteBuffer description = ByteBuffer.allocate(20).order(order);
        description.putShort((short) linkType).putShort((short) 0).putInt(0);
        description.putShort((short) 9).putShort((short) 1).put((byte) 9).position(16); // nanoseconds
        block(out, order, 1, description.array());
        block(out, order, 5, new byte[12]); // statistics, to be skipped
        long nanos = FIRST_MICROS * 1_000;
        for (byte[] packet : packets) {
            ByteBuffer body = ByteBuffer.allocate(20 + packet.length).order(order);
            body.putInt(0)
                    .putInt((int) (nanos >>> 32))
                    .putInt((int) nanos)
                    .putInt(packet.length)
                    .putInt(packet.length);
            block(out, order, 6, body.put(packet).array());
            nanos += 10_000;
        }
        return out.toByteArray();
    }

    private static void block(ByteArrayOutputStream out, ByteOrder order, int type, byte[] body) {
        int padded = body.length + 3 & ~3;
        ByteBuffer block = ByteBuffer.allocate(12 + padded).order(order);
        block.putInt(type).putInt(12 + padded).put(body).position(8 + padded);
        out.writeBytes(block.putInt(12 + padded).array());
    }

    private int linkHeader() {
        return switch (linkType) {
            case ETHERNET -> 14 + 4; // with a VLAN tag
            case NULL, LOOP -> 4;
            case SLL -> 16;
            case SLL2 -> 20;
            default -> 0;
        };
    }

    private void putLink(ByteBuffer packet) {
        short type = (short) (ipv6 ? 0x86DD : 0x0800);
        switch (linkType) {
            case ETHERNET ->
                packet.position(12).putShort((short) 0x8100).putShort((short) 5).putShort(type);
            case NULL -> packet.order(ByteOrder.LITTLE_ENDIAN).putInt(2).order(ByteOrder.BIG_ENDIAN);
            case LOOP -> packet.putInt(2);
            case SLL -> packet.position(14).putShort(type);
            case SLL2 -> packet.putShort(type).position(20);
            default -> {}
        }
    }

    /** Everything a dump says, in order. */
    static final class Collected implements DumpOutput {
        final List<Frame> frames = new ArrayList<>();
        String alignment = "";
        final List<String> connections = new ArrayList<>();
        final List<String> withoutStartup = new ArrayList<>();

        @Override
        public void connection(int number, String endpoints) {
            connections.add(endpoints);
        }

        @Override
        public void datagrams(int number, String endpoints) {
            connections.add(endpoints + ", datagrams");
        }

        @Override
        public void frame(Frame frame) {
            frames.add(frame);
        }

        @Override
        public void withoutStartup(String endpoints, long octets) {
            withoutStartup.add(endpoints + " " + octets);
        }

        List<String> names() {
            return frames.stream().map(Frame::name).toList();
        }

        List<String> anomalies() {
            return frames.stream()
                    .flatMap(frame -> frame.remarks().stream())
                    .filter(Remark::isAnomaly)
                    .map(Remark::toString)
                    .toList();
        }
    }

    static Collected dump(byte[] file, DumpSettings settings) {
        Collected collected = new Collected();
        try {
            byte[] magic = Arrays.copyOf(file, 4);
            ByteArrayInputStream rest = new ByteArrayInputStream(file, 4, file.length - 4);
            CaptureReader reader = Objects.requireNonNull(CaptureReader.open(magic, rest));
            CaptureDump dump = new CaptureDump(settings, collected);
            dump.read(reader);
            collected.alignment = dump.alignment();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        return collected;
    }
}
