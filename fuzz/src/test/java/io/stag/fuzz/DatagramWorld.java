package io.stag.fuzz;

import io.stag.rnic.datagram.DatagramAddress;
import io.stag.rnic.datagram.DatagramOwner;
import io.stag.rnic.memory.Rights;
import io.stag.rnic.memory.SoftMemoryRegion;
import io.stag.rnic.memory.StagTable;
import io.stag.rnic.work.PostingTarget;
import io.stag.rnic.work.ReceiveList;
import io.stag.rnic.work.ReceiveQueue;
import io.stag.rnic.work.ReceiveWork;
import io.stag.verbs.CompletionStatus;
import io.stag.verbs.DatagramInfo;
import io.stag.verbs.DatagramRefusal;
import io.stag.verbs.ErrorDetail;
import io.stag.verbs.Operation;
import io.stag.verbs.ProtectionDomain;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** Memory and queues of a datagram queue pair, and what must be true of them. */
final class DatagramWorld implements PostingTarget, DatagramOwner {
    static final int DOMAIN = 3;

    private static final int LENGTH = 1 << 15;
    private static final int GUARD = 256;
    private static final ProtectionDomain OWNER = (ProtectionDomain) Proxy.newProxyInstance(
            DatagramWorld.class.getClassLoader(), new Class<?>[] {ProtectionDomain.class}, (_, method, _) -> {
                throw new UnsupportedOperationException(method.getName());
            });

    final StagTable stags = new StagTable(new SplittableRandom(1), 100);
    final ReceiveQueue receiveQueue = new ReceiveQueue(16, false);

    private final ReceiveList receives = new ReceiveList(receiveQueue, this);
    private final MemorySegment memory = Arena.ofAuto().allocate(3 * (LENGTH + GUARD), 64);
    private final SoftMemoryRegion writable = register(0, Rights.LOCAL_WRITE | Rights.REMOTE_WRITE, DOMAIN);
    private final SoftMemoryRegion readable = register(1, Rights.LOCAL_READ | Rights.REMOTE_READ, DOMAIN);
    private final SoftMemoryRegion foreign = register(2, Rights.LOCAL_WRITE | Rights.REMOTE_WRITE, DOMAIN + 1);
    private final MemorySegment buffers = Arena.ofAuto().allocate(LENGTH + 2 * GUARD, 64);
    private final SoftMemoryRegion bufferRegion =
            stags.register(DOMAIN, buffers.asSlice(GUARD, LENGTH), Rights.LOCAL_WRITE, OWNER);
    private final Set<Long> posted = new HashSet<>();
    private long lastId;

    private SoftMemoryRegion register(int index, int rights, int domain) {
        MemorySegment part = memory.asSlice((long) index * (LENGTH + GUARD), LENGTH);
        return stags.register(domain, part, rights, OWNER);
    }

    void post(int length) {
        long id = ++lastId;
        if (receives.receive(id)
                        .into(bufferRegion, 0, length)
                        .into(bufferRegion, length, length)
                        .post()
                == 1) {
            posted.add(id);
        }
    }

    /** A Send whose fields are mostly right. */
    byte[] send(Input input) {
        return datagram(input, 0x01, 0x43, 0, 0);
    }

    /** A Write-Record whose fields are mostly right. */
    byte[] write(Input input) {
        SoftMemoryRegion[] regions = {writable, readable, foreign};
        int stag = input.oneOf(regions).stag();
        return datagram(input, 0x81, 0x40, stag, input.u16());
    }

    private static byte[] datagram(Input input, int control, int rdmap, int stag, long place) {
        int id = input.u8();
        int length = 64 * input.u8();
        int offset = 64 * input.below(64);
        byte[] payload = new byte[64 * input.below(16) + input.below(2)];
        Arrays.fill(payload, (byte) 0x55);
        boolean last = offset + payload.length >= length;
        int messageLength = last ? offset + payload.length : length;
        ByteBuffer out = ByteBuffer.allocate(20 + 18 + payload.length + 4);
        out.put((byte) 0x11).put((byte) 0).putShort((short) 0).putInt(1);
        out.putInt(id).putInt(messageLength).putInt(offset);
        out.put((byte) (control | (last ? 0x40 : 0))).put((byte) rdmap);
        if (control == 0x81) {
            out.putInt(stag).putLong(place + offset);
        } else {
            out.putInt(0).putInt(0).putInt(id).putInt(offset);
        }
        out.put(payload);
        return DatagramFuzzTest.repaired(Arrays.copyOf(out.array(), out.position() + 4));
    }

    /** At the end. */
    void check() {
        for (long i = 0; i < memory.byteSize(); i++) {
            boolean allowed = i < LENGTH;
            Check.that(allowed || memory.get(ValueLayout.JAVA_BYTE, i) == 0, "a write where nothing was granted");
        }
        for (long i = 0; i < GUARD; i++) {
            Check.that(
                    buffers.get(ValueLayout.JAVA_BYTE, i) == 0
                            && buffers.get(ValueLayout.JAVA_BYTE, buffers.byteSize() - 1 - i) == 0,
                    "a write beside the buffers");
        }
    }

    // posting

    @Override
    public int domain() {
        return DOMAIN;
    }

    @Override
    public int maxSegments() {
        return 2;
    }

    @Override
    public int maxInline() {
        return 0;
    }

    @Override
    public void checkPosting() {}

    @Override
    public void ringDoorbell() {}

    // the owner

    @Override
    public void sendCompleted(
            long id, Operation operation, boolean signaled, CompletionStatus status, @Nullable ErrorDetail detail) {
        throw new AssertionError("nothing was sent");
    }

    @Override
    public void receiveTaken() {}

    @Override
    public void receiveCompleted(ReceiveWork work, long length, int flags, DatagramInfo info) {
        Check.that(posted.remove(work.id), "a receive completes once");
        Check.that(length <= work.buffers.total(), "a message fits its receive");
        Check.that(info.isComplete(), "a Send is delivered whole");
    }

    @Override
    public void receiveFailed(ReceiveWork work, CompletionStatus status, ErrorDetail detail) {
        throw new AssertionError(detail.toString());
    }

    @Override
    public void recordCompleted(int flags, DatagramInfo info) {
        Check.that(info.messageLength() == 0 || info.stag() == writable.stag(), "a record of memory that was granted");
        long valid = 0;
        for (long at = 0; at < info.messageLength(); at++) {
            valid += info.isValid(at) ? 1 : 0;
        }
        Check.equal(valid, info.validOctets(), "octets that are valid");
    }

    @Override
    public void memoryWritten() {}

    @Override
    public void refused(DatagramRefusal reason, DatagramAddress source, String fact) {
        Check.that(!fact.isEmpty(), "a refusal with a fact");
    }

    @Override
    public boolean wantsRefusals() {
        return true;
    }
}
