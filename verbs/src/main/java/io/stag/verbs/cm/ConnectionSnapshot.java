package io.stag.verbs.cm;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;

/**
 * One connection at one moment. {@link ConnectionManager#find} gives the connection itself, for instance to close it.
 *
 * @param id number of the connection, never used again
 * @param queuePair number of its queue pair, or 0 while a peer's request waits for a decision
 * @param initiator whether this side asked for the connection
 * @param localAddress our end
 * @param remoteAddress the peer's end
 * @param state its stage
 * @param age time since its first octet or attempt
 * @param idle time since a segment moved in either direction, or since the set-up began. Reads of nothing do not count,
 *     since liveness probes are such. With {@link io.stag.verbs.ProgressMode#INVOKER} a connection may look less idle
 *     than it is while nobody drives the RNIC
 * @param info what the two sides agreed on; empty in set-up
 */
public record ConnectionSnapshot(
        long id,
        int queuePair,
        boolean initiator,
        InetSocketAddress localAddress,
        InetSocketAddress remoteAddress,
        Connection.State state,
        Duration age,
        Duration idle,
        Optional<ConnectionInfo> info) {}
