package io.stag.verbs;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Settings of a queue pair; immutable. Limits of the device are checked when the queue pair is created. */
public final class QueuePairConfig {
    private final CompletionQueue sendQueue;
    private final CompletionQueue receiveQueue;
    private final int sendDepth;
    private final int receiveDepth;
    private final int maxSegments;
    private final int maxInline;
    private final int maxInboundReads;
    private final int maxOutboundReads;
    private final boolean allowRemoteRead;
    private final boolean allowRemoteWrite;
    private final boolean allowWindowBind;
    private final boolean allowFastRegister;
    private final @Nullable SharedReceiveQueue sharedReceiveQueue;
    private final int inProgressLimit;

    private QueuePairConfig(Builder builder) {
        sendQueue = builder.sendQueue;
        receiveQueue = builder.receiveQueue;
        sendDepth = builder.sendDepth;
        receiveDepth = builder.receiveDepth;
        maxSegments = builder.maxSegments;
        maxInline = builder.maxInline;
        maxInboundReads = builder.maxInboundReads;
        maxOutboundReads = builder.maxOutboundReads;
        allowRemoteRead = builder.allowRemoteRead;
        allowRemoteWrite = builder.allowRemoteWrite;
        allowWindowBind = builder.allowWindowBind;
        allowFastRegister = builder.allowFastRegister;
        sharedReceiveQueue = builder.sharedReceiveQueue;
        inProgressLimit = builder.inProgressLimit;
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

    /** See {@link Builder#maxInboundReads}. */
    public int maxInboundReads() {
        return maxInboundReads;
    }

    /** See {@link Builder#maxOutboundReads}. */
    public int maxOutboundReads() {
        return maxOutboundReads;
    }

    /** See {@link Builder#allowRemoteRead}. */
    public boolean allowRemoteRead() {
        return allowRemoteRead;
    }

    /** See {@link Builder#allowRemoteWrite}. */
    public boolean allowRemoteWrite() {
        return allowRemoteWrite;
    }

    /** See {@link Builder#allowWindowBind}. */
    public boolean allowWindowBind() {
        return allowWindowBind;
    }

    /** See {@link Builder#allowFastRegister}. */
    public boolean allowFastRegister() {
        return allowFastRegister;
    }

    /** See {@link Builder#sharedReceiveQueue}. */
    public Optional<SharedReceiveQueue> sharedReceiveQueue() {
        return Optional.ofNullable(sharedReceiveQueue);
    }

    /** See {@link Builder#inProgressLimit}. */
    public int inProgressLimit() {
        return inProgressLimit;
    }

    /** Builds a {@link QueuePairConfig}. */
    public static final class Builder {
        private final CompletionQueue sendQueue;
        private final CompletionQueue receiveQueue;
        private int sendDepth = 64;
        private int receiveDepth = 64;
        private int maxSegments = 4;
        private int maxInline = 64;
        private int maxInboundReads = 16;
        private int maxOutboundReads = 16;
        private boolean allowRemoteRead = true;
        private boolean allowRemoteWrite = true;
        private boolean allowWindowBind = true;
        private boolean allowFastRegister = true;
        private @Nullable SharedReceiveQueue sharedReceiveQueue;
        private int inProgressLimit;

        private Builder(CompletionQueue sendQueue, CompletionQueue receiveQueue) {
            this.sendQueue = sendQueue;
            this.receiveQueue = receiveQueue;
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

        /** Reads and atomics of the peer held at once (IRD). Default: 16. */
        public Builder maxInboundReads(int value) {
            maxInboundReads = value;
            return this;
        }

        /** Own Reads and atomics outstanding at once (ORD); more wait in the send queue. Default: 16; 0 forbids them. */
        public Builder maxOutboundReads(int value) {
            maxOutboundReads = value;
            return this;
        }

        /** Whether the peer may use RDMA Read and atomics at all. Default: true. */
        public Builder allowRemoteRead(boolean value) {
            allowRemoteRead = value;
            return this;
        }

        /** Whether the peer may use RDMA Write at all. Default: true. */
        public Builder allowRemoteWrite(boolean value) {
            allowRemoteWrite = value;
            return this;
        }

        /** Whether memory windows may be bound through this queue pair. Default: true. */
        public Builder allowWindowBind(boolean value) {
            allowWindowBind = value;
            return this;
        }

        /** Whether memory may be registered through this queue pair's send queue. Default: true. */
        public Builder allowFastRegister(boolean value) {
            allowFastRegister = value;
            return this;
        }

        /** Takes receives from {@code value} instead of an own queue. */
        public Builder sharedReceiveQueue(SharedReceiveQueue value) {
            sharedReceiveQueue = value;
            return this;
        }

        /**
         * Receives of the shared receive queue taken by this queue pair and not yet polled, above which
         * {@link AsyncEvent.InProgressLimitReached} fires once. Default: 0, never.
         */
        public Builder inProgressLimit(int value) {
            inProgressLimit = value;
            return this;
        }

        /** The finished configuration. */
        public QueuePairConfig build() {
            return new QueuePairConfig(this);
        }
    }
}
