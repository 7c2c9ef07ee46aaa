package io.stag.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.stag.simnet.Conforms;
import io.stag.verbs.Access;
import io.stag.verbs.CompletionQueue;
import io.stag.verbs.CompletionStatus;
import io.stag.verbs.DatagramQueuePair;
import io.stag.verbs.DatagramQueuePairConfig;
import io.stag.verbs.DatagramSendRequests;
import io.stag.verbs.MemoryRegion;
import io.stag.verbs.Operation;
import io.stag.verbs.ProtectionDomain;
import io.stag.verbs.Rnic;
import io.stag.verbs.VerbsError;
import io.stag.verbs.VerbsException;
import io.stag.verbs.WorkCompletions;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Multicast and broadcast to several queue pairs of this machine, on the loopback interface where that is possible. */
@ParameterizedClass(name = "{0}")
@MethodSource("io.stag.testkit.TcpFixture#variants")
class DatagramGroupIT {
    private static final int MEMBERS = 3;
    private static final int LENGTH = 3_000;
    private static final int WELL_KNOWN_STAG = 0x5354_4147;
    private static final InetAddress IPV6_GROUP = InetAddress.ofLiteral("ff11::5354:4147"); // leaves no interface
    private static final InetAddress GROUP = InetAddress.ofLiteral("239.83.84.71");

    /** A member of a group, or the one that sends to it. */
    private static final class Member {
        final ProtectionDomain domain;
        final CompletionQueue queue;
        final DatagramQueuePair queuePair;
        final MemoryRegion buffer;
        final WorkCompletions completions = WorkCompletions.ofCapacity(4);

        Member(Rnic rnic, InetSocketAddress address, NetworkInterface network, boolean shared, boolean broadcast) {
            domain = rnic.allocateProtectionDomain();
            queue = rnic.createCompletionQueue(64);
            queuePair = domain.createDatagramQueuePair(DatagramQueuePairConfig.builder(queue)
                    .address(address)
                    .datagramLength(1_200)
                    .sharedAddress(shared)
                    .allowBroadcast(broadcast)
                    .multicastNetwork(network)
                    .build());
            buffer = domain.allocate(LENGTH, EnumSet.of(Access.LOCAL_READ, Access.LOCAL_WRITE));
        }

        void postReceive() {
            queuePair.newReceiveRequests().receive(1).into(buffer, 0, LENGTH).post();
        }
    }

    private final TcpFixture fixture;
    private final NetworkInterface loopback;
    private NetworkInterface network;
    private final List<Member> members = new ArrayList<>();

