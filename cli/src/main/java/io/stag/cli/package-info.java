/** The stag command: what its subcommands share. */
@NullMarked
package io.stag.cli;

import org.jspecify.annotations.NullMarked;
