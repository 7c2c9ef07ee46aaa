/**
 * The perf command. A client measures, a server answers; a control connection tells the server what to run. Baselines
 * over plain sockets run in the same loop as the verbs, so that the difference is what Stag costs.
 */
@NullMarked
package io.stag.cli.perf;

import org.jspecify.annotations.NullMarked;
