package io.stag.verbs.cm;

import io.stag.verbs.VerbsError;
import io.stag.verbs.VerbsException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;

/** Settings of one connection, for both roles; immutable. */
public final class ConnectionConfig {
    /** Largest private data of the plain startup frame (RFC 5044, section 7.1.1). */
    public static final int MAX_PRIVATE_DATA = 512;

    private static final int ENHANCED_WORD = 4;
    private static final Duration LONGEST = Duration.ofDays(1);
    private static final ConnectionConfig DEFAULTS = builder().build();

    /** The first message of the peer-to-peer model (RFC 6581, section 9.2): which kinds can be sent and taken. */
    public enum ReadyToReceive {
        /** A Send without payload. */
        SEND,
        /** An RDMA Write without payload. */
        WRITE,
        /** An RDMA Read of nothing. */
        READ
    }

    private final int mpaRevision;
    private final boolean crc;
    private final boolean markers;
    private final boolean peerToPeer;
    private final Set<ReadyToReceive> readyToReceive;
    private final boolean fallBackToRevision1;
    private final byte[] privateData;
    private final Duration timeout;
    private final int segmentSize;
    private final Duration sendProgressTimeout;
    private final Duration livenessProbe;
    private final Duration nudge;

    private ConnectionConfig(Builder builder) {
        mpaRevision = builder.mpaRevision;
        crc = builder.crc;
        markers = builder.markers;
        peerToPeer = builder.peerToPeer;
        readyToReceive = Set.copyOf(builder.readyToReceive);
        fallBackToRevision1 = builder.fallBackToRevision1;
        privateData = builder.privateData.clone();
        timeout = builder.timeout;
        segmentSize = builder.segmentSize;
        sendProgressTimeout = builder.sendProgressTimeout;
        livenessProbe = builder.livenessProbe;
        nudge = builder.nudge;
    }

    /** All defaults. */
    public static ConnectionConfig defaults() {
        return DEFAULTS;
    }

    /** A builder that starts from the defaults. */
    public static Builder builder() {
        return new Builder();
    }

    /** A builder that starts from this. */
    public Builder toBuilder() {
        Builder builder = new Builder();
        builder.mpaRevision = mpaRevision;
        builder.crc = crc;
        builder.markers = markers;
        builder.peerToPeer = peerToPeer;
        builder.readyToReceive = readyToReceive;
        builder.fallBackToRevision1 = fallBackToRevision1;
        builder.privateData = privateData;
        builder.timeout = timeout;
        builder.segmentSize = segmentSize;
        builder.sendProgressTimeout = sendProgressTimeout;
        builder.livenessProbe = livenessProbe;
        builder.nudge = nudge;
        return builder;
    }

    /** See {@link Builder#mpaRevision}. */
    public int mpaRevision() {
        return mpaRevision;
    }

    /** See {@link Builder#crc}. */
    public boolean crc() {
        return crc;
    }

    /** See {@link Builder#markers}. */
    public boolean markers() {
        return markers;
    }

    /** See {@link Builder#peerToPeer}. */
    public boolean peerToPeer() {
        return peerToPeer;
    }

    /** See {@link Builder#readyToReceive}. */
    public Set<ReadyToReceive> readyToReceive() {
        return readyToReceive;
    }

    /** See {@link Builder#fallBackToRevision1}. */
    public boolean fallBackToRevision1() {
        return fallBackToRevision1;
    }

    /** See {@link Builder#privateData}; a copy. */
    public byte[] privateData() {
        return privateData.clone();
    }

    /** See {@link Builder#timeout}. */
    public Duration timeout() {
        return timeout;
    }

    /** See {@link Builder#segmentSize}. */
    public int segmentSize() {
        return segmentSize;
    }

    /** See {@link Builder#sendProgressTimeout}. */
    public Duration sendProgressTimeout() {
        return sendProgressTimeout;
    }

    /** See {@link Builder#livenessProbe}. */
    public Duration livenessProbe() {
        return livenessProbe;
    }

    /** See {@link Builder#nudge}. */
    public Duration nudge() {
        return nudge;
    }

    /** Builds a {@link ConnectionConfig}. */
    public static final class Builder {
        private int mpaRevision = 2;
        private boolean crc = true;
        private boolean markers;
        private boolean peerToPeer = true;
        private Set<ReadyToReceive> readyToReceive = EnumSet.of(ReadyToReceive.WRITE, ReadyToReceive.READ);
        private boolean fallBackToRevision1;
        private byte[] privateData = new byte[0];
        private Duration timeout = Duration.ofSeconds(10);
        private int segmentSize;
        private Duration sendProgressTimeout = Duration.ZERO;
        private Duration livenessProbe = Duration.ZERO;
        private Duration nudge = Duration.ofMillis(15);

