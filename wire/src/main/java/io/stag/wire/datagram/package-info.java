/** The prefix that every datagram of datagram-iWARP begins with ({@code docs/datagram-wire.md}). */
package io.stag.wire.datagram;
