/** Datagram-iWARP: messages to datagrams and back ({@code docs/datagram-wire.md}). Does no I/O and reads no clock. */
@NullMarked
package io.stag.rnic.datagram;

import org.jspecify.annotations.NullMarked;
