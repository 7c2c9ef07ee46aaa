package io.stag.rnic.cm;

import io.stag.rnic.agent.RnicAgent;
import io.stag.rnic.agent.Task;
import io.stag.rnic.mpa.MpaInitiator;
import io.stag.rnic.mpa.MpaResponder;
import io.stag.rnic.mpa.Negotiated;
import io.stag.rnic.mpa.Splices;
import io.stag.rnic.mpa.StagingBuffer;
import io.stag.rnic.mpa.StagingPool;
import io.stag.rnic.mpa.StartupEvent;
import io.stag.rnic.mpa.StartupOffer;
import io.stag.rnic.qp.QueuePairLink;
import io.stag.rnic.qp.SoftQueuePair;
import io.stag.rnic.rdmap.DirectReceiver;
import io.stag.rnic.rdmap.DirectTarget;
import io.stag.rnic.rdmap.RdmaStream;
import io.stag.rnic.rdmap.StreamFailure.Origin;
import io.stag.rnic.rdmap.StreamSettings;
import io.stag.rnic.transport.DirectStream;
import io.stag.rnic.transport.TransportStream;
import io.stag.verbs.ErrorDetail;
import io.stag.verbs.ErrorDetail.Layer;
import io.stag.verbs.QueuePair;
import io.stag.verbs.QueuePairState;
import io.stag.verbs.VerbsError;
import io.stag.verbs.VerbsException;
import io.stag.verbs.cm.Connection;
import io.stag.verbs.cm.ConnectionConfig;
import io.stag.verbs.cm.ConnectionEvent;
import io.stag.verbs.cm.ConnectionInfo;
import io.stag.verbs.cm.ConnectionSnapshot;
import io.stag.wire.rdmap.TerminateCode;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One connection, from the first octet of its startup to the last of its close: moves octets between the transport's
 * stream and the state machines, and keeps the time. Everything but the public methods runs under the agent's lock.
 */
final class SoftConnection extends Task implements Connection, QueuePairLink {
    private static final System.Logger LOG = System.getLogger(SoftConnection.class.getName());

    /** Reads per visit, so that a busy peer does not starve the others. */
    private static final int READS_PER_VISIT = 4;
    /** Octets read beyond payload that goes straight to its place: enough for the headers of the next FPDU. */
    private static final int PEEK = 64;
    /** After so many nudges in vain the silence has another reason. */
    private static final int NUDGES = 5;
    /** TCP begins with segments smaller than the path's where the window is small, and the path may change. */
    private static final long UNTIL_FIRST_LOOK = 64 * 1024;
    /** Octets sent between two looks at the size of TCP segments. */
    private static final long BETWEEN_LOOKS = 16 * 1024 * 1024;
    /** FPDUs per read: no limit but the buffer. */
    private static final int ALL = Integer.MAX_VALUE;

    private enum Phase {
        TCP_CONNECT,
        STARTUP,
        FULL_OPERATION,
        ENDED
    }

    private final CmHost host;
    private final boolean initiator;
    private @Nullable SoftListener listener; // until the program has decided
    private final InetSocketAddress remote;
    private final ConnectionTrace trace;
    private volatile RnicAgent agent; // changes once at most, when the program decides on a request
    private ConnectionConfig config;
    private @Nullable SoftQueuePair queuePair;
    private @Nullable TransportStream transport;
    private @Nullable MpaInitiator request;
    private @Nullable MpaResponder response;
    private @Nullable RdmaStream stream;
    private @Nullable StagingBuffer received; // only while it holds octets
    private @Nullable StagingBuffer unsent;
    private int startupUnsent; // octets of the startup frame still in unsent
    private int wanted; // octets that the last read could have got
    private long untilLook = UNTIL_FIRST_LOOK;
    private boolean outputClosed;
    private boolean inputEnded;
    private boolean closeWhenQuiet;
    private boolean retried;
    private boolean rejecting; // the Reply that says so is on its way out
    private long lastInput;
    private long lastOutput;
    private long answerBy = NEVER; // a liveness probe is under way
    private long closeBy = NEVER;
    private long readyBy = NEVER; // peer-to-peer model: the first message is due
    private long requestedAt;
    private long nudgeAt = NEVER; // nothing heard of the responder yet
    private long nudgeInterval;
    private int nudges;
    private boolean counted; // as half open

