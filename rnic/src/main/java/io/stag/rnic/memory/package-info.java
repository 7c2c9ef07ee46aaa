/**
 * Registered memory: the STag table, memory regions and windows, and access to memory whose owner may take it away.
 *
 * <p>The data path looks an STag up once and works with the immutable {@link io.stag.rnic.memory.Grant} it finds. The
 * control path replaces grants, never changes them.
 */
@NullMarked
package io.stag.rnic.memory;

import org.jspecify.annotations.NullMarked;
