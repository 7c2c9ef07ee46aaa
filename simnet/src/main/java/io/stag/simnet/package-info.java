/** A virtual clock and a seeded network for tests. */
package io.stag.simnet;