    private volatile Phase phase;
    private volatile State state = State.CONNECTING;
    private volatile @Nullable ConnectionInfo info;
    private volatile @Nullable ErrorDetail cause;
    private volatile InetSocketAddress local = new InetSocketAddress(0);
    private volatile byte[] peerPrivateData = {};

    /** The initiator's side. */
    SoftConnection(
            CmHost host, RnicAgent agent, SoftQueuePair queuePair, InetSocketAddress remote, ConnectionConfig config) {
        this.host = host;
        this.agent = agent;
        this.queuePair = queuePair;
        this.remote = remote;
        this.config = config;
        initiator = true;
        listener = null;
        phase = Phase.TCP_CONNECT;
        trace = new ConnectionTrace(host, this, initiator);
    }

    /** The responder's side: a peer connected. */
    SoftConnection(CmHost host, RnicAgent agent, SoftListener listener, TransportStream transport) {
        this.host = host;
        this.agent = agent;
        this.listener = listener;
        this.transport = transport;
        this.remote = transport.remoteAddress();
        config = ConnectionConfig.defaults();
        initiator = false;
        phase = Phase.STARTUP;
        trace = new ConnectionTrace(host, this, initiator);
    }

    // opening

    void open() {
        trace.begin(agent.nanoTime());
        countHalfOpen(true);
        try {
            transport = agent.transport().connect(remote, this);
            if (!retried) { // a second attempt gets no time of its own
                lastInput = agent.nanoTime();
            }
            agent.setDeadline(this, lastInput + config.timeout().toNanos());
            agent.ring(this); // on loopback TCP may be connected already, and no selector reports that
        } catch (IOException | RuntimeException e) {
            fail(transportError("connecting to " + remote + " failed: " + text(e)), State.FAILED);
        }
    }

    void serve() {
        trace.begin(agent.nanoTime());
        countHalfOpen(true);
        local = streamBelow().localAddress();
        long deadline = agent.nanoTime() + host.config().startupTimeout().toNanos();
        response = new MpaResponder(2, deadline);
        agent.setDeadline(this, deadline);
        try {
            agent.transport().adopt(streamBelow(), this);
        } catch (IOException e) {
            fail(transportError("the stream from " + remote + " failed: " + text(e)), State.FAILED);
        }
    }

    private void connected() {
        local = streamBelow().localAddress();
        phase = Phase.STARTUP;
        requestedAt = agent.nanoTime();
        SoftQueuePair mine = linkedQueuePair();
        request = new MpaInitiator(
                offer(mine), config.privateData(), lastInput + config.timeout().toNanos());
        pump();
    }

    private StartupOffer offer(SoftQueuePair mine) {
        return new StartupOffer(
                retried ? 1 : config.mpaRevision(),
                config.crc(),
                config.markers(),
                config.peerToPeer(),
                config.readyToReceive(),
                mine.config().maxInboundReads(),
                mine.config().maxOutboundReads(),
                mine.protectionDomain().rnic().limits().maxInboundReads(),
                config.fallBackToRevision1());
    }

    @Override
    protected long workDone() {
        SoftQueuePair mine = queuePair;
        return mine == null ? 0 : mine.counters().workDone();
    }

    // deciding, on the responder's side; any thread

    void accept(SoftQueuePair accepted, ConnectionConfig newConfig, int revision) {
        RnicAgent target = accepted.agent();
        if (target != agent) {
            moveTo(target);
        }
        target.lock();
        try {
            if (phase == Phase.ENDED) {
                throw new VerbsException(
                        VerbsError.CONNECTION_FAILED, "the peer is gone: " + (cause == null ? "closed" : cause));
            }
            if (revision > newConfig.mpaRevision()) {
                fail(
                        ErrorDetail.of(
                                Layer.MPA,
                                "RFC 6581 §10",
                                "the peer asked with MPA revision " + revision + ", only 1 is configured"),
                        State.FAILED);
                return;
            }
            leaveListener();
            try {
                accepted.link(this);
            } catch (VerbsException e) { // somebody else was quicker than our check
                fail(ErrorDetail.of(Layer.VERBS, "none", text(e)), State.FAILED);
                throw e;
            }
            queuePair = accepted;
            config = newConfig;
            deciding().accept(offer(accepted), newConfig.privateData());
            pump();
        } finally {
            target.unlock();
        }
    }

