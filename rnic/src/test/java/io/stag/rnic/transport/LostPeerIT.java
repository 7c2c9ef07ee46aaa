package io.stag.rnic.transport;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.stag.rnic.mpa.StagingBuffer;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/** A peer that does not answer any more, without a word. */
class LostPeerIT extends TransportFixture {
    private static final int SO_ATTACH_FILTER = 26;
    private static final int TCP_USER_TIMEOUT = 18;
    private static final long ACCEPT_NOTHING = 0x06; // one instruction of BPF: return 0 octets of each packet
    private static final int PROGRAM_LENGTH = 16; // struct sock_fprog: how many instructions, and where

    @Override
    Transport open() throws IOException {
        return LinuxTests.open();
    }

    @Test
    void isNotTakenForTheEndOfTheStream() throws IOException {
        Transport transport = transport();
        LinuxSocket listening = LinuxSocket.openAndBind(loopback());
        listening.listen(1);
        LinuxSocket socket = LinuxSocket.openFor(listening.localAddress());
        LinuxStream stream = new LinuxStream(socket, listening.localAddress(), true);
        socket.connect(listening.localAddress());
        LinuxSocket.Accepted peer = listening.accept();
        assertThat(peer).isNotNull();
        try {
            transport.adopt(stream, new Handler());
            dropWhatComes(peer.socket());
            socket.set(Libc.IPPROTO_TCP, TCP_USER_TIMEOUT, 1);
            send(stream, "anybody there?");
            StagingBuffer buffer = new StagingBuffer(64);
            assertThatIOException()
                    .isThrownBy(() -> until(() -> stream.read(buffer) < 0, transport))
                    .withMessageContaining("not answered");
            assertThatIOException().isThrownBy(() -> stream.write(holding("x")));
        } finally {
            listening.close();
            peer.socket().close();
            stream.close();
        }
    }

    @Test
    void whoNeverHadOneIsToldAtLast() throws IOException {
        LinuxStream stream = new LinuxStream(LinuxSocket.openFor(loopback()), loopback(), true);
        StagingBuffer buffer = new StagingBuffer(64);
        assertThatIOException()
                .isThrownBy(() -> until(() -> stream.read(buffer) < 0))
                .withMessageContaining("not connected");
        stream.close();
    }

    private static void dropWhatComes(LinuxSocket socket) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment program = arena.allocate(PROGRAM_LENGTH, Long.BYTES);
            program.set(JAVA_SHORT, 0, (short) 1);
            program.set(ADDRESS, Long.BYTES, arena.allocateFrom(JAVA_LONG, ACCEPT_NOTHING));
            assertThat(socket.set(Libc.SOL_SOCKET, SO_ATTACH_FILTER, program)).isZero();
        }
    }
}
