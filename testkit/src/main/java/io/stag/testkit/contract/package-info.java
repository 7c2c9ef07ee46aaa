/**
 * The contract of the verbs, as tests that every provider passes. A provider extends each {@code …Contract} class and
 * says with a {@link io.stag.testkit.contract.ContractFixture} how its RNICs are opened and driven. The tests never block
 * and read no clock: whatever they wait for goes through {@link io.stag.testkit.contract.ContractFixture#runUntil}.
 */
@NullMarked
package io.stag.testkit.contract;

import org.jspecify.annotations.NullMarked;