    /** A queue pair keeps its agent for life, so an accepted stream moves to it. */
    private void moveTo(RnicAgent target) {
        RnicAgent from = agent;
        long deadline;
        from.lock();
        try {
            if (phase == Phase.ENDED) {
                return;
            }
            leaveListener();
            deadline = deciding().pollTimeout();
            from.remove(this);
            streamBelow().release();
            agent = target;
        } finally {
            from.unlock();
        }
        target.lock();
        try {
            target.setDeadline(this, deadline);
            target.transport().adopt(streamBelow(), this);
        } catch (IOException | RuntimeException e) { // runtime: the RNIC was closed meanwhile
            fail(transportError("the stream from " + remote + " failed: " + text(e)), State.FAILED);
        } finally {
            target.unlock();
        }
    }

    /** The listener's close concerns only requests without a decision. Under the lock of the listener's agent. */
    private void leaveListener() {
        SoftListener left = listener;
        listener = null;
        if (left != null) {
            left.forget(this);
        }
    }

    void reject(byte[] privateData) {
        agent.lock();
        try {
            if (phase == Phase.STARTUP) {
                deciding().reject(privateData);
                pump();
            }
        } finally {
            agent.unlock();
        }
    }

    // the agent's calls

    @Override
    public Task task() {
        return this;
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
        if (phase == Phase.TCP_CONNECT) {
            try {
                if (!streamBelow().finishConnect()) {
                    return;
                }
            } catch (IOException e) {
                fail(transportError("connecting to " + remote + " failed: " + text(e)), State.FAILED);
                return;
            }
            connected();
            return;
        }
        readAndProcess();
        pump();
    }

    @Override
    public int onPoll() {
        if (phase == Phase.ENDED || phase == Phase.TCP_CONNECT || isElsewhere()) {
            return 0;
        }
        int work = readAndProcess();
        if (work > 0) {
            pump();
        }
        return work;
    }

    @Override
    public int onDoorbell() {
        if (isElsewhere()) {
            agent.ring(this);
            return 0;
        }
        if (phase == Phase.TCP_CONNECT) {
            onReady();
            return 1;
        }
        SoftQueuePair mine = queuePair;
        if (mine != null) {
            mine.flushLatecomers(); // also when the connection ended between their posting and this
        }
        return pump();
    }

    @Override
    public void onDeadline(long now) {
        switch (phase) {
            case TCP_CONNECT ->
                fail(transportError("connecting to " + remote + " took longer than " + config.timeout()), State.FAILED);
            case STARTUP -> {
                if (rejecting) {
                    rejected();
                    return;
                }
                if (request != null) {
                    request.handleTimeout(now);
                } else {
                    deciding().handleTimeout(now);
                }
                handleStartupEvent();
            }
            case FULL_OPERATION -> onOperatingDeadline(now);
            case ENDED -> {}
        }
    }

    private void onOperatingDeadline(long now) {
        if (now >= closeBy) {
            lose(
                    transportError(
                            "closing took longer than " + host.config().closeTimeout() + "; the stream was reset"),
                    true);
            return;
        }
        if (now >= readyBy) {
            lose(
                    ErrorDetail.of(
                            Layer.MPA,
                            "RFC 6581 §9.2",
                            "the peer chose the peer-to-peer model but sent no first message within "
                                    + host.config().startupTimeout()),
                    false);
            return;
        }
        if (now >= nudgeAt) {
            nudge(now);
        }
        long stall = config.sendProgressTimeout().toNanos();
        if (stall > 0 && unsent != null && now - lastOutput >= stall) {
            lose(transportError("the peer took nothing for " + config.sendProgressTimeout()), false);
            return;
        }
        long probe = config.livenessProbe().toNanos();
        if (probe > 0 && now - lastInput >= probe) {
            if (now >= answerBy) {
                lose(transportError("no sign of life from the peer for " + silence(now)), false);
                return;
            }
            if (answerBy == NEVER) {
                answerBy = now + probe; // from now on: it may be us who slept
                operating().probe();
                pump();
            }
        }
        rearm();
    }

    /** For people, so without the nanoseconds. */
    private Duration silence(long now) {
        return Duration.ofNanos(now - lastInput).truncatedTo(ChronoUnit.MILLIS);
    }

    /**
     * Linux siw does not see what arrives between its Reply and the moment when it listens to the stream as a queue pair,
     * until something else arrives. A Write of nothing is always allowed and leaves no trace in the peer's memory.
     */
    private void nudge(long now) {
        if (linkedQueuePair().state() == QueuePairState.RTS && operating().nudge()) {
            pump();
        }
        nudges++;
        nudgeInterval *= 2;
        nudgeAt = nudges < NUDGES ? now + nudgeInterval : NEVER;
    }

