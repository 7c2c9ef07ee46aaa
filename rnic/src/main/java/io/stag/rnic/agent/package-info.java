/** The loop that owns queue pairs, their streams and timers, and the threads that may run it. */
@NullMarked
package io.stag.rnic.agent;

import org.jspecify.annotations.NullMarked;
