package io.stag.fuzz;

import io.stag.rnic.datagram.DatagramAddress;
import io.stag.rnic.datagram.DatagramInput;
import io.stag.rnic.datagram.DatagramOutput;
import io.stag.rnic.datagram.SoftAddressHandle;
import io.stag.rnic.memory.Rights;
import io.stag.rnic.memory.SoftMemoryRegion;
import io.stag.rnic.memory.StagTable;
import io.stag.rnic.reliable.ReliableCounts;
import io.stag.rnic.reliable.ReliableEngine;
import io.stag.rnic.reliable.ReliableOwner;
import io.stag.rnic.reliable.ReliableSettings;
import io.stag.rnic.work.PostingTarget;
import io.stag.rnic.work.ReceiveList;
import io.stag.rnic.work.ReceiveQueue;
import io.stag.rnic.work.ReceiveWork;
import io.stag.rnic.work.ReliableSendList;
import io.stag.rnic.work.SendQueue;
import io.stag.verbs.CompletionStatus;
import io.stag.verbs.DatagramInfo;
import io.stag.verbs.DatagramRefusal;
import io.stag.verbs.ErrorDetail;
import io.stag.verbs.Operation;
import io.stag.verbs.ProtectionDomain;
import io.stag.verbs.WorkCompletions;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** One life of a reliable datagram queue pair at an address, and what must be true of it. */
final class ReliableEnd implements PostingTarget, ReliableOwner {
    static final int MAX_PEERS = 4;
    static final int MAX_MESSAGE = 256;

    private static final int DOMAIN = 3;
    private static final int DEPTH = 16;
    private static final int PART = 1024;
    private static final int PARTS = 5;
    private static final int GUARD = 64;

    /** Places for receives: more than can be posted, so that none is used twice at a time. */
    private static final int SLOTS = 64;

    private static final DatagramInput INPUT = new DatagramInput();
    private static final DatagramOutput OUTPUT = new DatagramOutput();

    /** Small, so that payload is sent both ways: copied, and from its place. */
    private static final int LEAST_IN_PLACE = 64;

    private static final ValueLayout.OfInt NUMBER = ValueLayout.JAVA_INT_UNALIGNED;
    private static final ProtectionDomain OWNER = (ProtectionDomain) Proxy.newProxyInstance(
            ReliableEnd.class.getClassLoader(), new Class<?>[] {ProtectionDomain.class}, (_, method, _) -> {
                throw new UnsupportedOperationException(method.getName());
            });

    /** Where what it sends goes. */
    interface Network {
        void send(ReliableEnd from, DatagramAddress to, byte[] octets);
    }

    final int index;
    final int epoch;
    final ReliableEngine engine;

    /** Messages for receives that this life has got, by life of their sender and number. */
    final Set<Integer> delivered = new HashSet<>();

    int atomicsPosted;
    int atomicsDone;

    private final StagTable stags = new StagTable(new SplittableRandom(1), 100);
    private final MemorySegment memory = Arena.ofAuto().allocate(PARTS * (PART + GUARD), 64);
    final SoftMemoryRegion shared =
            register(0, Rights.LOCAL_WRITE | Rights.LOCAL_READ | Rights.REMOTE_WRITE | Rights.REMOTE_READ, DOMAIN);
    final SoftMemoryRegion counter = register(1, Rights.LOCAL_WRITE | Rights.LOCAL_READ | Rights.REMOTE_ATOMIC, DOMAIN);
    final SoftMemoryRegion readOnly = register(2, Rights.LOCAL_READ | Rights.REMOTE_READ, DOMAIN);
    final SoftMemoryRegion foreign = register(3, Rights.REMOTE_WRITE | Rights.LOCAL_WRITE, DOMAIN + 1);
    private final SoftMemoryRegion own = register(4, Rights.LOCAL_WRITE | Rights.LOCAL_READ, DOMAIN);
    private final MemorySegment buffers = Arena.ofAuto().allocate(SLOTS * MAX_MESSAGE + GUARD, 64);
    private final SoftMemoryRegion bufferRegion =
            stags.register(DOMAIN, buffers.asSlice(0, SLOTS * MAX_MESSAGE), Rights.LOCAL_WRITE, OWNER);
    private final SendQueue sendQueue = new SendQueue(DEPTH);
    private final ReceiveQueue receiveQueue = new ReceiveQueue(DEPTH, false);
    private final ReliableSendList requests = new ReliableSendList(sendQueue, this);
    private final ReceiveList receives = new ReceiveList(receiveQueue, this);
    private final ArrayDeque<Long> outstanding = new ArrayDeque<>();
    private final Set<Long> posted = new HashSet<>();
    private final int[] lastNumber = new int[64];
    private final SoftAddressHandle peer;
    private long lastId;
    private long lastReceive;
    private int lastMessage;
    private final int life;
    private ReliableEnd @Nullable [] peerLives;
    private boolean strict = true;

