/** MPA (RFC 5044, 6581): startup of a connection, then framing. No I/O. */
@NullMarked
package io.stag.rnic.mpa;

import org.jspecify.annotations.NullMarked;
