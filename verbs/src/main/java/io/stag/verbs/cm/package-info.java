/** The connection manager: how queue pairs find each other. */
@NullMarked
package io.stag.verbs.cm;

import org.jspecify.annotations.NullMarked;
