package io.stag.verbs;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Settings of a reliable datagram queue pair; immutable. Limits are checked when the queue pair is created. */
public final class ReliableQueuePairConfig {
    private final CompletionQueue sendQueue;
    private final CompletionQueue receiveQueue;
    private final InetSocketAddress address;
    private final int sendDepth;
    private final int receiveDepth;
    private final int maxSegments;
    private final int maxInline;
    private final int datagramLength;
    private final int window;
    private final int maxReads;
    private final int maxPeers;
    private final long maxReorderOctets;
    private final Duration remember;
    private final Duration giveUp;
    private final Duration ackDelay;
    private final int errorDepth;
    private final int receiveBuffer;
    private final int sendBuffer;
    private final boolean allowRemoteRead;
    private final boolean allowRemoteWrite;
    private final boolean offload;
    private final @Nullable SharedReceiveQueue sharedReceiveQueue;

    private ReliableQueuePairConfig(Builder builder) {
        sendQueue = builder.sendQueue;
        receiveQueue = builder.receiveQueue;
        address = builder.address;
        sendDepth = builder.sendDepth;
        receiveDepth = builder.receiveDepth;
        maxSegments = builder.maxSegments;
        maxInline = builder.maxInline;
        datagramLength = builder.datagramLength;
        window = builder.window;
        maxReads = builder.maxReads;
        maxPeers = builder.maxPeers;
        maxReorderOctets = builder.maxReorderOctets;
        remember = builder.remember;
        giveUp = builder.giveUp;
        ackDelay = builder.ackDelay;
        errorDepth = builder.errorDepth;
        receiveBuffer = builder.receiveBuffer;
        sendBuffer = builder.sendBuffer;
        allowRemoteRead = builder.allowRemoteRead;
        allowRemoteWrite = builder.allowRemoteWrite;
        offload = builder.offload;
        sharedReceiveQueue = builder.sharedReceiveQueue;
    }

    /** A builder; both queues report to {@code completionQueue}. */
    public static Builder builder(CompletionQueue completionQueue) {
        return new Builder(completionQueue, completionQueue);
    }

    /** A builder with a completion queue for each of the two queues. */
    public static Builder builder(CompletionQueue sendQueue, CompletionQueue receiveQueue) {
        return new Builder(sendQueue, receiveQueue);
    }

    /** Where completions of the send queue go. */
    public CompletionQueue sendCompletionQueue() {
        return sendQueue;
    }

    /** Where completions of receives go. */
    public CompletionQueue receiveCompletionQueue() {
        return receiveQueue;
    }

    /** See {@link Builder#address}. */
    public InetSocketAddress address() {
        return address;
    }

    /** See {@link Builder#sendDepth}. */
    public int sendDepth() {
        return sendDepth;
    }

    /** See {@link Builder#receiveDepth}. */
    public int receiveDepth() {
        return receiveDepth;
    }

    /** See {@link Builder#maxSegments}. */
    public int maxSegments() {
        return maxSegments;
    }

    /** See {@link Builder#maxInline}. */
    public int maxInline() {
        return maxInline;
    }

    /** See {@link Builder#datagramLength}. */
    public int datagramLength() {
        return datagramLength;
    }

    /** See {@link Builder#window}. */
    public int window() {
        return window;
    }

    /** See {@link Builder#maxReads}. */
    public int maxReads() {
        return maxReads;
    }

    /** See {@link Builder#maxPeers}. */
    public int maxPeers() {
        return maxPeers;
    }

    /** See {@link Builder#maxReorderOctets}. */
    public long maxReorderOctets() {
        return maxReorderOctets;
    }

    /** See {@link Builder#remember}. */
    public Duration remember() {
        return remember;
    }

    /** See {@link Builder#giveUp}. */
    public Duration giveUp() {
        return giveUp;
    }

    /** See {@link Builder#ackDelay}. */
    public Duration ackDelay() {
        return ackDelay;
    }

    /** See {@link Builder#errorDepth}. */
    public int errorDepth() {
        return errorDepth;
    }

    /** See {@link Builder#receiveBuffer}. */
    public int receiveBuffer() {
        return receiveBuffer;
    }

    /** See {@link Builder#sendBuffer}. */
    public int sendBuffer() {
        return sendBuffer;
    }

    /** See {@link Builder#allowRemoteRead}. */
    public boolean allowRemoteRead() {
        return allowRemoteRead;
    }

    /** See {@link Builder#allowRemoteWrite}. */
    public boolean allowRemoteWrite() {
        return allowRemoteWrite;
    }

    /** See {@link Builder#offload}. */
    public boolean offload() {
        return offload;
    }

    /** See {@link Builder#sharedReceiveQueue}. */
    public Optional<SharedReceiveQueue> sharedReceiveQueue() {
        return Optional.ofNullable(sharedReceiveQueue);
    }

