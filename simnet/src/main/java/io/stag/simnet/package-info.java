/**
 * A simulated network: one thread, virtual time, every fault drawn from a seed.
 *
 * <p>{@link io.stag.simnet.SimNetwork} owns an event queue. Nothing moves until a test calls
 * {@link io.stag.simnet.SimNetwork#step()} or {@link io.stag.simnet.SimNetwork#advanceTo(long)}; no class here reads a
 * wall clock, starts a thread or lets the order of a hash table show. Two runs with the same seed and the same calls
 * therefore give the same events at the same virtual instants.
 *
 * <p>{@link io.stag.simnet.Seeds} gives the seeds of a test, {@link io.stag.simnet.AllocationMeter} counts what a piece
 * of code allocates, {@link io.stag.simnet.Conforms} ties a test to the conformance items it shows.
 */
package io.stag.simnet;
