/** The rping command: the exchange of rdma-core's program of the same name, so that either can talk to the other. */
@NullMarked
package io.stag.cli.rping;

import org.jspecify.annotations.NullMarked;
