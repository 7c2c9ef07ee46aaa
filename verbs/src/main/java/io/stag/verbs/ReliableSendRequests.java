package io.stag.verbs;

/**
 * The requests of a reliable datagram queue pair. {@link #to(AddressHandle)} or {@link #to(DatagramInfo)} comes first and says
 * where all requests go that are started from then on, in later lists too, until it is called again:
 *
 * <pre>{@code
 * requests.to(store).write(1, stag, 0).from(region, 0, 4096);
 * requests.to(index).send(2).inline(note);
 * requests.post();
 * }</pre>
 *
 * <p>Requests to one peer take effect and complete in the order of posting, those to different peers in any order. A
 * successful completion promises:
 *
 * <table>
 * <caption>what a completion says</caption>
 * <tr><th>request</th><th>its completion says</th></tr>
 * <tr><td>Send, Immediate Data</td><td>the message is in the buffers of a receive of the peer, and the completion of that
 *     receive was delivered</td></tr>
 * <tr><td>RDMA Write</td><td>all octets are in the memory of the peer</td></tr>
 * <tr><td>RDMA Write with Immediate Data</td><td>both</td></tr>
 * <tr><td>RDMA Read</td><td>the octets are here</td></tr>
 * <tr><td>atomic operation</td><td>it was carried out once, and the value before it is here</td></tr>
 * </table>
 *
 * <p>A request that failed was carried out or not, but not twice.
 */
public interface ReliableSendRequests extends PeerRequests<ReliableSendRequests> {

    /** The requests that follow go to {@code destination}. */
    ReliableSendRequests to(AddressHandle destination);

    /** The requests that follow go to where a message came from; {@code source} may be overwritten afterwards. */
    ReliableSendRequests to(DatagramInfo source);
}
