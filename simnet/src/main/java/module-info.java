/** A network that is a function of its seed, with virtual time, for tests of protocol code. */
module io.stag.simnet {
    requires jdk.management;
    requires static transitive org.jspecify;

    exports io.stag.simnet;
}
