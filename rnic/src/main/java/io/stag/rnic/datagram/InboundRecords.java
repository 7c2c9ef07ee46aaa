package io.stag.rnic.datagram;

import io.stag.rnic.memory.AccessCheck;
import io.stag.rnic.memory.Grant;
import io.stag.rnic.memory.Placement;
import io.stag.rnic.memory.RecentLookup;
import io.stag.rnic.memory.RemoteWriteCount;
import io.stag.rnic.memory.Rights;
import io.stag.rnic.memory.StagTable;
import io.stag.rnic.memory.ValidityBits;
import io.stag.verbs.DatagramInfo;
import io.stag.verbs.DatagramRefusal;
import io.stag.verbs.WorkCompletions;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** RDMA Write-Record at its target: placed as it arrives, marked in the region's validity map, recorded when it is over. */
final class InboundRecords {
    private static final int BLOCK = DatagramInfo.BLOCK;

    private final DatagramReceiver receiver;
    private final DatagramSettings settings;
    private final DatagramCounts counts;
    private final RecentLookup stags;
    private final DatagramOwner owner;
    private final DatagramInfo info = new DatagramInfo();

    private final RemoteWriteCount writes = new RemoteWriteCount();

    // of the datagrams at hand, noted together for the same reason as their count
    private @Nullable ValidityBits marked;
    private long firstMarked;
    private long endMarked;

    InboundRecords(
            DatagramReceiver receiver,
            DatagramSettings settings,
            DatagramCounts counts,
            StagTable stags,
            DatagramOwner owner) {
        this.receiver = receiver;
        this.settings = settings;
        this.counts = counts;
        this.stags = new RecentLookup(stags);
        this.owner = owner;
    }

    void accept(@Nullable Source known, @Nullable OpenMessage open, Arrival arrival) {
        if (!settings.allowWriteRecord()) {
            receiver.refuse(DatagramRefusal.NOT_PERMITTED, "allowWriteRecord(false)");
            return;
        }
        Grant grant = null;
        if (arrival.length > 0) {
            grant = stags.lookup(arrival.stag);
            AccessCheck check = check(grant, arrival);
            if (grant == null || check != AccessCheck.OK) {
                refuseAccess(grant, check, arrival);
                return;
            }
        }
        Source source = receiver.reassembly.admit(known, arrival);
        if (source == null) {
            receiver.refuse(DatagramRefusal.TOO_MANY_SOURCES, "Write-Record of a new source");
            return;
        }
        if (open == null) {
            receiver.reassembly.laterSeen(source, arrival); // it may take the place of one whose rest is lost
        }
        if (open == null && arrival.isWhole()) {
            acceptWhole(source, grant, arrival);
        } else if (grant != null) {
            acceptSegment(source, open, grant, arrival);
        }
    }

    /** The whole message must be allowed, not only this segment: its record will name all of it. */
    private AccessCheck check(@Nullable Grant grant, Arrival arrival) {
        return grant == null
                ? AccessCheck.INVALID_STAG
                : grant.check(
                        settings.domain(),
                        settings.queuePair(),
                        Rights.REMOTE_WRITE,
                        arrival.messageTaggedOffset,
                        arrival.length);
    }

    private void refuseAccess(@Nullable Grant grant, AccessCheck check, Arrival arrival) {
        if (grant != null) {
            grant.entry().countRefused();
        }
        receiver.refuse(
                DatagramRefusal.ACCESS,
                owner.wantsRefusals()
                        ? String.format(
                                Locale.ROOT,
                                "Write-Record of %d octets to STag 0x%08x, offset %s: %s",
                                arrival.length,
                                arrival.stag,
                                Long.toUnsignedString(arrival.messageTaggedOffset),
                                check.text())
                        : "");
    }

    private void acceptWhole(Source source, @Nullable Grant grant, Arrival arrival) {
        if (grant != null && !place(grant, arrival)) {
            return;
        }
        source.close(arrival.id);
        if (grant != null) {
            long at = grant.offsetOf(arrival.messageTaggedOffset);
            mark(grant.validity(), at / BLOCK, (at + arrival.length - 1) / BLOCK + 1);
        }
        counts.recordsComplete++;
        info.setMessage(arrival.stag, arrival.messageTaggedOffset, arrival.length, arrival.length);
        deliver(source, arrival.solicited);
    }

