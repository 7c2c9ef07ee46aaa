/** Other libraries as tests of {@code stag perf}: the same loops, pinning and warm-up. */
@NullMarked
package io.stag.bench.peer;

import org.jspecify.annotations.NullMarked;
