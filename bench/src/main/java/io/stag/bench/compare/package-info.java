/**
 * {@code stag perf compare} and {@code stag perf check}: Stag beside raw TCP, a bare framing loop and other libraries,
 * measured in short turns, so that what disturbs one disturbs all.
 */
@NullMarked
package io.stag.bench.compare;

import org.jspecify.annotations.NullMarked;
