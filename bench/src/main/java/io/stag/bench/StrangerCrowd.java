package io.stag.bench;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/** Many strangers at once, all played by the calling thread. */
final class StrangerCrowd implements AutoCloseable {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final int LOOK_MILLIS = 20;

    private final Selector selector = Selector.open();
    private final List<Member> members = new ArrayList<>();
    private final boolean drips;
    private int gone;
    private long lastConnected;

    /** One of them. */
    private static final class Member {
        final SocketChannel channel;
        final ByteBuffer octets;
        boolean connected;
        boolean gone;
        long lastSent;
        int port;

        Member(SocketChannel channel, byte[] octets) {
            this.channel = channel;
            this.octets = ByteBuffer.wrap(octets);
        }
    }

    /** Begins to connect all of them. */
    StrangerCrowd(Stranger kind, int count, InetSocketAddress target, long seed) throws IOException {
        var random = new SplittableRandom(seed);
        drips = kind.drips();
        for (int i = 0; i < count; i++) {
            SocketChannel channel = SocketChannel.open();
            var member = new Member(channel, kind.octets(random));
            members.add(member);
            channel.configureBlocking(false);
            channel.register(selector, SelectionKey.OP_CONNECT, member);
            channel.connect(target);
        }
    }

    /**
     * Plays them until the other end has closed on every one.
     *
     * @param limit time for that, from when the last of them got its connection
     * @param look called now and then
     * @return how many it has closed on within the limit
     */
    int run(Duration limit, Runnable look) throws IOException {
        lastConnected = System.nanoTime();
        while (gone < members.size() && System.nanoTime() - lastConnected < limit.toNanos()) {
            selector.select(key -> serve(key, (Member) key.attachment()), LOOK_MILLIS);
            if (drips) {
                members.forEach(this::drip);
            }
            look.run();
        }
        return gone;
    }

    private void serve(SelectionKey key, Member member) {
        try {
            if (!member.connected) {
                member.connected = member.channel.finishConnect();
                lastConnected = System.nanoTime();
                member.port = ((InetSocketAddress) member.channel.getLocalAddress()).getPort();
                key.interestOps(SelectionKey.OP_READ);
                if (!drips) {
                    member.channel.write(member.octets); // a few octets always fit
                }
            } else if (member.channel.read(ByteBuffer.allocate(64)) < 0) {
                leave(member);
            }
        } catch (IOException _) {
            leave(member); // a reset is an answer too
        }
    }

    private void drip(Member member) {
        long now = System.nanoTime();
        if (!member.connected || member.gone || !member.octets.hasRemaining() || now - member.lastSent < SECOND) {
            return;
        }
        member.lastSent = now;
        try {
            member.channel.write(ByteBuffer.wrap(new byte[] {member.octets.get()}));
        } catch (IOException _) {
            leave(member);
        }
    }

    private void leave(Member member) {
        if (!member.gone) {
            member.gone = true;
            gone++;
            close(member);
        }
    }

    /** Their ports, of those that were connected. */
    List<Integer> ports() {
        return members.stream()
                .filter(member -> member.connected)
                .map(member -> member.port)
                .toList();
    }

    private static void close(Member member) {
        try {
            member.channel.close();
        } catch (IOException e) {
            throw new Program.Failure("closing a socket", e);
        }
    }

    @Override
    public void close() throws IOException {
        members.forEach(StrangerCrowd::close);
        selector.close();
    }
}
