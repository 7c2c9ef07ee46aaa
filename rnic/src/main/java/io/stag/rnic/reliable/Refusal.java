package io.stag.rnic.reliable;

import io.stag.rnic.datagram.DatagramAddress;

/** An answer to a datagram that was meant for a former life of this queue pair. Filled again and again. */
final class Refusal {
    final DatagramAddress address = new DatagramAddress();
    int epoch;
    int stream;
    int psn;

    Refusal() {}
}
