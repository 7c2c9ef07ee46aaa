package io.stag.rnic.cm;

import io.stag.rnic.agent.RnicAgent;
import io.stag.rnic.agent.Task;
import io.stag.rnic.cm.ConnectionLife.Phase;
import io.stag.rnic.mpa.StagingPool;
import io.stag.rnic.qp.QueuePairLink;
import io.stag.rnic.qp.SoftQueuePair;
import io.stag.rnic.rdmap.RdmaStream;
import io.stag.rnic.transport.TransportStream;
import io.stag.verbs.ErrorDetail;
import io.stag.verbs.ErrorDetail.Layer;
import io.stag.verbs.cm.ConnectionConfig;
import java.io.IOException;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * The work of one connection, as the agent ({@link Task}) and the queue pair ({@link QueuePairLink}) ask for it; what the
 * program sees of it is {@link SoftConnection}. It holds what its parts share, and passes each call on to the part that is
 * concerned:
 *
 * <ul>
 *   <li>{@link ConnectionSetup}: up to full operation
 *   <li>{@link InboundOctets}, {@link OutboundOctets}: the octets of the stream, then and later
 *   <li>{@link ConnectionTimers}: what full operation waits for
 *   <li>{@link OrderlyClose}: the end in order
 *   <li>{@link ConnectionLife}: how far it is, and every change of that
 * </ul>
 *
 * <p>Belongs to its agent: everything, the parts included, runs under the agent's lock, unless it says otherwise. The
 * agent changes once at most, before full operation; {@link #lockAgent} is for those who come without the lock.
 */
final class ConnectionTask extends Task implements QueuePairLink {
    private final boolean initiator;
    private final InetSocketAddress remote;
    private final ConnectionLife life;
    private final ConnectionSetup setup;
    private final ConnectionTimers timers;
    private final InboundOctets inbound;
    private final OutboundOctets outbound;
    private final OrderlyClose closing;
    private volatile RnicAgent agent; // changes once at most, when the program decides on a request
    private ConnectionConfig config;
    private @Nullable SoftQueuePair queuePair; // a responder's is known with the decision
    private @Nullable TransportStream transport;
    private @Nullable RdmaStream stream; // in full operation

    /** The initiator's side. */
    ConnectionTask(
            CmHost host,
            SoftConnection connection,
            SoftQueuePair queuePair,
            InetSocketAddress remote,
            ConnectionConfig config) {
        this.remote = remote;
        this.config = config;
        this.queuePair = queuePair;
        agent = queuePair.agent();
        initiator = true;
        life = new ConnectionLife(host, connection, this, Phase.TCP_CONNECT);
        setup = new InitiatorSetup(host, this);
        timers = new ConnectionTimers(host, this);
        inbound = new InboundOctets(this);
        outbound = new OutboundOctets(this);
        closing = new OrderlyClose(host, this);
    }

    /** The responder's side: a peer connected. */
    ConnectionTask(
            CmHost host, SoftConnection connection, RnicAgent agent, SoftListener listener, TransportStream transport) {
        this.agent = agent;
        this.transport = transport;
        remote = transport.remoteAddress();
        config = ConnectionConfig.defaults();
        initiator = false;
        life = new ConnectionLife(host, connection, this, Phase.STARTUP);
        setup = new ResponderSetup(host, this, connection, listener);
        timers = new ConnectionTimers(host, this);
        inbound = new InboundOctets(this);
        outbound = new OutboundOctets(this);
        closing = new OrderlyClose(host, this);
    }

    /**
     * Takes the lock of the agent, wherever the connection may just move to. Any thread.
     *
     * @return the agent, to be unlocked
     */
    RnicAgent lockAgent() {
        while (true) {
            RnicAgent current = agent;
            current.lock();
            if (current == agent) {
                return current;
            }
            current.unlock();
        }
    }

    // the agent's calls

    @Override
    protected long workDone() {
        SoftQueuePair mine = queuePair;
        return mine == null ? 0 : mine.counters().workDone();
    }

    /** The agent that calls may have learned of something before the connection moved to another. */
    private boolean isElsewhere() {
        return !agent.isHeldByCurrentThread();
    }

    @Override
    public void onReady() {
        if (isElsewhere()) {
            return; // the other one's selector reports it again
        }
        if (phase() == Phase.TCP_CONNECT) {
            setup.connectReady();
            return;
        }
        inbound.readAndProcess();
        outbound.transmitAnswers();
    }

    @Override
    public int onPoll() {
        if (phase() == Phase.ENDED || phase() == Phase.TCP_CONNECT || isElsewhere()) {
            return 0;
        }
        int work = inbound.readAndProcess();
        if (work > 0) {
            outbound.transmitAnswers();
        }
        return work;
    }

    @Override
    public void inputIsPolled(boolean polled) {
        TransportStream below = transport;
        if (below != null) {
            below.pollsInput(polled);
        }
    }

    @Override
    public int onDoorbell() {
        if (isElsewhere()) {
            agent.ring(this);
            return 0;
        }
        if (phase() == Phase.TCP_CONNECT) {
            onReady();
            return 1;
        }
        SoftQueuePair mine = queuePair;
        if (mine != null) {
            mine.flushLatecomers(); // also when the connection ended between their posting and this
        }
        return transmit();
    }

    @Override
    public void onDeadline(long now) {
        switch (phase()) {
            case TCP_CONNECT, STARTUP -> setup.onDeadline(now);
            case FULL_OPERATION -> timers.onDeadline(now);
            case ENDED -> {}
        }
    }

    @Override
    public void onFailure(Throwable failure) {
        agent.staging().splices().clear();
        life.lose(ErrorDetail.of(Layer.VERBS, "none", text(failure)), false);
    }

    // the queue pair's calls

    @Override
    public Task task() {
        return this;
    }

    @Override
    public void peerIsReady() {
        timers.firstMessageCame();
        life.established();
    }

    @Override
    public void streamFinishing() {
        closing.finishing();
    }

    @Override
    public void reset(ErrorDetail detail) {
        life.lose(detail, false);
    }

    // what the parts share and ask of each other

    /** Any thread. */
    RnicAgent agent() {
        return agent;
    }

    InetSocketAddress remoteAddress() {
        return remote;
    }

    boolean isInitiator() {
        return initiator;
    }

    ConnectionConfig config() {
        return config;
    }

    Phase phase() {
        return life.phase();
    }

    ConnectionLife life() {
        return life;
    }

    ConnectionSetup setup() {
        return setup;
    }

    ConnectionTimers timers() {
        return timers;
    }

    OrderlyClose closing() {
        return closing;
    }

    @Nullable
    SoftQueuePair linked() {
        return queuePair;
    }

    SoftQueuePair linkedQueuePair() {
        SoftQueuePair mine = queuePair;
        if (mine == null) {
            throw new IllegalStateException("not accepted yet");
        }
        return mine;
    }

    @Nullable
    TransportStream transport() {
        return transport;
    }

    TransportStream streamBelow() {
        TransportStream below = transport;
        if (below == null) {
            throw new IllegalStateException("no stream");
        }
        return below;
    }

    @Nullable
    RdmaStream stream() {
        return stream;
    }

    RdmaStream operating() {
        RdmaStream active = stream;
        if (active == null) {
            throw new IllegalStateException("not in full operation");
        }
        return active;
    }

    /** TCP is being connected. */
    void use(TransportStream connecting) {
        transport = connecting;
    }

    /** The program decided. Only the lock of the old agent is held, and the transport serves neither. */
    void movedTo(RnicAgent target) {
        agent = target;
    }

    /** The program decided. */
    void accepted(SoftQueuePair accepted, ConnectionConfig newConfig) {
        queuePair = accepted;
        config = newConfig;
    }

    /** The startup is over. */
    void operate(RdmaStream started) {
        stream = started;
        life.fullOperation();
    }

    /** Sends what there is. @return amount of work done */
    int transmit() {
        return outbound.transmit();
    }

    /** Octets wait since the transport is full. */
    boolean outputWaits() {
        return outbound.waits();
    }

    /** The peer closed its half. */
    boolean inputEnded() {
        return inbound.hasEnded();
    }

    /** Part of an FPDU came, in full operation. */
    boolean isInsideFpdu() {
        return inbound.holdsPart();
    }

    /** Reading or writing failed. */
    void streamBroke(IOException e) {
        if (phase() == Phase.STARTUP && setup.takesResetAsRefusal()) {
            return;
        }
        life.lose(TransportFault.of("the stream to " + remote + " broke", e), false);
    }

    /** Another TCP connection replaces this one. */
    void forgetOctets() {
        inbound.startAgain();
        outbound.startAgain(agent.staging());
    }

    /** The end: nothing of the agent's and the listener's is kept. */
    void releaseAll() {
        StagingPool pool = agent.staging();
        inbound.release(pool);
        outbound.release(pool);
        agent.remove(this);
        setup.connectionEnded();
    }
}
