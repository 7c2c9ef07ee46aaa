package io.stag.rnic.transport;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import io.stag.rnic.datagram.DatagramInput;
import io.stag.rnic.datagram.DatagramOutput;
import io.stag.rnic.mpa.Splices;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** The tables of one transport's datagram ports, of which only one makes a call at a time. */
final class DatagramTables {
    final MessageTable input = new MessageTable(DatagramInput.SLOTS, DatagramInput.SLOTS);
    final MessageTable output = new MessageTable(DatagramOutput.ENTRIES, DatagramOutput.ENTRIES + 2 * Splices.MOST);

    /** Where the kernel says how long the next datagram is. */
    final MemorySegment waiting = Arena.ofAuto().allocate(JAVA_INT);

    /** Where the slots of {@link #input} are: the address of the memory that it was made ready for. */
    long inputAddress;

    /** Slots of {@link #input} that must be made ready again. */
    int inputUsed = DatagramInput.SLOTS;
}