    /** Sets the next deadline of a connection in full operation. */
    private void rearm() {
        if (phase != Phase.FULL_OPERATION) {
            return;
        }
        long next = Math.min(Math.min(closeBy, readyBy), nudgeAt);
        long probe = config.livenessProbe().toNanos();
        if (probe > 0) {
            next = Math.min(next, answerBy != NEVER ? answerBy : lastInput + probe);
        }
        long stall = config.sendProgressTimeout().toNanos();
        if (stall > 0 && unsent != null) {
            next = Math.min(next, lastOutput + stall);
        }
        agent.setDeadline(this, next);
    }

    @Override
    public void onBug(RuntimeException bug) {
        agent.staging().splices().clear();
        lose(ErrorDetail.of(Layer.VERBS, "none", "a bug in Stag: " + bug), false);
    }

    // input

    private int readAndProcess() {
        TransportStream below = transport;
        if (below == null || inputEnded) {
            return 0;
        }
        StagingPool pool = agent.staging();
        StagingBuffer in = received != null ? received : pool.lease();
        received = null;
        int total = 0;
        try {
            for (int i = 0; i < READS_PER_VISIT && phase != Phase.ENDED; i++) {
                if (in.room() < Math.min(StagingPool.FPDU_CAPACITY, in.capacity() - in.size())) {
                    in.compact();
                }
                int count = readOnce(below, in);
                if (count == DirectStream.GONE) {
                    total++;
                    break;
                }
                if (count < 0) {
                    inputEnded = true;
                    endOfStream(in);
                    total++;
                    break;
                }
                if (count == 0) {
                    break;
                }
                total += count;
                process(in, count);
                if (count < wanted) {
                    break; // that was all: spare the system call that says so
                }
            }
        } catch (IOException e) {
            broken(e);
            total++;
        }
        if (in.size() == 0 || phase == Phase.ENDED) {
            pool.release(in);
        } else {
            received = pool.settle(in);
        }
        if (total > 0 && phase != Phase.ENDED) {
            agent.heat(this);
            agent.markActive(this);
        }
        return total;
    }

    /** Reads to where the next octets belong, {@link #wanted} of them at most. @return as {@link DirectStream} says */
    private int readOnce(TransportStream below, StagingBuffer in) throws IOException {
        RdmaStream active = stream;
        if (active == null || !(below instanceof DirectStream able)) {
            wanted = in.room();
            return below.read(in);
        }
        DirectReceiver direct = active.direct();
        DirectTarget target = direct.target(in);
        if (target == null) {
            wanted = direct.expectsLarge() && in.size() < PEEK ? PEEK : in.room();
            return able.read(MemorySegment.NULL, 0, 0, in, wanted);
        }
        wanted = target.length() + PEEK;
        int count = able.read(target.memory(), target.offset(), target.length(), in, PEEK);
        if (count == DirectStream.GONE) {
            direct.targetGone();
        } else if (count > 0) {
            direct.placed(Math.min(count, target.length()));
        }
        return count;
    }

    private void broken(IOException e) {
        if (phase == Phase.STARTUP && request != null && config.fallBackToRevision1() && !retried) {
            request.handleEndOfStream(); // TCP resets when a peer closes and has not read all of the Request
            handleStartupEvent();
            return;
        }
        lose(transportError("the stream to " + remote + " broke: " + text(e)), false);
    }

    private void process(StagingBuffer in, int count) {
        if (config.livenessProbe().isPositive()) {
            lastInput = agent.nanoTime();
            answerBy = NEVER;
        }
        if (phase == Phase.STARTUP) {
            int taken = request != null
                    ? request.handleOctets(in.segment(), in.start(), in.size())
                    : deciding().handleOctets(in.segment(), in.start(), in.size());
            in.consume(taken);
            count -= taken;
            handleStartupEvent();
        }
        SoftQueuePair mine = queuePair;
        if (phase != Phase.FULL_OPERATION || mine == null) {
            return;
        }
        if (count > 0 && mine.state() == QueuePairState.CLOSING) {
            lose(
                    ErrorDetail.of(
                            Layer.RDMAP, "RDMA verbs §6.2.5", "the peer sent data while the connection was closing"),
                    true);
            return;
        }
        if (count > 0) {
            nudgeAt = NEVER;
        }
        mine.countReceived(count);
        operating().received(in, ALL);
    }