    DatagramGroupIT(TcpFixture.Variant variant) throws SocketException {
        fixture = new TcpFixture(variant);
        loopback = NetworkInterface.getByInetAddress(InetAddress.getLoopbackAddress());
        network = loopback;
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    /** Members that share one port, which the system chooses for the first of them. */
    private InetSocketAddress openMembers(InetAddress address) {
        int port = 0;
        for (int i = 0; i < MEMBERS; i++) {
            Member member = new Member(
                    fixture.open(settings -> settings), new InetSocketAddress(address, port), network, true, false);
            port = member.queuePair.localAddress().getPort();
            members.add(member);
        }
        return new InetSocketAddress(address, port);
    }

    private Member openSender(InetAddress address, boolean broadcast) {
        return new Member(
                fixture.open(settings -> settings), new InetSocketAddress(address, 0), network, false, broadcast);
    }

    private void sendToAll(Member sender, InetSocketAddress destination) {
        members.forEach(Member::postReceive);
        fill(sender);
        sender.queuePair
                .newSendRequests()
                .send(7, sender.queuePair.address(destination))
                .from(sender.buffer, 0, LENGTH)
                .post();
        for (Member member : members) {
            fixture.runUntil(
                    "a copy for each, " + member.queuePair.counters(), () -> member.queue.poll(member.completions) > 0);
            assertThat(member.completions.operation(0)).isEqualTo(Operation.RECEIVE);
            assertThat(member.completions.datagram(0).sourcePort())
                    .isEqualTo(sender.queuePair.localAddress().getPort());
            assertThat(octets(member.buffer)).isEqualTo(octets(sender.buffer));
        }
    }

    private static void fill(Member member) {
        for (int i = 0; i < LENGTH; i++) {
            member.buffer.segment().set(ValueLayout.JAVA_BYTE, i, (byte) (i * 7 + i / 256));
        }
    }

    private static byte[] octets(MemoryRegion region) {
        return region.segment().toArray(ValueLayout.JAVA_BYTE);
    }

    @Test
    @Conforms("DG-033")
    void everyMemberOfAGroupGetsItsCopyUntilItLeaves() {
        InetAddress any = InetAddress.ofLiteral("0.0.0.0");
        int port = openMembers(any).getPort();
        members.forEach(member -> member.queuePair.join(GROUP, loopback));
        Member sender = openSender(InetAddress.ofLiteral("127.0.0.1"), false);
        sendToAll(sender, new InetSocketAddress(GROUP, port));
        Member left = members.removeLast();
        left.postReceive();
        left.queuePair.leave(GROUP, loopback);
        sendToAll(sender, new InetSocketAddress(GROUP, port));
        assertThat(left.queue.poll(left.completions)).isZero();
        assertThatExceptionOfType(VerbsException.class).isThrownBy(() -> left.queuePair.leave(GROUP, loopback));
    }

    @Test
    @Conforms("DG-033")
    void anIpv6GroupIsReachedWhereANetworkTakesIt() throws SocketException {
        Optional<NetworkInterface> capable = NetworkInterface.networkInterfaces()
                .filter(DatagramGroupIT::takesIpv6Multicasts)
                .findFirst();
        assumeTrue(capable.isPresent(), "no network of this machine has IPv6 multicasts");
        network = capable.orElseThrow();
        InetAddress any = InetAddress.ofLiteral("::");
        int port = openMembers(any).getPort();
        members.forEach(member -> member.queuePair.join(IPV6_GROUP, network));
        sendToAll(openSender(any, false), new InetSocketAddress(IPV6_GROUP, port));
    }

    private static boolean takesIpv6Multicasts(NetworkInterface candidate) {
        try {
            return candidate.isUp()
                    && candidate.supportsMulticast()
                    && !candidate.isLoopback()
                    && candidate.inetAddresses().anyMatch(Inet6Address.class::isInstance);
        } catch (SocketException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void anIpv6GroupIsRefusedOnANetworkThatTakesNone() throws SocketException {
        assumeTrue(!loopback.supportsMulticast(), "the loopback of this machine claims to take multicasts");
        openMembers(InetAddress.ofLiteral("::"));
        Member member = members.getFirst();
        assertThatExceptionOfType(VerbsException.class)
                .isThrownBy(() -> member.queuePair.join(IPV6_GROUP, loopback))
                .withMessageContaining("IPv6 multicasts do not pass the network " + loopback.getName())
                .matches(refused -> refused.error() == VerbsError.INVALID_ARGUMENT);
        member.queuePair
                .newSendRequests()
                .send(9, member.queuePair.address(new InetSocketAddress(IPV6_GROUP, 9)))
                .from(member.buffer, 0, 10)
                .post();
        fixture.runUntil("the refusal", () -> member.queue.poll(member.completions) > 0);
        assertThat(member.completions.status(0)).isEqualTo(CompletionStatus.GENERAL_ERR);
        assertThat(member.completions.describe(0)).contains("name one with multicastNetwork");
    }

    @Test
    @Conforms("DG-033")
    void everybodyHearsABroadcastThatIsPermitted() {
        InetAddress any = InetAddress.ofLiteral("0.0.0.0");
        int port = openMembers(any).getPort();
        InetSocketAddress everybody = new InetSocketAddress(InetAddress.ofLiteral("127.255.255.255"), port);
        sendToAll(openSender(InetAddress.ofLiteral("127.0.0.1"), true), everybody);
        Member forbidden = openSender(InetAddress.ofLiteral("127.0.0.1"), false);
        DatagramSendRequests requests = forbidden.queuePair.newSendRequests();
        requests.send(8, forbidden.queuePair.address(everybody))
                .from(forbidden.buffer, 0, 10)
                .post();
        fixture.runUntil("the refusal", () -> forbidden.queue.poll(forbidden.completions) > 0);
        assertThat(forbidden.completions.status(0)).isEqualTo(CompletionStatus.GENERAL_ERR);
        assertThat(forbidden.completions.describe(0)).contains("127.255.255.255");
    }

    @Test
    @Conforms("DG-034")
    void aWriteRecordReachesAllMembersThatAgreedOnAnStag() {
        int port = openMembers(InetAddress.ofLiteral("0.0.0.0")).getPort();
        List<MemoryRegion> targets = new ArrayList<>();
        for (Member member : members) {
            member.queuePair.join(GROUP, loopback);
            targets.add(member.domain.registerAs(
                    WELL_KNOWN_STAG,
                    Arena.ofAuto().allocate(LENGTH),
                    EnumSet.of(Access.LOCAL_WRITE, Access.REMOTE_WRITE)));
        }
        Member sender = openSender(InetAddress.ofLiteral("127.0.0.1"), false);
        fill(sender);
        sender.queuePair
                .newSendRequests()
                .writeRecord(7, sender.queuePair.address(new InetSocketAddress(GROUP, port)), WELL_KNOWN_STAG, 0)
                .from(sender.buffer, 0, LENGTH)
                .post();
        for (int i = 0; i < MEMBERS; i++) {
            Member member = members.get(i);
            fixture.runUntil("a record for each", () -> member.queue.poll(member.completions) > 0);
            assertThat(member.completions.datagram(0).isComplete()).isTrue();
            assertThat(octets(targets.get(i))).isEqualTo(octets(sender.buffer));
        }
        assertThatExceptionOfType(VerbsException.class)
                .isThrownBy(() -> members.getFirst()
                        .domain
                        .registerAs(WELL_KNOWN_STAG, Arena.ofAuto().allocate(8), EnumSet.of(Access.LOCAL_WRITE)))
                .matches(refused -> refused.error() == VerbsError.INVALID_ARGUMENT);
    }
}
