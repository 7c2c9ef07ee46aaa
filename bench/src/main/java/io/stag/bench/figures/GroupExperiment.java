package io.stag.bench.figures;

import io.stag.verbs.Access;
import io.stag.verbs.AddressHandle;
import io.stag.verbs.CompletionQueue;
import io.stag.verbs.DatagramQueuePair;
import io.stag.verbs.DatagramQueuePairConfig;
import io.stag.verbs.DatagramSendRequests;
import io.stag.verbs.MemoryRegion;
import io.stag.verbs.Operation;
import io.stag.verbs.ProgressMode;
import io.stag.verbs.ProtectionDomain;
import io.stag.verbs.ReceiveRequests;
import io.stag.verbs.Rnic;
import io.stag.verbs.RnicConfig;
import io.stag.verbs.WorkCompletions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;

/**
 * One sender and several members of a multicast group, all driven by one thread: what the members get together in a second.
 * The sender goes on when all have what it sent, or when nothing came for a while.
 */
final class GroupExperiment implements AutoCloseable {
    private static final InetAddress GROUP = InetAddress.ofLiteral("239.83.84.71");
    private static final int OUTSTANDING_OCTETS = 256 << 10;
    private static final int MOST_OUTSTANDING = 64;
    private static final long PATIENCE_NANOS = 20_000_000;

    /** A member of the group, or the sender. */
    private static final class Member {
        final CompletionQueue queue;
        final DatagramQueuePair queuePair;
        final ReceiveRequests receives;
        final WorkCompletions completions = WorkCompletions.ofCapacity(MOST_OUTSTANDING);
        long taken;

        Member(Rnic rnic, ProtectionDomain domain, InetSocketAddress address, NetworkInterface network) {
            queue = rnic.createCompletionQueue(4 * MOST_OUTSTANDING);
            queuePair = domain.createDatagramQueuePair(DatagramQueuePairConfig.builder(queue)
                    .address(address)
                    .sendDepth(2 * MOST_OUTSTANDING)
                    .receiveDepth(MOST_OUTSTANDING)
                    .datagramLength(1_472)
                    .sharedAddress(address.getAddress().equals(GROUP))
                    .multicastNetwork(network)
                    .build());
            receives = queuePair.newReceiveRequests();
        }
    }

    /**
     * What the members got.
     *
     * @param mbPerS millions of octets in a second, of all members together
     * @param percent of what could have arrived
     */
    record Outcome(double mbPerS, double percent) {}

    private final int size;
    private final Rnic rnic;
    private final MemoryRegion memory;
    private final Member sender;
    private final List<Member> members = new ArrayList<>();
    private final AddressHandle group;
    private final DatagramSendRequests requests;

    GroupExperiment(int size, int receivers) throws IOException {
        this.size = size;
        rnic = Rnic.open(RnicConfig.builder()
                .name("group")
                .jmx(false)
                .progress(ProgressMode.INVOKER)
                .build());
        NetworkInterface network = NetworkInterface.getByInetAddress(InetAddress.getLoopbackAddress());
        ProtectionDomain domain = rnic.allocateProtectionDomain();
        memory = domain.allocate(2L * size, EnumSet.of(Access.LOCAL_READ, Access.LOCAL_WRITE));
        int port = 0;
        for (int i = 0; i < receivers; i++) {
            Member member = new Member(rnic, domain, new InetSocketAddress(GROUP, port), network);
            port = member.queuePair.localAddress().getPort();
            member.queuePair.join(GROUP, network);
            for (int receive = 0; receive < MOST_OUTSTANDING; receive++) {
                member.receives.receive(receive).into(memory, size, size);
            }
            member.receives.post();
            members.add(member);
        }
        sender = new Member(rnic, domain, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), network);
        group = sender.queuePair.address(new InetSocketAddress(GROUP, port));
        requests = sender.queuePair.newSendRequests();
    }

    Outcome run(double seconds) {
        int batch = Math.clamp(OUTSTANDING_OCTETS / size, 1, MOST_OUTSTANDING);
        long sent = 0;
        long before = taken();
        long start = System.nanoTime();
        do {
            for (int i = 0; i < batch; i++) {
                requests.send(i, group).from(memory, 0, size);
            }
            sent += requests.post();
            awaitArrival(before + sent * members.size());
        } while (System.nanoTime() - start < seconds * 1e9);
        double passed = (System.nanoTime() - start) / 1e9;
        long arrived = taken() - before;
        return new Outcome(arrived * (double) size / passed / 1e6, 100.0 * arrived / (sent * members.size()));
    }

    private void awaitArrival(long expected) {
        long heard = System.nanoTime();
        long last = taken();
        while (last < expected) {
            sender.queue.poll(sender.completions);
            members.forEach(this::take);
            long now = System.nanoTime();
            if (taken() > last) {
                last = taken();
                heard = now;
            } else if (now - heard > PATIENCE_NANOS) {
                return; // the rest is lost
            }
        }
    }

    private void take(Member member) {
        int count = member.queue.poll(member.completions);
        for (int i = 0; i < count; i++) {
            if (member.completions.operation(i) == Operation.RECEIVE) {
                member.taken++;
                member.receives.receive(0).into(memory, size, size).post();
            }
        }
    }

    private long taken() {
        return members.stream().mapToLong(member -> member.taken).sum();
    }

    @Override
    public void close() {
        rnic.close();
    }
}