    private void endOfStream(StagingBuffer in) {
        switch (phase) {
            case STARTUP -> {
                if (request != null) {
                    request.handleEndOfStream();
                } else {
                    deciding().handleEndOfStream();
                }
                handleStartupEvent();
            }
            case FULL_OPERATION -> {
                SoftQueuePair mine = linkedQueuePair();
                if (mine.state() == QueuePairState.RTS) {
                    boolean insideFpdu = in.size() > 0 || operating().direct().isUnderWay();
                    if (operating().isQuiet() && !insideFpdu) {
                        mine.beginClosing();
                        streamFinishing();
                    } else {
                        operating()
                                .terminate(
                                        TerminateCode.RDMAP_CATASTROPHIC_STREAM,
                                        Layer.TRANSPORT,
                                        "RDMA verbs §6.2.2.3",
                                        insideFpdu
                                                ? "the peer closed the stream inside an FPDU"
                                                : "the peer closed the stream while requests were outstanding",
                                        Origin.CLOSE);
                    }
                }
            }
            case TCP_CONNECT, ENDED -> {}
        }
    }

    // startup

    private void handleStartupEvent() {
        StartupEvent event = request != null ? request.pollEvent() : deciding().pollEvent();
        switch (event) {
            case null -> {}
            case StartupEvent.RequestReceived received -> {
                peerPrivateData = deciding().privateData();
                if (listener != null && !listener.requested(new SoftRequest(this, received, peerPrivateData))) {
                    fail(
                            ErrorDetail.of(Layer.VERBS, "none", "too many connection requests wait for a decision"),
                            State.FAILED);
                }
            }
            case StartupEvent.Established established -> establish(established.negotiated(), null);
            case StartupEvent.TerminateNeeded needed -> establish(needed.negotiated(), needed);
            case StartupEvent.Rejected rejected -> {
                if (request != null) {
                    peerPrivateData = request.privateData();
                }
                info = infoOf(rejected.negotiated());
                fail(rejected.detail(), State.REJECTED);
            }
            case StartupEvent.RejectionSent _ -> rejecting = true;
            case StartupEvent.Failed failed -> {
                if (failed.retryWithRevision1() && !retried) {
                    retryWithRevision1();
                } else {
                    fail(failed.detail(), State.FAILED);
                }
            }
        }
    }

    private void rejected() {
        fail(ErrorDetail.of(Layer.VERBS, "RFC 5044 §7.1.2", "the request was rejected"), State.REJECTED);
    }

    private void retryWithRevision1() {
        retried = true;
        agent.remove(this);
        streamBelow().close();
        countHalfOpen(false);
        request = null;
        inputEnded = false;
        if (unsent != null) { // the rest of the first Request
            agent.staging().release(unsent);
            unsent = null;
        }
        startupUnsent = 0;
        phase = Phase.TCP_CONNECT;
        open();
    }

    private void establish(Negotiated negotiated, StartupEvent.@Nullable TerminateNeeded refused) {
        SoftQueuePair mine = linkedQueuePair();
        TransportStream below = streamBelow();
        info = infoOf(negotiated);
        if (request != null) {
            peerPrivateData = request.privateData();
        }
        int emss = config.segmentSize() > 0 ? config.segmentSize() : below.segmentSize();
        RdmaStream started = mine.start(new StreamSettings(
                initiator,
                negotiated.crc(),
                negotiated.markersSent(),
                negotiated.markersReceived(),
                emss,
                negotiated.ird(),
                negotiated.ord(),
                initiator && refused == null ? negotiated.readyToReceive() : null,
                initiator ? Set.of() : negotiated.agreed(), // only a responder gets a ready-to-receive message
                mine.config().allowRemoteRead(),
                mine.config().allowRemoteWrite()));
        if (below instanceof DirectStream able) {
            started.useDirect(able.leastGathered(), able.leastPlaced());
        }
        stream = started;
        phase = Phase.FULL_OPERATION;
        lastInput = agent.nanoTime();
        lastOutput = lastInput;
        countHalfOpen(false);
        host.counters().open.incrementAndGet();
        if (initiator && refused == null && config.nudge().isPositive()) {
            // what takes longer than the Reply did is not on its way any more
            nudgeInterval = Math.max(config.nudge().toNanos(), 2 * (lastInput - requestedAt));
            nudgeAt = lastInput + nudgeInterval;
        }
        rearm();
        if (refused != null) {
            cause = refused.detail();
            started.terminate(
                    refused.code(),
                    Layer.MPA,
                    refused.detail().clause(),
                    refused.detail().fact(),
                    Origin.LOCAL);
        } else if (initiator || !negotiated.peerToPeer()) {
            established();
        } else {
            readyBy = lastInput + host.config().startupTimeout().toNanos();
            rearm();
        }
    }

