/** Work requests and completions on their way: rings between the threads that post or poll and the engine. */
@NullMarked
package io.stag.rnic.work;

import org.jspecify.annotations.NullMarked;
