/**
 * Stag against Linux siw in a virtual machine. {@link io.stag.interop.InteropCommand} boots the guest once, runs the
 * {@linkplain io.stag.interop.Catalogue cells} one after the other, each with a capture of its own, and prints a matrix.
 */
@NullMarked
package io.stag.interop;

import org.jspecify.annotations.NullMarked;