    private void established() {
        if (state != State.CONNECTING) {
            return;
        }
        state = State.ESTABLISHED;
        readyBy = NEVER;
        (initiator ? host.counters().made : host.counters().accepted).incrementAndGet();
        trace.established();
        agent.signalChange();
        host.raise(agent, new ConnectionEvent.Established(this));
    }

    private static ConnectionInfo infoOf(Negotiated negotiated) {
        return new ConnectionInfo(
                negotiated.revision(),
                negotiated.crc(),
                negotiated.markersSent(),
                negotiated.markersReceived(),
                negotiated.peerToPeer(),
                negotiated.ird(),
                negotiated.ord(),
                negotiated.peerIrd(),
                negotiated.peerOrd());
    }

    // output

    /** Sends what there is, as far as the stream takes it. @return amount of work done */
    private int pump() {
        TransportStream below = transport;
        if (below == null || phase == Phase.ENDED || phase == Phase.TCP_CONNECT) {
            return 0;
        }
        StagingPool pool = agent.staging();
        Splices splices = pool.splices();
        StagingBuffer out = unsent != null ? unsent : pool.lease();
        boolean waited = unsent != null;
        unsent = null;
        int total = 0;
        try {
            while (true) {
                if (out.size() == 0) {
                    fill(out);
                }
                if (out.size() == 0) {
                    break;
                }
                int count;
                if (splices.count() == 0) {
                    count = below.write(out);
                } else {
                    int size = out.size() + splices.total();
                    count = writeSpliced(out, splices);
                    if (count == DirectStream.GONE) {
                        continue; // with what came before it
                    }
                    if (count < size && phase != Phase.ENDED) {
                        out = stageRest(out, count, splices);
                    } else {
                        out.clear();
                    }
                    splices.clear();
                }
                total += count;
                taken(count);
                if (out.size() > 0) {
                    break; // the stream is full
                }
            }
        } catch (IOException e) {
            out.clear();
            splices.clear();
            broken(e);
        }
        if (phase == Phase.ENDED || out.size() == 0) {
            pool.release(out);
            if (waited && phase != Phase.ENDED && phase != Phase.TCP_CONNECT) {
                below.awaitWritable(false);
            }
        } else {
            unsent = pool.settle(out);
            below.awaitWritable(true);
            if (total > 0 || !waited) {
                lastOutput = config.sendProgressTimeout().isPositive() ? agent.nanoTime() : 0;
            }
            if (!waited) {
                rearm();
                countSendStall();
            }
        }
        if (total > 0 && phase != Phase.ENDED) {
            agent.markActive(this);
        }
        if (rejecting && unsent == null) {
            rejected();
        }
        closeIfDue(below);
        return total;
    }

    private int writeSpliced(StagingBuffer out, Splices splices) throws IOException {
        if (!(transport instanceof DirectStream gathering)) {
            throw new IllegalStateException(
                    "payload was left where it is, but the transport cannot take it from there");
        }
        int count = gathering.write(out, splices);
        if (count == DirectStream.GONE) {
            operating().spliceGone(out, splices, splices.firstGone());
        }
        return count;
    }

    /** Programs may take their memory away at any moment, so what has to wait is copied. @return the buffer with the rest */
    private StagingBuffer stageRest(StagingBuffer out, int taken, Splices splices) {
        StagingPool pool = agent.staging();
        StagingBuffer rest = pool.leaseLike(out);
        int gone = splices.copyRest(out, taken, rest);
        if (gone != Splices.COPIED) {
            operating().markGone(gone);
            rest.clear();
            lose(
                    ErrorDetail.of(
                            Layer.VERBS,
                            "RDMA verbs §6.2.4",
                            "the program took away memory while it was being sent; the stream was reset"),
                    false);
        }
        pool.release(out);
        return rest;
    }

    private void countSendStall() {
        SoftQueuePair mine = queuePair;
        if (mine != null) {
            mine.countSendStall();
        }
    }

