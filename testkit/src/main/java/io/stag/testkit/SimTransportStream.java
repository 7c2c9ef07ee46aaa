package io.stag.testkit;

import io.stag.rnic.mpa.Splices;
import io.stag.rnic.mpa.StagingBuffer;
import io.stag.rnic.transport.GatheringStream;
import io.stag.rnic.transport.Transport;
import io.stag.simnet.SimStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/** A stream of a simulated network, as the RNIC wants it. */
final class SimTransportStream implements GatheringStream, SimTransport.Source {
    private final SimStream stream;
    private final IntSupplier segmentSize;
    private @Nullable SimTransport transport;
    private Transport.ReadyHandler handler = () -> {};
    private boolean connectFinished;
    private boolean writableWanted;
    private boolean inputEnded; // the end of a stream is readable for ever; it is told once

    SimTransportStream(SimStream stream, IntSupplier segmentSize, boolean connectFinished) {
        this.stream = stream;
        this.segmentSize = segmentSize;
        this.connectFinished = connectFinished;
    }

    void watch(SimTransport newTransport, Transport.ReadyHandler newHandler) {
        transport = newTransport;
        handler = newHandler;
        newTransport.add(this);
    }

    @Override
    public boolean isReady() {
        if (!connectFinished) {
            return stream.isConnected() || stream.failed();
        }
        return (!inputEnded && stream.readable()) || (writableWanted && stream.writable());
    }

    @Override
    public Transport.ReadyHandler handler() {
        return handler;
    }

    @Override
    public boolean finishConnect() throws IOException {
        Optional<IOException> failure = stream.failure();
        if (failure.isPresent()) {
            throw failure.get();
        }
        connectFinished |= stream.isConnected();
        return connectFinished;
    }

    @Override
    public int read(StagingBuffer into) throws IOException {
        int count = stream.read(into.segment(), into.end(), into.room());
        if (count > 0) {
            into.append(count);
        }
        inputEnded |= count < 0;
        return count;
    }

    @Override
    public int write(StagingBuffer from) throws IOException {
        int count = stream.write(from.segment(), from.start(), from.size());
        from.consume(count);
        return count;
    }

    /** Small, so that little traffic shows both ways. */
    @Override
    public int leastGathered() {
        return 100;
    }

    @Override
    public int write(StagingBuffer from, Splices splices) throws IOException {
        StagingBuffer joined = new StagingBuffer(from.size() + splices.total());
        return splices.copyRest(from, 0, joined) == Splices.COPIED
                ? stream.write(joined.segment(), 0, joined.size())
                : GONE;
    }

    @Override
    public void awaitWritable(boolean wanted) {
        writableWanted = wanted;
    }

    @Override
    public void finishOutput() {
        stream.shutdownOutput();
    }

    @Override
    public void close() {
        release();
        stream.close();
    }

    @Override
    public void abort() {
        release();
        stream.reset();
    }

    @Override
    public void release() {
        SimTransport watching = transport;
        transport = null;
        if (watching != null) {
            watching.remove(this);
        }
    }

    @Override
    public int segmentSize() {
        return segmentSize.getAsInt();
    }

    @Override
    public InetSocketAddress localAddress() {
        return stream.localAddress();
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return stream.remoteAddress();
    }
}
