/** Benchmarks of the engine with JMH, and programs that run the RNIC long, hard and wide. */
@NullMarked
package io.stag.bench;

import org.jspecify.annotations.NullMarked;