    private void fill(StagingBuffer out) {
        if (phase == Phase.STARTUP) {
            int count = request != null
                    ? request.pollTransmit(out.segment(), out.end(), out.room())
                    : deciding().pollTransmit(out.segment(), out.end(), out.room());
            out.append(count);
            startupUnsent += count;
            if (count > 0) {
                handleStartupEvent();
            }
        } else if (stream != null) {
            stream.pollTransmit(
                    out, transport instanceof DirectStream ? agent.staging().splices() : null);
        }
    }

    private void taken(int count) {
        int startup = Math.min(count, startupUnsent);
        startupUnsent -= startup;
        RdmaStream active = stream;
        if (active != null && count > startup) {
            active.transmitted(count - startup);
            untilLook -= count;
            if (untilLook <= 0 && config.segmentSize() == 0) {
                untilLook = BETWEEN_LOOKS;
                active.segmentSize(streamBelow().segmentSize());
            }
        }
    }

    private void closeIfDue(TransportStream below) {
        RdmaStream active = stream;
        SoftQueuePair mine = queuePair;
        if (phase != Phase.FULL_OPERATION || active == null || mine == null) {
            return;
        }
        if (closeWhenQuiet && mine.state() == QueuePairState.RTS && active.isQuiet()) {
            mine.beginClosing();
        }
        if (!outputClosed && unsent == null && active.outputFinished()) {
            outputClosed = true;
            try {
                below.finishOutput();
            } catch (IOException e) {
                lose(transportError("the stream to " + remote + " broke: " + text(e)), false);
                return;
            }
        }
        if (outputClosed && inputEnded) {
            end();
        }
    }

    // ending

    @Override
    public void peerIsReady() {
        established();
    }

    @Override
    public void streamFinishing() {
        if (closeBy == NEVER) {
            closeBy = agent.nanoTime() + host.config().closeTimeout().toNanos();
            rearm();
        }
        agent.ring(this); // not from here: the stream is in the middle of a step
    }

    @Override
    public void reset(ErrorDetail detail) {
        lose(detail, false);
    }

    /** Both directions are closed in order. */
    private void end() {
        SoftQueuePair mine = linkedQueuePair();
        ErrorDetail why = mine.firstCause().orElse(null);
        finish(why != null ? why : transportError("closed by both sides"), State.DISCONNECTED);
        streamBelow().close();
        mine.streamClosed();
    }

    /** The stream broke or has to be reset. */
    private void lose(ErrorDetail detail, boolean badClose) {
        if (phase == Phase.ENDED) {
            return;
        }
        if (phase != Phase.FULL_OPERATION) {
            fail(detail, State.FAILED);
            return;
        }
        host.counters().lost.incrementAndGet();
        finish(detail, State.DISCONNECTED);
        TransportStream below = transport;
        if (below != null) {
            below.abort();
        }
        linkedQueuePair().streamLost(detail, badClose);
    }

    /** The set-up came to nothing. */
    private void fail(ErrorDetail detail, State outcome) {
        if (phase == Phase.ENDED) {
            return;
        }
        host.counters().failed.incrementAndGet();
        if (outcome == State.REJECTED) {
            host.counters().rejected.incrementAndGet();
        }
        if (!initiator && outcome == State.FAILED) {
            LOG.log(System.Logger.Level.INFO, "{0}: no connection, {1}", remote, detail);
        }
        finish(detail, outcome);
        TransportStream below = transport;
        if (below != null) {
            below.close();
        }
        SoftQueuePair mine = queuePair;
        if (mine != null) {
            mine.unlink();
        }
    }

    private void finish(ErrorDetail detail, State outcome) {
        boolean wasOpen = phase == Phase.FULL_OPERATION;
        phase = Phase.ENDED;
        countHalfOpen(false);
        if (wasOpen) {
            host.counters().open.decrementAndGet();
        }
        if (cause == null) {
            cause = detail;
        }
        // a connection that never was established has failed, whatever its stream reached
        state = state == State.CONNECTING && outcome == State.DISCONNECTED ? State.FAILED : outcome;
        StagingPool pool = agent.staging();
        if (received != null) {
            pool.release(received);
            received = null;
        }
        if (unsent != null) {
            pool.release(unsent);
            unsent = null;
        }
        agent.remove(this);
        leaveListener();
        agent.signalChange();
        trace.end(agent.nanoTime());
        ErrorDetail why = cause == null ? detail : cause;
        host.raise(
                agent,
                switch (state) {
                    case REJECTED -> new ConnectionEvent.Rejected(this, why);
                    case FAILED -> new ConnectionEvent.Failed(this, why);
                    case CONNECTING, ESTABLISHED, DISCONNECTING, DISCONNECTED ->
                        new ConnectionEvent.Disconnected(this, why);
                });
    }

