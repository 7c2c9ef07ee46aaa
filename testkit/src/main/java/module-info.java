/** Provider contract suites, and the RNIC on the seeded network for tests of RDMA programs. */
module io.stag.testkit {
    requires transitive io.stag.simnet;
    requires transitive io.stag.verbs;
    requires transitive org.junit.jupiter.api;
    requires transitive org.junit.jupiter.params;
    requires io.stag.rnic;
    requires org.assertj.core;
    requires static transitive org.jspecify;

    exports io.stag.testkit;
    exports io.stag.testkit.contract;

    opens io.stag.testkit.contract;
}