        private Builder() {}

        /**
         * Revision of MPA: 2 (RFC 6581) or 1 (RFC 5044). A responder answers with the revision it was asked with; 1
         * makes it close on an enhanced request. Default: 2.
         */
        public Builder mpaRevision(int value) {
            if (value != 1 && value != 2) {
                throw refused("MPA revision " + value + " is neither 1 nor 2");
            }
            mpaRevision = value;
            return this;
        }

        /** Whether we ask for CRC32C; it is used when either side asks. Default: true. */
        public Builder crc(boolean value) {
            crc = value;
            return this;
        }

        /** Whether we ask the peer to put markers into what it sends. Default: false. */
        public Builder markers(boolean value) {
            markers = value;
            return this;
        }

        /** Whether either side may speak first (RFC 6581, section 9.2); the initiator decides. Default: true. */
        public Builder peerToPeer(boolean value) {
            peerToPeer = value;
            return this;
        }

        /** Kinds of first message we can send or take; not empty. Default: Write and Read. */
        public Builder readyToReceive(Set<ReadyToReceive> value) {
            if (value.isEmpty()) {
                throw refused("at least one kind of ready-to-receive message is needed");
            }
            readyToReceive = value;
            return this;
        }

        /** Whether an initiator tries once more with revision 1 when the peer closes on revision 2. Default: false. */
        public Builder fallBackToRevision1(boolean value) {
            fallBackToRevision1 = value;
            return this;
        }

        /** Octets for the peer's program: up to 512, with revision 2 up to 508. Default: none. */
        public Builder privateData(byte[] value) {
            privateData = value.clone();
            return this;
        }

        /** How long the whole set-up may take. Default: 10 s; up to a day. */
        public Builder timeout(Duration value) {
            timeout = check("timeout", value, Duration.ofNanos(1));
            return this;
        }

        /**
         * TCP segment size from which the size of FPDUs follows; 0 takes it from the path. Larger values make fewer,
         * larger FPDUs. Default: 0; else 64 to 65,535.
         */
        public Builder segmentSize(int value) {
            if (value != 0 && (value < 64 || value > 65_535)) {
                throw refused("segment size " + value + " is neither 0 nor in 64 to 65535");
            }
            segmentSize = value;
            return this;
        }

        /**
         * Ends the connection when TCP takes nothing of what we have to send for so long; zero: never. Default: zero; up
         * to a day.
         */
        public Builder sendProgressTimeout(Duration value) {
            sendProgressTimeout = check("sendProgressTimeout", value, Duration.ZERO);
            return this;
        }

        /**
         * After so long without a sign of life, asks the peer with a zero-length RDMA Read and ends the connection when
         * no answer comes within the same time; zero: never. Uses one of the outbound reads, of which the queue pair must
         * have some; a peer that takes none ({@link ConnectionInfo#outboundReads} is 0) is not asked. A responder may not
         * ask before it has heard the initiator, whose silence until then has no limit without the peer-to-peer model.
         * Default: zero; up to a day.
         */
        public Builder livenessProbe(Duration value) {
            livenessProbe = check("livenessProbe", value, Duration.ZERO);
            return this;
        }

        /**
         * How long an initiator that has sent something waits for a first sign of the responder before it sends an RDMA
         * Write of nothing; at least twice as long as the Reply took. It does so a few times, with doubled waits. Linux
         * siw may overlook what arrives right after its Reply until more arrives. Zero: never. Default: 15 ms;
         * up to a day.
         */
        public Builder nudge(Duration value) {
            nudge = check("nudge", value, Duration.ZERO);
            return this;
        }

        /** The finished configuration. */
        public ConnectionConfig build() {
            int limit = mpaRevision == 2 ? MAX_PRIVATE_DATA - ENHANCED_WORD : MAX_PRIVATE_DATA;
            if (privateData.length > limit) {
                throw refused("private data of " + privateData.length + " octets is above " + limit
                        + " (RFC 5044 §7.1.1, RFC 6581 §9)");
            }
            return new ConnectionConfig(this);
        }

        private static Duration check(String setting, Duration value, Duration min) {
            if (value.compareTo(min) < 0 || value.compareTo(LONGEST) > 0) {
                throw refused(setting + " " + value + " is outside " + min + " to " + LONGEST);
            }
            return value;
        }

        private static VerbsException refused(String message) {
            return new VerbsException(VerbsError.INVALID_ARGUMENT, message);
        }
    }
}
