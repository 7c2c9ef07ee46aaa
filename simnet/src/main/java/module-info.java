/** A virtual clock and a seeded network for tests. */
module io.stag.simnet {
    requires static org.jspecify;
}
