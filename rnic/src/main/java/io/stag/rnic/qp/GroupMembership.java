package io.stag.rnic.qp;

import io.stag.rnic.agent.RnicAgent;
import io.stag.rnic.transport.DatagramPort;
import io.stag.verbs.VerbsError;
import io.stag.verbs.VerbsException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import org.jspecify.annotations.Nullable;

/** The multicast groups of a port, joined and left by any thread. */
final class GroupMembership {
    private final RnicAgent agent;
    private final DatagramPortDriver<?> driver;

    private interface Change {
        void apply(DatagramPort port) throws IOException;
    }

    GroupMembership(RnicAgent agent, DatagramPortDriver<?> driver) {
        this.agent = agent;
        this.driver = driver;
    }

    void join(InetAddress group, @Nullable NetworkInterface network) {
        change(group, port -> port.join(group, network));
    }

    void leave(InetAddress group, @Nullable NetworkInterface network) {
        change(group, port -> port.leave(group, network));
    }

    private void change(InetAddress group, Change change) {
        if (!group.isMulticastAddress()) {
            throw new VerbsException(VerbsError.INVALID_ARGUMENT, group.getHostAddress() + " is no multicast address");
        }
        agent.lock();
        try {
            if (driver.isClosed()) {
                throw new VerbsException(VerbsError.CLOSED, "the datagram queue pair is closed");
            }
            change.apply(driver.port());
        } catch (IOException e) {
            throw new VerbsException(
                    VerbsError.INVALID_ARGUMENT, "group " + group.getHostAddress() + ": " + e.getMessage(), e);
        } finally {
            agent.unlock();
        }
    }
}
