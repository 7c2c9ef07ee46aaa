package io.stag.cli.perf;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** What can be measured. */
public enum PerfTest {
    /** Writes back and forth; each side polls the last octet of its buffer. */
    WRITE_LAT(Kind.LATENCY, Layer.VERBS),
    WRITE_BW(Kind.BANDWIDTH, Layer.VERBS),
    READ_LAT(Kind.LATENCY, Layer.VERBS),
    READ_BW(Kind.BANDWIDTH, Layer.VERBS),
    SEND_LAT(Kind.LATENCY, Layer.VERBS),
    SEND_BW(Kind.BANDWIDTH, Layer.VERBS),
    /** Fetch and add of eight octets. */
    ATOMIC_LAT(Kind.LATENCY, Layer.VERBS),
    /** Writes with immediate data back and forth. */
    IMM_LAT(Kind.LATENCY, Layer.VERBS),
    /** Octets over a socket, one system call per message. */
    TCP_LAT(Kind.LATENCY, Layer.TCP),
    TCP_BW(Kind.BANDWIDTH, Layer.TCP),
    /** Length, payload and CRC over a socket and nothing else: what framing must cost. */
    FRAMED_LAT(Kind.LATENCY, Layer.FRAMED),
    FRAMED_BW(Kind.BANDWIDTH, Layer.FRAMED),
    /** RDMA Write-Record back and forth; each side learns from the record that it came. */
    WRITE_RECORD_LAT(Kind.LATENCY, Layer.VERBS),
    WRITE_RECORD_BW(Kind.BANDWIDTH, Layer.VERBS),
    /** Datagrams over a socket that is not connected, one system call per datagram. */
    UDP_LAT(Kind.LATENCY, Layer.UDP),
    UDP_BW(Kind.BANDWIDTH, Layer.UDP),
    /** Octets over Netty. */
    NETTY_LAT(Kind.LATENCY, Layer.NETTY),
    NETTY_BW(Kind.BANDWIDTH, Layer.NETTY),
    /** Messages over Aeron, which means UDP. */
    AERON_LAT(Kind.LATENCY, Layer.AERON),
    AERON_BW(Kind.BANDWIDTH, Layer.AERON);

    /** Octets of an atomic operation. */
    public static final int ATOMIC_SIZE = 8;

    private enum Kind {
        LATENCY,
        BANDWIDTH
    }

    /** On what a test runs. */
    public enum Layer {
        /** Stag. */
        VERBS,
        /** A socket. */
        TCP,
        /** A socket with frames. */
        FRAMED,
        /** A socket for datagrams. */
        UDP,
        /** Another library; a {@link PeerTests} brings it. */
        NETTY,
        /** Another library; a {@link PeerTests} brings it. */
        AERON
    }

    private final Kind kind;
    private final Layer layer;

    PerfTest(Kind kind, Layer layer) {
        this.kind = kind;
        this.layer = layer;
    }

    /** Whether round trips are timed; else messages are counted. */
    public boolean isLatency() {
        return kind == Kind.LATENCY;
    }

    /** On what it runs. */
    public Layer layer() {
        return layer;
    }

    /** Whether it is Stag that is measured. */
    public boolean isVerbs() {
        return layer == Layer.VERBS;
    }

    /** Whether it can be carried so. */
    boolean runsOver(Transport transport) {
        return switch (this) {
            case SEND_LAT, SEND_BW -> true;
            case WRITE_LAT, WRITE_BW, READ_LAT, READ_BW, ATOMIC_LAT, IMM_LAT -> transport != Transport.UDP;
            case WRITE_RECORD_LAT, WRITE_RECORD_BW, UDP_LAT, UDP_BW -> transport == Transport.UDP;
            default -> transport == Transport.TCP; // what Aeron does below is its own matter
        };
    }

    /** What carries it unless something else is said. */
    Transport usualTransport() {
        return runsOver(Transport.TCP) ? Transport.TCP : Transport.UDP;
    }

    /** Messages that one sample stands for: two when the answer is a message of the same kind. */
    int messagesPerSample() {
        return isLatency() && !isOneWay() ? 2 : 1;
    }

    /** The answer of a Read or atomic belongs to the operation: its latency is the whole round trip. */
    boolean isOneWay() {
        return this == READ_LAT || this == ATOMIC_LAT;
    }

    /** The name as users write it, for instance {@code write-lat}. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    static String names() {
        return Arrays.stream(values()).map(PerfTest::toString).collect(Collectors.joining(" "));
    }

    /** Reads a name. */
    static final class Converter implements ITypeConverter<PerfTest> {
        @Override
        public PerfTest convert(String value) {
            return Arrays.stream(values())
                    .filter(test -> test.toString().equals(value))
                    .findFirst()
                    .orElseThrow(() -> new TypeConversionException("'" + value + "' is none of " + names()));
        }
    }
}
