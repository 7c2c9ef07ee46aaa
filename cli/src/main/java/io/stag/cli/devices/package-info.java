/** The devices command: which RNICs are here, and what they can do. */
@NullMarked
package io.stag.cli.devices;

import org.jspecify.annotations.NullMarked;
