/**
 * The misbehave command: a peer that breaks the rules on purpose, one rule per case, and judges what the other end does
 * about it. It speaks raw TCP and shares nothing with the RNIC but the layouts of {@code wire}, so that an error of one
 * does not hide in the other.
 */
@NullMarked
package io.stag.cli.misbehave;

import org.jspecify.annotations.NullMarked;
