/** The verbs objects of the software RNIC. */
@NullMarked
package io.stag.rnic.qp;

import org.jspecify.annotations.NullMarked;
