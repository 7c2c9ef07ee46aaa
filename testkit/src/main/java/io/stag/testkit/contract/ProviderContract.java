package io.stag.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.stag.verbs.QueuePairState;
import io.stag.verbs.RnicConfig;
import io.stag.verbs.VerbsError;
import io.stag.verbs.VerbsException;
import io.stag.verbs.cm.Connection;
import io.stag.verbs.cm.ConnectionConfig;
import io.stag.verbs.cm.ConnectionRequest;
import io.stag.verbs.cm.Listener;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** What all suites share: two peers, opened when first asked for, and closed with all their memory checked. */
public abstract class ProviderContract {
    /** Requests that a listener of these tests keeps. */
    static final int BACKLOG = 16;

    private final List<Peer> peers = new ArrayList<>();
    private @Nullable ContractFixture world;
    private @Nullable GuardedMemory memory;
    private @Nullable Peer client;
    private @Nullable Peer server;

    /** For subclasses. */
    protected ProviderContract() {}

    /** A new fixture for one test. */
    protected abstract ContractFixture fixture();

    @BeforeEach
    final void openTheFixture() {
        world = fixture();
        memory = new GuardedMemory();
    }

    @AfterEach
    final void closeTheFixture() {
        GuardedMemory guarded = present(memory);
        try {
            present(world).close();
            guarded.check();
        } finally {
            guarded.close();
        }
    }

    private static <T> T present(@Nullable T object) {
        if (object == null) {
            throw new IllegalStateException("no test is running");
        }
        return object;
    }

    final ContractFixture world() {
        return present(world);
    }

    final void assume(ContractFixture.Feature feature) {
        assumeTrue(world().features().contains(feature), "the provider has not got " + feature);
    }

    /** The active side. */
    final Peer client() {
        Peer present = client;
        if (present == null) {
            present = newPeer(settings -> settings);
            client = present;
        }
        return present;
    }

    /** The passive side. */
    final Peer server() {
        Peer present = server;
        if (present == null) {
            present = newPeer(settings -> settings);
            server = present;
        }
        return present;
    }

    /** Opens the passive side with settings of its own. */
    final Peer server(UnaryOperator<RnicConfig.Builder> settings) {
        Peer opened = newPeer(settings);
        server = opened;
        return opened;
    }

    final Peer client(UnaryOperator<RnicConfig.Builder> settings) {
        Peer opened = newPeer(settings);
        client = opened;
        return opened;
    }

    final Peer newPeer(UnaryOperator<RnicConfig.Builder> settings) {
        Peer peer = new Peer(world(), present(memory), world().open(settings));
        peers.add(peer);
        return peer;
    }

    final void runUntil(String what, BooleanSupplier condition) {
        world().runUntil(what, condition);
    }

    // connecting

    /** Connects the queue pairs of the two peers with all defaults. */
    final void connect() {
        connect(ConnectionConfig.defaults(), ConnectionConfig.defaults());
    }

    final void connect(ConnectionConfig active, ConnectionConfig passive) {
        connect(client(), server(), active, passive);
    }

    final void connect(Peer from, Peer to, ConnectionConfig active, ConnectionConfig passive) {
        try (Listener listener = listen(to)) {
            from.connection(from.rnic.connectionManager().connect(from.queuePair(), listener.address(), active));
            to.connection(await(listener).accept(to.queuePair(), passive));
            // the listener's close must not hurt a connection that is decided on
        }
        awaitEstablished(from, to);
    }

    final void awaitEstablished(Peer from, Peer to) {
        runUntil("both sides established", () -> isSettled(from) && isSettled(to));
        assertThat(from.connection().state())
                .as("initiator: %s", from.connection().cause())
                .isEqualTo(Connection.State.ESTABLISHED);
        assertThat(to.connection().state())
                .as("responder: %s", to.connection().cause())
                .isEqualTo(Connection.State.ESTABLISHED);
    }

    private static boolean isSettled(Peer peer) {
        return peer.connection().state() != Connection.State.CONNECTING;
    }

    final Listener listen(Peer peer) {
        return peer.rnic.connectionManager().listen(world().listenAddress(peer.rnic), BACKLOG);
    }

    final ConnectionRequest await(Listener listener) {
        Holder<ConnectionRequest> found = new Holder<>();
        runUntil("a connection request at " + listener.address(), () -> found.take(listener.poll()));
        return found.get();
    }

    /** Both ends closed in order. */
    final void disconnect() {
        client().connection().disconnect();
        client().awaitConnection(Connection.State.DISCONNECTED);
        server().awaitConnection(Connection.State.DISCONNECTED);
        client().awaitState(QueuePairState.IDLE);
        server().awaitState(QueuePairState.IDLE);
    }

    /** The call is refused with this kind of error, and a message. */
    static VerbsException assertRefused(VerbsError error, ThrowingCallable call) {
        VerbsException refused = catchThrowableOfType(VerbsException.class, call);
        assertThat(refused).as("nothing was refused, expected " + error).isNotNull();
        assertThat(refused.error()).as(refused.getMessage()).isEqualTo(error);
        assertThat(refused.getMessage()).isNotBlank();
        return refused;
    }

    /** Keeps what a poll gave. */
    static final class Holder<T> {
        private @Nullable T held;

        boolean take(Optional<? extends T> polled) {
            polled.ifPresent(found -> held = found);
            return held != null;
        }

        T get() {
            return present(held);
        }
    }
}