    ReliableEnd(int index, int life) {
        this.index = index;
        this.life = life;
        epoch = 100 * (index + 1) + life;
        peer = new SoftAddressHandle(new InetSocketAddress("10.0.0." + (2 - index), 7174));
        ReliableSettings settings = new ReliableSettings(
                DOMAIN,
                7,
                epoch,
                42,
                64,
                16,
                8,
                MAX_PEERS,
                1024,
                2,
                60_000_000_000L,
                10_000_000_000L,
                20_000,
                true,
                true);
        engine = new ReliableEngine(settings, new ReliableCounts(), sendQueue, receiveQueue, stags, this);
    }

    private SoftMemoryRegion register(int part, int rights, int domain) {
        return stags.register(domain, memory.asSlice((long) part * (PART + GUARD), PART), rights, OWNER);
    }

    /** All lives that were or are at the other address, for the check of what is acknowledged. */
    void knows(ReliableEnd[] lives) {
        peerLives = lives;
    }

    /** Somebody lied: only what holds against liars is checked from now on. */
    void distrust() {
        strict = false;
    }

    boolean isQuiet() {
        return outstanding.isEmpty();
    }

    // what the program does

    void postReceive(int length) {
        long id = ++lastReceive;
        if (receives.receive(id).into(bufferRegion, place(id), length).post() == 1) {
            posted.add(id);
        }
    }

    private static long place(long receive) {
        return receive % SLOTS * MAX_MESSAGE;
    }

    private boolean isFull() {
        return outstanding.size() >= DEPTH;
    }

    /** A message that carries its number, 4 octets or more. */
    void postSend(int length) {
        if (isFull()) {
            return;
        }
        int number = ++lastMessage;
        MemorySegment data = Arena.ofAuto().allocate(Math.max(Integer.BYTES, length));
        data.set(NUMBER, 0, life << 16 | number);
        requests.to(peer).send(next(number)).inline(data).post();
    }

    void postImmediate() {
        if (!isFull()) {
            int number = ++lastMessage;
            requests.to(peer).immediate(next(number), life << 16 | number).post();
        }
    }

    void postWrite(int stag, int offset, int length, boolean immediate) {
        if (isFull()) {
            return;
        }
        if (immediate) {
            int number = ++lastMessage;
            requests.to(peer)
                    .writeImmediate(next(number), stag, offset, life << 16 | number)
                    .from(own, 0, length)
                    .post();
        } else {
            requests.to(peer).write(next(0), stag, offset).from(own, 0, length).post();
        }
    }

    void postRead(int stag, int offset, int length) {
        if (!isFull()) {
            requests.to(peer).read(next(0), stag, offset).into(own, 0, length).post();
        }
    }

    void postAdd(int stag) {
        if (!isFull()) {
            atomicsPosted++;
            requests.to(peer)
                    .fetchAdd(next(0), stag, 0, 1)
                    .into(own, 0, Long.BYTES)
                    .post();
        }
    }

    /** The id of a request; its lower half is the number of its message, if it has one. */
    private long next(int number) {
        long id = ++lastId << 32 | number;
        outstanding.add(id);
        return id;
    }

    // what the network does

    void arrive(byte[] octets, int fromHost, int fromPort, long now) {
        INPUT.clear();
        MemorySegment.copy(octets, 0, INPUT.segment(), ValueLayout.JAVA_BYTE, DatagramInput.offset(0), octets.length);
        INPUT.add(octets.length, octets.length, 0, DatagramAddress.ipv4Low(0x0A00_0000 | fromHost), fromPort, 0);
        engine.handle(INPUT, now);
        Check.that(engine.peers() <= MAX_PEERS, "peers are bounded");
    }

