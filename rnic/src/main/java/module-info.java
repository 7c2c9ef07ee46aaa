/** The software RNIC, a provider of the verbs. */
@SuppressWarnings("module") // the test kit is built later
module io.stag.rnic {
    requires transitive io.stag.verbs;
    requires io.stag.wire;
    requires jdk.jfr;
    requires static java.management;
    requires static transitive org.jspecify;

    exports io.stag.rnic to
            io.stag.testkit;
    exports io.stag.rnic.agent to
            io.stag.testkit;
    exports io.stag.rnic.datagram to
            io.stag.testkit;
    exports io.stag.rnic.mpa to
            io.stag.testkit;
    exports io.stag.rnic.transport to
            io.stag.testkit;
    exports io.stag.rnic.observe;

    provides io.stag.verbs.spi.RnicProvider with
            io.stag.rnic.SoftRnicProvider;
}
