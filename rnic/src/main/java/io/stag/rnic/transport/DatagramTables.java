package io.stag.rnic.transport;

import io.stag.rnic.datagram.DatagramInput;
import io.stag.rnic.datagram.DatagramOutput;

/** The tables of one transport's datagram ports, of which only one makes a call at a time. */
final class DatagramTables {
    final MessageTable input = new MessageTable(DatagramInput.SLOTS);
    final MessageTable output = new MessageTable(DatagramOutput.ENTRIES);

    /** Where the slots of {@link #input} are: the address of the memory that it was made ready for. */
    long inputAddress;

    /** Slots of {@link #input} that must be made ready again. */
    int inputUsed = DatagramInput.SLOTS;
}
