/** The software RNIC, a provider of the verbs. */
module io.stag.rnic {
    requires io.stag.verbs;
    requires io.stag.wire;
    requires static transitive org.jspecify;
}