    /** Builds a {@link ReliableQueuePairConfig}. */
    public static final class Builder {
        private final CompletionQueue sendQueue;
        private final CompletionQueue receiveQueue;
        private InetSocketAddress address = new InetSocketAddress(0);
        private int sendDepth = 64;
        private int receiveDepth = 64;
        private int maxSegments = 4;
        private int maxInline = 64;
        private int datagramLength;
        private int window = 1_024;
        private int maxReads = 16;
        private int maxPeers = 16_384;
        private long maxReorderOctets = 8L << 20;
        private Duration remember = Duration.ofSeconds(60);
        private Duration giveUp = Duration.ofSeconds(10);
        private Duration ackDelay = Duration.ofNanos(500_000);
        private int errorDepth = 64;
        private int receiveBuffer = 4 << 20;
        private int sendBuffer = 1 << 20;
        private boolean allowRemoteRead = true;
        private boolean allowRemoteWrite = true;
        private boolean offload = true;
        private @Nullable SharedReceiveQueue sharedReceiveQueue;

        private Builder(CompletionQueue sendQueue, CompletionQueue receiveQueue) {
            this.sendQueue = sendQueue;
            this.receiveQueue = receiveQueue;
        }

        /**
         * Where to receive. Default: a port that the system chooses, at all addresses of this machine. On a machine with several
         * addresses name one: peers know a queue pair by the address that they send to, and it answers from the one that the
         * system chooses.
         */
        public Builder address(InetSocketAddress value) {
            address = value;
            return this;
        }

        /** Requests the send queue can hold, of all peers together. Default: 64. */
        public Builder sendDepth(int value) {
            sendDepth = value;
            return this;
        }

        /** Receives the receive queue can hold. Default: 64. Without meaning with a shared receive queue. */
        public Builder receiveDepth(int value) {
            receiveDepth = value;
            return this;
        }

        /** Buffers one request can name. Default: 4. */
        public Builder maxSegments(int value) {
            maxSegments = value;
            return this;
        }

        /** Octets of inline payload one request can carry. Default: 64. */
        public Builder maxInline(int value) {
            maxInline = value;
            return this;
        }

        /**
         * Octets of the longest datagram sent, without IP and UDP headers. Default: 0, what the interface of the address takes
         * without IP fragments, or Ethernet if the address is the wildcard. 118 to 65,507; longer than the path takes means IP
         * fragments, which multiply the effect of loss.
         */
        public Builder datagramLength(int value) {
            datagramLength = value;
            return this;
        }

        /**
         * Datagrams that may be on their way to one peer at most; congestion and the peer's credit may allow fewer. A power of
         * two from 16 to 8,192. Default: 1,024.
         */
        public Builder window(int value) {
            window = value;
            return this;
        }

        /**
         * Own Reads and atomics that may be under way to one peer, and those of one peer that may wait for their answer here.
         * Default: 16.
         */
        public Builder maxReads(int value) {
            maxReads = value;
            return this;
        }

        /** Peers to keep apart. Default: 16,384; those beyond get no answer until one was silent for {@link #remember}. */
        public Builder maxPeers(int value) {
            maxPeers = value;
            return this;
        }

        /** Memory for datagrams of all peers that came before others that are due. Default: 8 MiB. */
        public Builder maxReorderOctets(long value) {
            maxReorderOctets = value;
            return this;
        }

        /**
         * Silence after which a peer is forgotten. All queue pairs that talk to each other must have the same, and at least
         * four times {@link #giveUp}: what is on its way may not be older than what is remembered. Default: 60 s.
         */
        public Builder remember(Duration value) {
            remember = value;
            return this;
        }

        /** Time without any acknowledgement after which requests to a peer fail. Default: 10 s. */
        public Builder giveUp(Duration value) {
            giveUp = value;
            return this;
        }

        /** Longest time that an acknowledgement waits for something to travel with, should nothing else send it. Default: 500 us. */
        public Builder ackDelay(Duration value) {
            ackDelay = value;
            return this;
        }

        /** Errors that wait for {@link ReliableQueuePair#pollError}. Default: 64. */
        public Builder errorDepth(int value) {
            errorDepth = value;
            return this;
        }

        /** Octets that may wait in the system to be received; it may allow less, and peers get less credit then. Default: 4 MiB. */
        public Builder receiveBuffer(int value) {
            receiveBuffer = value;
            return this;
        }

        /** Octets that may wait in the system to be sent; it may allow less. Default: 1 MiB. */
        public Builder sendBuffer(int value) {
            sendBuffer = value;
            return this;
        }

        /** Whether peers may use RDMA Read and atomic operations at all. Default: true. */
        public Builder allowRemoteRead(boolean value) {
            allowRemoteRead = value;
            return this;
        }

        /** Whether peers may use RDMA Write at all. Default: true. */
        public Builder allowRemoteWrite(boolean value) {
            allowRemoteWrite = value;
            return this;
        }

        /** Whether the system may join and cut datagrams, where it can. Default: true. */
        public Builder offload(boolean value) {
            offload = value;
            return this;
        }

        /** Takes receives from {@code value} instead of an own queue. */
        public Builder sharedReceiveQueue(SharedReceiveQueue value) {
            sharedReceiveQueue = value;
            return this;
        }

        /** The finished configuration. */
        public ReliableQueuePairConfig build() {
            return new ReliableQueuePairConfig(this);
        }
    }
}
