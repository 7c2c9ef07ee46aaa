package io.stag.verbs;

import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Settings of a datagram queue pair; immutable. Limits are checked when the queue pair is created. */
public final class DatagramQueuePairConfig {
    private final CompletionQueue sendQueue;
    private final CompletionQueue receiveQueue;
    private final InetSocketAddress address;
    private final int sendDepth;
    private final int receiveDepth;
    private final int maxSegments;
    private final int maxInline;
    private final int datagramLength;
    private final long maxMessageLength;
    private final int recordDepth;
    private final int maxOpenMessages;
    private final int maxOpenMessagesPerSource;
    private final long maxReassemblyOctets;
    private final int maxSources;
    private final Duration sourceIdle;
    private final Duration minMessageTimeout;
    private final Duration maxMessageTimeout;
    private final int errorDepth;
    private final int receiveBuffer;
    private final int sendBuffer;
    private final boolean allowWriteRecord;
    private final boolean allowBroadcast;
    private final boolean sharedAddress;
    private final boolean offload;
    private final int multicastHops;
    private final boolean flowReports;
    private final Duration flowTimeout;
    private final int flowWindow;
    private final @Nullable SharedReceiveQueue sharedReceiveQueue;
    private final @Nullable NetworkInterface multicastNetwork;

    private DatagramQueuePairConfig(Builder builder) {
        sendQueue = builder.sendQueue;
        receiveQueue = builder.receiveQueue;
        address = builder.address;
        sendDepth = builder.sendDepth;
        receiveDepth = builder.receiveDepth;
        maxSegments = builder.maxSegments;
        maxInline = builder.maxInline;
        datagramLength = builder.datagramLength;
        maxMessageLength = builder.maxMessageLength;
        recordDepth = builder.recordDepth;
        maxOpenMessages = builder.maxOpenMessages;
        maxOpenMessagesPerSource = builder.maxOpenMessagesPerSource;
        maxReassemblyOctets = builder.maxReassemblyOctets;
        maxSources = builder.maxSources;
        sourceIdle = builder.sourceIdle;
        minMessageTimeout = builder.minMessageTimeout;
        maxMessageTimeout = builder.maxMessageTimeout;
        errorDepth = builder.errorDepth;
        receiveBuffer = builder.receiveBuffer;
        sendBuffer = builder.sendBuffer;
        allowWriteRecord = builder.allowWriteRecord;
        allowBroadcast = builder.allowBroadcast;
        sharedAddress = builder.sharedAddress;
        offload = builder.offload;
        multicastHops = builder.multicastHops;
        flowReports = builder.flowReports;
        flowTimeout = builder.flowTimeout;
        flowWindow = builder.flowWindow;
        sharedReceiveQueue = builder.sharedReceiveQueue;
        multicastNetwork = builder.multicastNetwork;
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

    /** Where completions of receives and Write-Records go. */
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

    /** See {@link Builder#maxMessageLength}. */
    public long maxMessageLength() {
        return maxMessageLength;
    }

    /** See {@link Builder#recordDepth}. */
    public int recordDepth() {
        return recordDepth;
    }

    /** See {@link Builder#maxOpenMessages}. */
    public int maxOpenMessages() {
        return maxOpenMessages;
    }

    /** See {@link Builder#maxOpenMessagesPerSource}. */
    public int maxOpenMessagesPerSource() {
        return maxOpenMessagesPerSource;
    }

    /** See {@link Builder#maxReassemblyOctets}. */
    public long maxReassemblyOctets() {
        return maxReassemblyOctets;
    }

    /** See {@link Builder#maxSources}. */
    public int maxSources() {
        return maxSources;
    }

    /** See {@link Builder#sourceIdle}. */
    public Duration sourceIdle() {
        return sourceIdle;
    }

    /** See {@link Builder#minMessageTimeout}. */
    public Duration minMessageTimeout() {
        return minMessageTimeout;
    }

    /** See {@link Builder#maxMessageTimeout}. */
    public Duration maxMessageTimeout() {
        return maxMessageTimeout;
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

    /** See {@link Builder#allowWriteRecord}. */
    public boolean allowWriteRecord() {
        return allowWriteRecord;
    }

    /** See {@link Builder#allowBroadcast}. */
    public boolean allowBroadcast() {
        return allowBroadcast;
    }

    /** See {@link Builder#sharedAddress}. */
    public boolean sharedAddress() {
        return sharedAddress;
    }

    /** See {@link Builder#offload}. */
    public boolean offload() {
        return offload;
    }

    /** See {@link Builder#multicastHops}. */
    public int multicastHops() {
        return multicastHops;
    }

    /** See {@link Builder#flowWindow}. */
    public int flowWindow() {
        return flowWindow;
    }

    /** See {@link Builder#flowTimeout}. */
    public Duration flowTimeout() {
        return flowTimeout;
    }

    /** See {@link Builder#flowReports}. */
    public boolean flowReports() {
        return flowReports;
    }

    /** See {@link Builder#sharedReceiveQueue}. */
    public Optional<SharedReceiveQueue> sharedReceiveQueue() {
        return Optional.ofNullable(sharedReceiveQueue);
    }

    /** See {@link Builder#multicastNetwork}. */
    public Optional<NetworkInterface> multicastNetwork() {
        return Optional.ofNullable(multicastNetwork);
    }

    /** Builds a {@link DatagramQueuePairConfig}. */
    public static final class Builder {
        private final CompletionQueue sendQueue;
        private final CompletionQueue receiveQueue;
        private InetSocketAddress address = new InetSocketAddress(0);
        private int sendDepth = 64;
        private int receiveDepth = 64;
        private int maxSegments = 4;
        private int maxInline = 64;
        private int datagramLength;
        private long maxMessageLength = 16L << 20;
        private int recordDepth = 64;
        private int maxOpenMessages = 256;
        private int maxOpenMessagesPerSource = 16;
        private long maxReassemblyOctets = 4L << 20;
        private int maxSources = 16_384;
        private Duration sourceIdle = Duration.ofSeconds(5);
        private Duration minMessageTimeout = Duration.ofMillis(5);
        private Duration maxMessageTimeout = Duration.ofMillis(200);
        private int errorDepth = 64;
        private int receiveBuffer = 4 << 20;
        private int sendBuffer = 1 << 20;
        private boolean allowWriteRecord = true;
        private boolean allowBroadcast;
        private boolean sharedAddress;
        private boolean offload = true;
        private int multicastHops = 1;
        private boolean flowReports;
        private Duration flowTimeout = Duration.ofMillis(10);
        private int flowWindow;
        private @Nullable SharedReceiveQueue sharedReceiveQueue;
        private @Nullable NetworkInterface multicastNetwork;

        private Builder(CompletionQueue sendQueue, CompletionQueue receiveQueue) {
            this.sendQueue = sendQueue;
            this.receiveQueue = receiveQueue;
        }

        /** Where to receive. Default: a port that the system chooses, at all addresses of this machine. */
        public Builder address(InetSocketAddress value) {
            address = value;
            return this;
        }

        /** Requests the send queue can hold. Default: 64. */
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
         * without IP fragments, or Ethernet if the address is the wildcard. 106 to 65,507; longer than the path takes means IP
         * fragments, which multiply the effect of loss.
         */
        public Builder datagramLength(int value) {
            datagramLength = value;
            return this;
        }

        /**
         * Octets of the longest message that is received in several datagrams. Default: 16 MiB; up to 4 GiB - 1.
         */
        public Builder maxMessageLength(long value) {
            maxMessageLength = value;
            return this;
        }

        /**
         * Write-Records that may wait in the completion queue; those beyond show in validity maps only. One that is not complete
         * keeps up to 2 KiB for each MiB of {@link #maxMessageLength} until it is polled. Default: 64; 0 for none.
         */
        public Builder recordDepth(int value) {
            recordDepth = value;
            return this;
        }

        /** Messages of which more datagrams are awaited, of all sources. Default: 256. */
        public Builder maxOpenMessages(int value) {
            maxOpenMessages = value;
            return this;
        }

        /**
         * Messages of which more datagrams are awaited, of one source. Default: 16. A source may have sent all but the end of
         * 8 Write-Records before it sends the ends; with fewer than that, some of them get lost.
         */
        public Builder maxOpenMessagesPerSource(int value) {
            maxOpenMessagesPerSource = value;
            return this;
        }

        /** Memory to keep track of such messages while they are open. Default: 4 MiB; a message of 1 MiB needs 2 KiB. */
        public Builder maxReassemblyOctets(long value) {
            maxReassemblyOctets = value;
            return this;
        }

        /** Sources to keep apart, about 300 octets each once they talked. Default: 16,384. */
        public Builder maxSources(int value) {
            maxSources = value;
            return this;
        }

        /**
         * How long after its last datagram a source may be forgotten when there are too many; a datagram must not stay longer in
         * the network. Default: 5 s.
         */
        public Builder sourceIdle(Duration value) {
            sourceIdle = value;
            return this;
        }

        /**
         * Shortest silence after which an open message is closed; the time is learnt from the gaps between datagrams. Default: 5 ms.
         */
        public Builder minMessageTimeout(Duration value) {
            minMessageTimeout = value;
            return this;
        }

        /** Longest such silence, also the first one with a new source. Default: 200 ms. */
        public Builder maxMessageTimeout(Duration value) {
            maxMessageTimeout = value;
            return this;
        }

        /** Errors that wait for {@link DatagramQueuePair#pollError}. Default: 64. */
        public Builder errorDepth(int value) {
            errorDepth = value;
            return this;
        }

        /** Octets that may wait in the system to be received; it may allow less. Default: 4 MiB. */
        public Builder receiveBuffer(int value) {
            receiveBuffer = value;
            return this;
        }

        /** Octets that may wait in the system to be sent; it may allow less. Default: 1 MiB. */
        public Builder sendBuffer(int value) {
            sendBuffer = value;
            return this;
        }

        /** Whether peers may use RDMA Write-Record at all. Default: true. */
        public Builder allowWriteRecord(boolean value) {
            allowWriteRecord = value;
            return this;
        }

        /** Whether this queue pair may send to broadcast addresses. Default: false. */
        public Builder allowBroadcast(boolean value) {
            allowBroadcast = value;
            return this;
        }

        /**
         * Whether others on this machine may have the same address and port, as the members of a multicast group do. Default: false.
         */
        public Builder sharedAddress(boolean value) {
            sharedAddress = value;
            return this;
        }

        /** Whether the system may join and cut datagrams, where it can. Default: true. */
        public Builder offload(boolean value) {
            offload = value;
            return this;
        }

        /** Routers that multicasts may pass, plus one. Default: 1. */
        public Builder multicastHops(int value) {
            multicastHops = value;
            return this;
        }

        /**
         * Datagrams that may be on their way without a report of their receiver, so that a fast sender does not drown a slow
         * receiver. Receivers need {@link #flowReports}. Multicasts do not count. Default: 0, any number; up to 16,384, and
         * 64 at least is sensible: a report comes for every eighth.
         */
        public Builder flowWindow(int value) {
            flowWindow = value;
            return this;
        }

        /**
         * How long the report of a datagram is awaited; it counts as gone then, and a sender goes on. Default: 10 ms.
         */
        public Builder flowTimeout(Duration value) {
            flowTimeout = value;
            return this;
        }

        /**
         * Whether senders that want it get reports of what arrives. A report answers whoever seems to have sent a datagram, so
         * a false source makes this queue pair send to a stranger, one small datagram for every eight. Default: false.
         */
        public Builder flowReports(boolean value) {
            flowReports = value;
            return this;
        }

        /** Takes receives from {@code value} instead of an own queue. */
        public Builder sharedReceiveQueue(SharedReceiveQueue value) {
            sharedReceiveQueue = value;
            return this;
        }

        /** The network that multicasts leave by. Default: the system's choice. */
        public Builder multicastNetwork(NetworkInterface value) {
            multicastNetwork = value;
            return this;
        }

        /** The finished configuration. */
        public DatagramQueuePairConfig build() {
            return new DatagramQueuePairConfig(this);
        }
    }
}
