/** A virtual clock and a seeded network for tests. */
module io.stag.simnet {
    requires static transitive org.jspecify;
}
