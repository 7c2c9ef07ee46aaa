/** The RNIC as JMX shows it. Counters are in the verbs' snapshots, events of the flight recorder in a package of their own. */
@NullMarked
package io.stag.rnic.observe;

import org.jspecify.annotations.NullMarked;
