/** What an implementation of the verbs provides. */
@NullMarked
package io.stag.verbs.spi;

import org.jspecify.annotations.NullMarked;
