/** What an administrator sees of a running RNIC: flight recorder events and JMX. Counters are in the verbs' snapshots. */
@NullMarked
package io.stag.rnic.observe;

import org.jspecify.annotations.NullMarked;
