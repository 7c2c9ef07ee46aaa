package io.stag.testkit;

import io.stag.verbs.Access;
import io.stag.verbs.CompletionQueue;
import io.stag.verbs.DatagramQueuePair;
import io.stag.verbs.DatagramQueuePairConfig;
import io.stag.verbs.MemoryRegion;
import io.stag.verbs.ProtectionDomain;
import io.stag.verbs.Rnic;
import io.stag.verbs.WorkCompletions;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.time.Duration;
import java.util.EnumSet;

/** A process in one of {@link TwoNamespaces}: receives a message and tells what came, or sends it. */
final class OneMessageProgram {
    private static final int LENGTH = 30_000;
    private static final int PORT = 5_354;
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private OneMessageProgram() {}

    /** Arguments: {@code receiver} or {@code sender}, a group or the receiver's address, the network, octets of a datagram. */
    public static void main(String[] arguments) throws Exception {
        boolean sends = arguments[0].equals("sender");
        InetAddress destination = InetAddress.ofLiteral(arguments[1]);
        NetworkInterface network = NetworkInterface.getByName(arguments[2]);
        try (Rnic rnic = Rnic.open()) {
            ProtectionDomain domain = rnic.allocateProtectionDomain();
            CompletionQueue queue = rnic.createCompletionQueue(16);
            DatagramQueuePair queuePair = domain.createDatagramQueuePair(DatagramQueuePairConfig.builder(queue)
                    .address(new InetSocketAddress(sends ? 0 : PORT))
                    .multicastNetwork(network)
                    .datagramLength(Integer.parseInt(arguments[3]))
                    .build());
            MemoryRegion buffer = domain.allocate(LENGTH, EnumSet.of(Access.LOCAL_READ, Access.LOCAL_WRITE));
            if (sends) {
                for (int i = 0; i < LENGTH; i++) {
                    buffer.segment().set(ValueLayout.JAVA_BYTE, i, (byte) i);
                }
                queuePair
                        .newSendRequests()
                        .send(1, queuePair.address(new InetSocketAddress(destination, PORT)))
                        .from(buffer, 0, LENGTH)
                        .post();
            } else {
                queuePair
                        .newReceiveRequests()
                        .receive(1)
                        .into(buffer, 0, LENGTH)
                        .post();
                if (destination.isMulticastAddress()) {
                    queuePair.join(destination, network);
                }
                System.out.println("listens");
            }
            WorkCompletions completions = WorkCompletions.ofCapacity(1);
            int count = queue.await(completions, LIMIT);
            System.out.println(count == 0 ? "nothing came" : text(completions, buffer));
        }
    }

    private static String text(WorkCompletions completions, MemoryRegion buffer) {
        if (!completions.isSuccess(0)) {
            return completions.describe(0);
        }
        for (int i = 0; i < LENGTH; i++) {
            if (buffer.segment().get(ValueLayout.JAVA_BYTE, i) != (byte) i) {
                return "octet " + i + " is wrong";
            }
        }
        return completions.operation(0) + " of " + LENGTH + " octets";
    }
}
