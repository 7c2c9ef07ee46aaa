/**
 * The RNIC on the seeded network, for tests of RDMA programs: {@link io.stag.testkit.SimulatedRnics}. The contract that
 * every provider of the verbs keeps is in {@code io.stag.testkit.contract}.
 */
@NullMarked
package io.stag.testkit;

import org.jspecify.annotations.NullMarked;
