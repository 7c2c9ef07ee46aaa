/** The demo command: every operation once between two RNICs of this process, and a few figures. */
@NullMarked
package io.stag.cli.demo;

import org.jspecify.annotations.NullMarked;
