package io.stag.rnic.observe;

import io.stag.verbs.AgentSnapshot;
import io.stag.verbs.CompletionQueueSnapshot;
import io.stag.verbs.DatagramCounters;
import io.stag.verbs.QueuePairCounters;
import io.stag.verbs.QueuePairSnapshot;
import io.stag.verbs.ReliableCounters;
import io.stag.verbs.TerminateCount;
import java.util.List;

/**
 * An RNIC as JMX shows it, under the name {@code io.stag:type=Rnic,name=…}. Attributes are those of
 * {@link io.stag.verbs.RnicSnapshot}, but for the STags of regions: who knows them may be able to use them.
 */
public interface RnicMXBean {

    /** Name of the RNIC. */
    String getName();

    /** Connections established and not yet closed. */
    long getConnectionsOpen();

    /** Connections in set-up. */
    long getConnectionsHalfOpen();

    /** Connections made by peers. */
    long getConnectionsAccepted();

    /** Connections made to peers. */
    long getConnectionsMade();

    /** Set-ups that failed. */
    long getConnectionsFailed();

    /** Of these, requests rejected by the program on either side. */
    long getConnectionsRejected();

    /** Of these, peers turned away because too many were in set-up or waited for a decision. */
    long getConnectionsTurnedAway();

    /** Connections that ended otherwise than by a close of both sides or a Terminate. */
    long getConnectionsLost();

    /** Completions lost because a completion queue was full. */
    long getCompletionQueueOverflows();

    /** What all connected queue pairs did, those already closed included. */
    QueuePairCounters getTotals();

    /** What all datagram queue pairs did, those already closed included. */
    DatagramCounters getDatagramTotals();

    /** What all reliable datagram queue pairs did, those already closed included. */
    ReliableCounters getReliableTotals();

    /** Errors that ended streams, one entry per code seen. */
    List<TerminateCount> getTerminates();

    /** One entry per agent. */
    List<AgentSnapshot> getAgents();

    /** One entry per queue pair. */
    List<QueuePairSnapshot> getQueuePairs();

    /** One entry per datagram queue pair. */
    List<ManagedDatagrams> getDatagramQueuePairs();

    /** One entry per reliable datagram queue pair. */
    List<ManagedReliable> getReliableQueuePairs();

    /** One entry per completion queue. */
    List<CompletionQueueSnapshot> getCompletionQueues();

    /** One entry per memory region. */
    List<ManagedRegion> getRegions();

    /** One entry per connection, those in set-up included. */
    List<ManagedConnection> getConnections();

    /**
     * Lists connections over which nothing has moved lately.
     *
     * @param idleSeconds for how long at least; 0 lists all
     */
    List<ManagedConnection> listConnections(long idleSeconds);

    /**
     * Starts an orderly close of a connection: requests already posted are carried out first. When that takes longer
     * than the RNIC's close time-out, the stream is reset.
     *
     * @param id number of the connection
     * @return false when there is no such connection (any more)
     */
    boolean disconnect(long id);

    /**
     * Resets a connection at once; outstanding requests are flushed.
     *
     * @param id number of the connection
     * @return false when there is no such connection (any more)
     */
    boolean abort(long id);

    /** All counters in the text format of Prometheus. */
    String prometheus();
}
