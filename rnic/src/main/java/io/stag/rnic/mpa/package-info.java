/**
 * MPA connection set-up (RFC 5044, section 7; RFC 6581): the exchange of one Request and one Reply, as state machines
 * that do no I/O and read no clock.
 */
@NullMarked
package io.stag.rnic.mpa;

import org.jspecify.annotations.NullMarked;