    /** Lets it send; the port takes some of it only. */
    void flush(Network network, int taken, long now) {
        if (!engine.hasOutput()) {
            return;
        }
        OUTPUT.clear(1, LEAST_IN_PLACE);
        engine.fill(OUTPUT, now);
        Check.that(OUTPUT.fillHoles(), "memory that nobody took away is there");
        int sent = Math.min(taken, OUTPUT.count());
        for (int i = 0; i < sent; i++) {
            byte[] octets =
                    OUTPUT.segment().asSlice(OUTPUT.offset(i), OUTPUT.length(i)).toArray(ValueLayout.JAVA_BYTE);
            network.send(this, OUTPUT.destination(i), octets);
        }
        engine.transmitted(OUTPUT, sent);
    }

    // what must hold

    long counterValue() {
        return memory.get(ValueLayout.JAVA_LONG, PART + GUARD);
    }

    void checkMemory() {
        for (int part = 0; part < PARTS; part++) {
            long end = (long) part * (PART + GUARD) + PART;
            for (long i = end; i < end + GUARD; i += Long.BYTES) {
                Check.that(memory.get(ValueLayout.JAVA_LONG, i) == 0, "a write behind memory that was granted");
            }
        }
        for (long i = SLOTS * MAX_MESSAGE; i < buffers.byteSize(); i += Long.BYTES) {
            Check.that(buffers.get(ValueLayout.JAVA_LONG, i) == 0, "a write behind the receives");
        }
        for (int part = 2; part <= 3; part++) {
            long begin = (long) part * (PART + GUARD);
            for (long i = begin; i < begin + PART; i += Long.BYTES) {
                Check.that(memory.get(ValueLayout.JAVA_LONG, i) == 0, "a write where nothing was granted");
            }
        }
    }

    private void delivered(int message) {
        int from = message >>> 16;
        int number = message & 0xFFFF;
        if (!strict) {
            return;
        }
        Check.that(delivered.add(message), "a message is taken twice: " + number + " of life " + from);
        Check.that(number > lastNumber[from], "a message is taken after a later one");
        lastNumber[from] = number;
    }

    @Override
    public void sendCompleted(
            long id, Operation operation, long length, CompletionStatus status, @Nullable ErrorDetail detail) {
        Check.that(!outstanding.isEmpty() && outstanding.poll() == id, "requests complete once and in order");
        Check.that(status == CompletionStatus.SUCCESS || detail != null, "a failure has a reason");
        int number = (int) id;
        ReliableEnd[] lives = peerLives;
        if (status != CompletionStatus.SUCCESS || !strict || lives == null) {
            return;
        }
        atomicsDone += operation == Operation.FETCH_ADD ? 1 : 0;
        if (number != 0) {
            boolean taken = false;
            for (ReliableEnd other : lives) {
                taken |= other.delivered.contains(life << 16 | number);
            }
            Check.that(taken, "a message is complete that nobody took");
        }
    }

    @Override
    public void receiveTaken() {}

    @Override
    public void receiveCompleted(
            ReceiveWork work,
            Operation operation,
            long length,
            int flags,
            long immediate,
            int invalidatedStag,
            DatagramInfo info) {
        Check.that(posted.remove(work.id), "a receive completes once");
        Check.that(length <= work.buffers.total(), "a message fits its receive");
        boolean isImmediate = (flags & WorkCompletions.WITH_IMMEDIATE) != 0;
        if (strict) {
            delivered(isImmediate ? (int) immediate : buffers.get(NUMBER, place(work.id)));
        }
    }

    @Override
    public void receiveFailed(ReceiveWork work, CompletionStatus status, ErrorDetail detail) {
        Check.that(posted.remove(work.id), "a receive completes once");
    }

    @Override
    public void sendingFailed(DatagramAddress to, ErrorDetail detail) {
        Check.that(!detail.toString().isEmpty(), "a failure with a reason");
    }

    @Override
    public void peerFailed(DatagramAddress from, ErrorDetail detail) {
        Check.that(!detail.toString().isEmpty(), "a fault with a reason");
    }

    @Override
    public void refused(DatagramRefusal reason, DatagramAddress source, String fact) {
        Check.that(!fact.isEmpty(), "a refusal with a fact");
    }

    @Override
    public boolean wantsRefusals() {
        return true;
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
        return MAX_MESSAGE;
    }

    @Override
    public void checkPosting() {}

    @Override
    public void ringDoorbell() {
        engine.receivesPosted();
    }
}
