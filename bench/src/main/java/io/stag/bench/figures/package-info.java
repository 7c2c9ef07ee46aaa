/** {@code stag figures}: experiments of papers about software iWARP, run again, beside what the papers found. */
@NullMarked
package io.stag.bench.figures;

import org.jspecify.annotations.NullMarked;
