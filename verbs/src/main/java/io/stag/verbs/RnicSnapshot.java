package io.stag.verbs;

import io.stag.verbs.cm.ConnectionSnapshot;
import java.util.List;

/**
 * All counters of an RNIC at one moment. They are read while the RNIC works, so they are from about the same moment, not
 * from exactly the same. Counts begin with the RNIC. The lists are in order of their numbers.
 *
 * @param name name of the RNIC
 * @param connectionsOpen connections established and not yet closed
 * @param connectionsHalfOpen connections in set-up
 * @param connectionsAccepted connections made by peers
 * @param connectionsMade connections made to peers
 * @param connectionsFailed set-ups that failed, time-outs, rejections and peers turned away included
 * @param connectionsRejected of these, requests rejected by the program on either side
 * @param connectionsTurnedAway of these, peers turned away because too many connections were in set-up or waited for a
 *     decision
 * @param connectionsLost connections that ended otherwise than by a close of both sides or a Terminate
 * @param completionQueueOverflows completions lost because a completion queue was full
 * @param totals what all connected queue pairs did, those already closed included
 * @param datagramTotals what all datagram queue pairs did, those already closed included
 * @param reliableTotals what all reliable datagram queue pairs did, those already closed included; round trip and window are the
 *     longest and the smallest of those that are open
 * @param terminates errors that ended streams, one entry per code seen
 * @param agents one entry per agent
 * @param connections one entry per connection, those in set-up included
 * @param queuePairs one entry per queue pair
 * @param datagramQueuePairs one entry per datagram queue pair
 * @param reliableQueuePairs one entry per reliable datagram queue pair
 * @param completionQueues one entry per completion queue
 * @param regions one entry per memory region
 */
public record RnicSnapshot(
        String name,
        long connectionsOpen,
        long connectionsHalfOpen,
        long connectionsAccepted,
        long connectionsMade,
        long connectionsFailed,
        long connectionsRejected,
        long connectionsTurnedAway,
        long connectionsLost,
        long completionQueueOverflows,
        QueuePairCounters totals,
        DatagramCounters datagramTotals,
        ReliableCounters reliableTotals,
        List<TerminateCount> terminates,
        List<AgentSnapshot> agents,
        List<ConnectionSnapshot> connections,
        List<QueuePairSnapshot> queuePairs,
        List<DatagramSnapshot> datagramQueuePairs,
        List<ReliableSnapshot> reliableQueuePairs,
        List<CompletionQueueSnapshot> completionQueues,
        List<RegionSnapshot> regions) {}
