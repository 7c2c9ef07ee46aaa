/**
 * Datagram-iWARP: messages to datagrams and back ({@code docs/datagram-wire.md}). Does no I/O, and asks for the time only whom
 * it is told to ask.
 */
@NullMarked
package io.stag.rnic.datagram;

import org.jspecify.annotations.NullMarked;
