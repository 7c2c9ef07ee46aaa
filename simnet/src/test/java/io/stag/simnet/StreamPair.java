package io.stag.simnet;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/** Two ends of a connection, and what tests do with them. */
record StreamPair(SimNetwork network, SimStream client, SimStream server) {
    static StreamPair connect(SimNetwork network) throws IOException {
        SimListener listener = network.listen(SimNetwork.address(2, 0));
        SimStream client = network.connect(listener.localAddress());
        while (!client.isConnected()) {
            if (!network.step()) {
                throw new IOException("not connected");
            }
        }
        return new StreamPair(network, client, listener.accept().orElseThrow());
    }

    static StreamPair connect(StreamFaults faults) throws IOException {
        return connect(new SimNetwork(new VirtualClock(), 1, faults, DatagramFaults.none()));
    }

    static StreamPair connect() throws IOException {
        return connect(StreamFaults.none());
    }

    static MemorySegment octets(int... values) {
        byte[] octets = new byte[values.length];
        for (int i = 0; i < values.length; i++) {
            octets[i] = (byte) values[i];
        }
        return MemorySegment.ofArray(octets);
    }

    /** Octets 0, 1, 2, … */
    static MemorySegment counting(int length) {
        byte[] octets = new byte[length];
        for (int i = 0; i < length; i++) {
            octets[i] = (byte) i;
        }
        return MemorySegment.ofArray(octets);
    }

    static int write(SimStream stream, MemorySegment octets) throws IOException {
        return stream.write(octets, 0, (int) octets.byteSize());
    }

    /** One read. */
    static byte[] read(SimStream stream) throws IOException {
        byte[] octets = new byte[1 << 17];
        int count = stream.read(MemorySegment.ofArray(octets), 0, octets.length);
        return Arrays.copyOf(octets, Math.max(0, count));
    }

    void settle() {
        while (network.step()) {
            // until nothing is under way
        }
    }
}
