/** Reliable datagrams: the protocol of {@code docs/reliable-datagram.md}, without I/O and without a clock. */
@NullMarked
package io.stag.rnic.reliable;

import org.jspecify.annotations.NullMarked;
