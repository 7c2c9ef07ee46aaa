/** The connection manager of the software RNIC: from a stream of octets to a connected queue pair and back. */
@NullMarked
package io.stag.rnic.cm;

import org.jspecify.annotations.NullMarked;
