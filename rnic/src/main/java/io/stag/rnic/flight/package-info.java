/** Events of the flight recorder. */
@NullMarked
package io.stag.rnic.flight;

import org.jspecify.annotations.NullMarked;
