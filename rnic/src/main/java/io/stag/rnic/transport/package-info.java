/** Streams of octets below the engine. The only package of the RNIC that opens sockets. */
@NullMarked
package io.stag.rnic.transport;

import org.jspecify.annotations.NullMarked;