    private void acceptSegment(Source source, @Nullable OpenMessage known, Grant grant, Arrival arrival) {
        OpenMessage message = known;
        if (message == null) {
            message = receiver.reassembly.open(source, arrival);
            if (message == null) {
                receiver.refuse(DatagramRefusal.TOO_MANY_MESSAGES, "Write-Record in several datagrams");
                return;
            }
            message.grant = grant;
        } else if (isElsewhere(message, grant)) {
            receiver.reassembly.giveUp(message);
            grant.entry().countRefused();
            receiver.refuse(DatagramRefusal.ACCESS, "Write-Record whose STag has come to stand for other memory");
            return;
        }
        if (!place(grant, arrival)) {
            return; // what came before stays open: time will tell
        }
        mark(grant.validity(), grant.offsetOf(arrival.messageTaggedOffset), message, arrival);
        if (receiver.reassembly.placed(message, arrival)) {
            counts.recordsComplete++;
            info.setMessage(message.stag, message.taggedOffset, message.length, message.length);
            deliver(source, message.solicited);
            receiver.reassembly.close(message);
        }
    }

    /** Whether the octets of a message are in other memory than its STag stands for, which is {@code present}. */
    @SuppressWarnings("ReferenceEquality") // a grant is made anew each time
    private static boolean isElsewhere(OpenMessage message, Grant present) {
        return message.grant != present;
    }

    /** Notes marks; those that follow each other become one. */
    @SuppressWarnings("ReferenceEquality") // the same ones as before
    private void mark(ValidityBits validity, long first, long end) {
        if (marked != validity || first != endMarked) {
            putMarks();
            marked = validity;
            firstMarked = first;
        }
        endMarked = end;
    }

    private void putMarks() {
        ValidityBits validity = marked;
        if (validity != null) {
            validity.mark(firstMarked, endMarked);
            marked = null;
            owner.memoryWritten();
        }
    }

    /** What was placed shows in counters and maps from now on. */
    void showPlaced() {
        putMarks();
        writes.show();
    }

    private boolean place(Grant grant, Arrival arrival) {
        AccessCheck check = Placement.place(
                arrival.memory,
                arrival.payloadAt,
                grant,
                arrival.messageTaggedOffset + arrival.offset,
                arrival.payload);
        if (check != AccessCheck.OK) {
            refuseAccess(grant, check, arrival);
            return false;
        }
        writes.add(grant.entry());
        counts.octetsPlaced += arrival.payload;
        return true;
    }

    /**
     * Marks the blocks of the region that the segment completes. A message need not begin at a block of the region, so that a
     * block at either end of the segment may be shared with the segment beside it.
     */
    private void mark(ValidityBits validity, long at, OpenMessage message, Arrival arrival) {
        long first = (at + arrival.offset) / BLOCK;
        long end = (at + arrival.offset + arrival.payload - 1) / BLOCK + 1;
        if (at % BLOCK != 0) {
            if (arrival.offset > 0 && !message.has(arrival.firstBlock() - 1)) {
                first++;
            }
            if (!arrival.isLast() && !message.has(arrival.endBlock())) {
                end--;
            }
        }
        if (first < end) {
            mark(validity, first, end);
        }
    }

    /** A message is over without the rest; one of which nothing is where its record would say leaves no trace. */
    void giveUp(OpenMessage message) {
        Grant present = stags.lookup(message.stag);
        if (message.received == 0 || (present != null && isElsewhere(message, present))) {
            return;
        }
        counts.recordsPartial++;
        info.setMessage(message.stag, message.taggedOffset, message.length, message.received);
        info.exchangeBits(message.bits);
        deliver(message.source, message.solicited);
        receiver.reassembly.offered(message, info.exchangeBits(OpenMessage.NO_BITS));
    }

    private void deliver(Source source, boolean solicited) {
        showPlaced(); // whoever sees the record finds it so
        DatagramAddress address = source.address;
        info.setSource(address.high(), address.low(), address.port(), address.scope());
        owner.recordCompleted(solicited ? WorkCompletions.SOLICITED : 0, info);
    }
}
