package io.stag.verbs;

import io.stag.verbs.cm.ConnectionManager;
import io.stag.verbs.spi.RnicProvider;
import java.util.ServiceLoader;
import java.util.function.Consumer;

/**
 * An RDMA network interface, in software or hardware. Create in the order RNIC, protection domain, completion queue,
 * queue pair, and close in reverse; closing the RNIC closes whatever is left.
 */
public interface Rnic extends AutoCloseable {

    /** Opens the provider found first, with default settings. */
    static Rnic open() {
        return open(RnicConfig.defaults());
    }

    /**
     * Opens an RNIC.
     *
     * @throws VerbsException when no provider is installed, or none of the name asked for
     */
    static Rnic open(RnicConfig config) {
        ServiceLoader<RnicProvider> providers = ServiceLoader.load(RnicProvider.class, Rnic.class.getClassLoader());
        for (RnicProvider provider : providers) {
            if (config.provider().isEmpty() || config.provider().equals(provider.name())) {
                return provider.open(config);
            }
        }
        throw new VerbsException(
                VerbsError.NO_PROVIDER,
                config.provider().isEmpty()
                        ? "no RNIC provider is installed; add the dependency io.stag:stag-rnic"
                        : "no RNIC provider named '" + config.provider() + "' is installed");
    }

    /** Name for people, for instance {@code stag0}. */
    String name();

    /** The settings it was opened with. */
    RnicConfig config();

    /** What it can do at most. */
    RnicLimits limits();

    /** Creates a protection domain. */
    ProtectionDomain allocateProtectionDomain();

    /** Creates a completion queue without a channel. */
    CompletionQueue createCompletionQueue(int capacity);

    /** Creates a completion queue that notifies through {@code channel}. */
    CompletionQueue createCompletionQueue(int capacity, CompletionChannel channel);

    /** Creates a channel for completion notifications. */
    CompletionChannel createCompletionChannel();

    /** Makes and takes connections. */
    ConnectionManager connectionManager();

    /** Sets the handler of asynchronous events; the default writes them to the log. */
    void onAsyncEvent(Consumer<AsyncEvent> handler);

    /**
     * Does pending work without looking at a completion queue; for programs that use {@link ProgressMode#INVOKER} and
     * wait for something else. Does nothing in the other modes.
     *
     * @return amount of work done, 0 when there was none
     */
    int progress();

    /** All counters at one moment. */
    RnicSnapshot snapshot();

    /** Closes the RNIC and everything that belongs to it, from any thread, at any moment. */
    @Override
    void close();
}
