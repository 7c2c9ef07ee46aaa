/** Provider contract suites, and the RNIC on the seeded network for tests of RDMA programs. */
module io.stag.testkit {
    requires io.stag.rnic;
    requires io.stag.simnet;
    requires io.stag.verbs;
    requires org.assertj.core;
    requires org.junit.jupiter.api;
    requires static transitive org.jspecify;
}