    private void countHalfOpen(boolean begin) {
        if (begin != counted) {
            counted = begin;
            host.counters().halfOpen.addAndGet(begin ? 1 : -1);
        }
    }

    // what programs call; any thread

    @Override
    public long id() {
        return trace.id();
    }

    @Override
    public ConnectionSnapshot snapshot() {
        SoftQueuePair mine = queuePair;
        agent.tryStampActivity();
        return trace.snapshot(mine == null ? 0 : mine.id(), agent.nanoTime());
    }

    @Override
    public QueuePair queuePair() {
        SoftQueuePair mine = queuePair;
        if (mine == null) {
            throw new VerbsException(VerbsError.INVALID_STATE, "the request of " + remote + " waits for a decision");
        }
        return mine;
    }

    @Override
    public State state() {
        return state;
    }

    @Override
    public InetSocketAddress localAddress() {
        return local;
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return remote;
    }

    @Override
    public Optional<ConnectionInfo> info() {
        return Optional.ofNullable(info);
    }

    @Override
    public byte[] peerPrivateData() {
        return peerPrivateData.clone();
    }

    @Override
    public Optional<ErrorDetail> cause() {
        return Optional.ofNullable(cause);
    }

    @Override
    public Connection awaitEstablished(Duration timeout) {
        if (!await(() -> state != State.CONNECTING, timeout)) {
            throw new VerbsException(VerbsError.TIMED_OUT, "no connection to " + remote + " within " + timeout);
        }
        return switch (state) {
            case REJECTED -> throw new VerbsException(VerbsError.CONNECTION_REJECTED, remote + " refused: " + cause);
            case FAILED ->
                throw new VerbsException(VerbsError.CONNECTION_FAILED, "no connection to " + remote + ": " + cause);
            case CONNECTING, ESTABLISHED, DISCONNECTING, DISCONNECTED -> this;
        };
    }

    @Override
    public boolean awaitDisconnected(Duration timeout) {
        return await(() -> phase == Phase.ENDED, timeout);
    }

    private boolean await(java.util.function.BooleanSupplier condition, Duration timeout) {
        try {
            return agent.await(condition, RnicAgent.nanos(timeout), host.invoker());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new VerbsException(VerbsError.INTERRUPTED, "interrupted while waiting for " + remote, e);
        }
    }

    @Override
    public void disconnect() {
        agent.lock();
        try {
            if (phase == Phase.FULL_OPERATION && !closeWhenQuiet) {
                if (state == State.ESTABLISHED) {
                    state = State.DISCONNECTING;
                }
                closeWhenQuiet = true;
                linkedQueuePair().announceClosing();
                streamFinishing();
                if (host.invoker()) {
                    pump();
                }
            } else if (phase != Phase.ENDED && phase != Phase.FULL_OPERATION) {
                fail(ErrorDetail.of(Layer.VERBS, "none", "cancelled by the program"), State.FAILED);
            }
        } finally {
            agent.unlock();
        }
    }

    @Override
    public void abort() {
        agent.lock();
        try {
            lose(ErrorDetail.of(Layer.VERBS, "none", "aborted by the program"), false);
        } finally {
            agent.unlock();
        }
    }

    @Override
    public void close() {
        disconnect();
        if (!awaitDisconnected(host.config().closeTimeout())) {
            abort();
        }
    }

    private SoftQueuePair linkedQueuePair() {
        SoftQueuePair mine = queuePair;
        if (mine == null) {
            throw new IllegalStateException("not accepted yet");
        }
        return mine;
    }

    private TransportStream streamBelow() {
        TransportStream below = transport;
        if (below == null) {
            throw new IllegalStateException("no stream");
        }
        return below;
    }

    private RdmaStream operating() {
        RdmaStream active = stream;
        if (active == null) {
            throw new IllegalStateException("not in full operation");
        }
        return active;
    }

    private MpaResponder deciding() {
        MpaResponder machine = response;
        if (machine == null) {
            throw new IllegalStateException("not a responder");
        }
        return machine;
    }

    private static ErrorDetail transportError(String fact) {
        return ErrorDetail.of(Layer.TRANSPORT, "RFC 5044 §8", fact);
    }

    private static String text(Exception e) {
        return e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    }
}
