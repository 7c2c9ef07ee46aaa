package io.stag.cli.perf;

import com.google.gson.annotations.SerializedName;
import org.jspecify.annotations.Nullable;

/**
 * What was measured; the names are those of the JSON file, and null stands where a figure does not apply.
 *
 * @param test name of the test
 * @param transport tcp, udp or rd
 * @param size octets per message
 * @param crc whether CRC32C was used; null for raw TCP
 * @param markers whether Markers were used; null for the baselines
 * @param progress who drove the RNIC; null for the baselines
 * @param waitMode how a side waited
 * @param path which system calls were used
 * @param connections connections in use; 1 also where there are none
 * @param idleConnections connections that were open besides
 * @param segment TCP segment size that was asked for, or length of datagrams; 0 for that of the path
 * @param depth requests outstanding at most
 * @param loss percent of the packets that a relay lost
 * @param flow flow window of datagram queue pairs; 0 for none
 * @param rate millions of octets per second that were sent at most; 0 for no limit
 * @param p50Us half of the samples were faster
 * @param p99Us 99 percent of the samples were faster
 * @param meanUs mean of the samples
 * @param mbPerS millions of octets that arrived per second, one way
 * @param msgsPerS messages that arrived per second, one way
 * @param cpuUsPerMsg processor time of both processes per message
 * @param allocBytesPerOp octets allocated on both heaps per sample
 * @param fairness how evenly the connections got their messages, after Jain: 1 when all got the same, 1/n when one got
 *     all; null unless several connections were in use at once
 * @param samples round trips, or messages of a bandwidth test
 * @param congestionControl of TCP, where the system tells
 * @param delivery what arrived, where messages may get lost; null otherwise
 */
public record PerfResult(
        String test,
        String transport,
        int size,
        @Nullable Boolean crc,
        @Nullable Boolean markers,
        @Nullable String progress,
        @SerializedName("wait") String waitMode,
        String path,
        int connections,
        @SerializedName("idle_connections") int idleConnections,
        int segment,
        int depth,
        double loss,
        int flow,
        double rate,
        @SerializedName("p50_us") @Nullable Double p50Us,
        @SerializedName("p99_us") @Nullable Double p99Us,
        @SerializedName("mean_us") @Nullable Double meanUs,
        @SerializedName("mb_per_s") @Nullable Double mbPerS,
        @SerializedName("msgs_per_s") @Nullable Double msgsPerS,
        @SerializedName("cpu_us_per_msg") @Nullable Double cpuUsPerMsg,
        @SerializedName("alloc_bytes_per_op") @Nullable Double allocBytesPerOp,
        @Nullable Double fairness,
        long samples,
        @SerializedName("congestion_control") @Nullable String congestionControl,
        @Nullable Delivery delivery) {}
