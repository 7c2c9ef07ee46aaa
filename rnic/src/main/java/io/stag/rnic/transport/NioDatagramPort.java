package io.stag.rnic.transport;

import io.stag.rnic.datagram.DatagramAddress;
import io.stag.rnic.datagram.DatagramInput;
import io.stag.rnic.datagram.DatagramOutput;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.MembershipKey;
import java.nio.channels.SelectionKey;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A UDP socket through NIO: one datagram per call. NIO gives the source as an object, which it makes anew whenever the source
 * is another than that of the datagram before, so this port allocates where sources alternate.
 */
final class NioDatagramPort implements DatagramPort {
    private static final System.Logger LOG = System.getLogger(NioDatagramPort.class.getName());

    private record Membership(InetAddress group, NetworkInterface network) {}

    private final NioTransport transport;
    private final DatagramChannel channel;
    private final SelectionKey key;
    private final InetSocketAddress address;
    private final int unfragmentedLength;
    private final int receiveBuffer;
    private final Map<Membership, MembershipKey> memberships = new HashMap<>();
    private final DatagramAddress source = new DatagramAddress();
    private @Nullable InetSocketAddress sourceObject; // that source stands for

    private NioDatagramPort(
            NioTransport transport,
            DatagramChannel channel,
            SelectionKey key,
            @Nullable NetworkInterface multicastNetwork)
            throws IOException {
        this.transport = transport;
        this.channel = channel;
        this.key = key;
        address = (InetSocketAddress) channel.getLocalAddress();
        unfragmentedLength = Networks.unfragmented(address.getAddress(), multicastNetwork);
        receiveBuffer = channel.getOption(StandardSocketOptions.SO_RCVBUF);
    }

    static NioDatagramPort open(NioTransport transport, DatagramPortOptions options, Transport.ReadyHandler handler)
            throws IOException {
        DatagramChannel channel = openFor(options.address());
        try {
            channel.configureBlocking(false);
            channel.setOption(StandardSocketOptions.SO_REUSEADDR, options.shared());
            if (options.shared() && channel.supportedOptions().contains(StandardSocketOptions.SO_REUSEPORT)) {
                channel.setOption(StandardSocketOptions.SO_REUSEPORT, true);
            }
            channel.setOption(StandardSocketOptions.SO_BROADCAST, options.broadcast());
            channel.setOption(StandardSocketOptions.SO_RCVBUF, options.receiveBuffer());
            channel.setOption(StandardSocketOptions.SO_SNDBUF, options.sendBuffer());
            channel.setOption(StandardSocketOptions.IP_MULTICAST_TTL, options.multicastHops());
            NetworkInterface network = options.multicastNetwork();
            if (network != null) {
                channel.setOption(StandardSocketOptions.IP_MULTICAST_IF, network);
            }
            channel.bind(options.address());
            SelectionKey key = channel.register(transport.selector(), SelectionKey.OP_READ, handler);
            transport.wakeup(); // a selector that waits already takes the key only in its next round
            return new NioDatagramPort(transport, channel, key, network);
        } catch (IOException | RuntimeException e) {
            channel.close();
            transport.channelClosed();
            throw e;
        }
    }

    /** The wildcard address takes both versions of IP, any other its own. */
    private static DatagramChannel openFor(InetSocketAddress address) throws IOException {
        return address.getAddress() instanceof Inet4Address
                        && !address.getAddress().isAnyLocalAddress()
                ? DatagramChannel.open(StandardProtocolFamily.INET)
                : DatagramChannel.open();
    }

    @Override
    public InetSocketAddress localAddress() {
        return address;
    }

    @Override
    public int unfragmentedLength() {
        return unfragmentedLength;
    }

    @Override
    public int receiveBuffer() {
        return receiveBuffer;
    }

    @Override
    public int mostSegments() {
        return 1;
    }

    @Override
    public int receive(DatagramInput into) throws IOException {
        ByteBuffer buffer = into.buffer();
        int filled = 0;
        while (into.count() < DatagramInput.SLOTS) {
            int at = DatagramInput.offset(into.count());
            buffer.limit(at + DatagramInput.SLOT_LENGTH).position(at);
            InetSocketAddress from = (InetSocketAddress) channel.receive(buffer);
            if (from == null) {
                break;
            }
            translate(from);
            int length = buffer.position() - at;
            into.add(length, length, source.high(), source.low(), source.port(), source.scope());
            filled++;
        }
        return filled;
    }

    @SuppressWarnings("ReferenceEquality") // the channel gives the same object while the source is the same
    private void translate(InetSocketAddress from) {
        if (from != sourceObject) {
            source.set(new DatagramAddress(from));
            sourceObject = from;
        }
    }

    @Override
    public int send(DatagramOutput from) {
        ByteBuffer buffer = from.buffer();
        int taken = 0;
        while (taken < from.count()) {
            int at = from.offset(taken);
            buffer.limit(at + from.length(taken)).position(at);
            try {
                if (channel.send(buffer, from.destination(taken).object()) == 0 && from.length(taken) > 0) {
                    break;
                }
            } catch (IOException | RuntimeException e) {
                // a destination of the other version of IP comes as an exception of another kind
                from.refuse(
                        e instanceof IOException io
                                ? Networks.refusal(from.destination(taken), io)
                                : new IOException(e));
                break;
            }
            taken++;
        }
        return taken;
    }

    @Override
    public void awaitWritable(boolean wanted) {
        int operations = wanted ? SelectionKey.OP_READ | SelectionKey.OP_WRITE : SelectionKey.OP_READ;
        if (key.isValid() && key.interestOps() != operations) {
            key.interestOps(operations);
            transport.wakeup();
        }
    }

    @Override
    public void join(InetAddress group, @Nullable NetworkInterface network) throws IOException {
        NetworkInterface chosen = Networks.networkFor(group, network, address.getAddress());
        memberships.put(new Membership(group, chosen), channel.join(group, chosen));
    }

    @Override
    public void leave(InetAddress group, @Nullable NetworkInterface network) throws IOException {
        NetworkInterface chosen = Networks.networkFor(group, network, address.getAddress());
        MembershipKey membership = memberships.remove(new Membership(group, chosen));
        if (membership == null) {
            throw new IOException("not a member of " + group.getHostAddress() + " on " + chosen.getName());
        }
        membership.drop();
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "closing the datagram port at " + address, e);
        }
        transport.dropClosedChannels(); // else the address stays in use until the agent looks again
    }
}
