/** The stag command. */
module io.stag.cli {
    requires com.google.gson;
    requires info.picocli;
    requires io.stag.rnic;
    requires io.stag.simnet;
    requires io.stag.testkit;
    requires io.stag.verbs;
    requires io.stag.wire;
    requires java.management;
    requires jdk.management;
    requires HdrHistogram;
    requires static org.jspecify;

    uses io.stag.cli.perf.PeerTests;
    uses io.stag.verbs.spi.RnicProvider;

    opens io.stag.cli to
            info.picocli;
    opens io.stag.cli.demo to
            info.picocli;
    opens io.stag.cli.devices to
            com.google.gson,
            info.picocli;
    opens io.stag.cli.dump to
            info.picocli;
    opens io.stag.cli.misbehave to
            com.google.gson,
            info.picocli;
    opens io.stag.cli.perf to
            com.google.gson,
            info.picocli;
    opens io.stag.cli.rping to
            info.picocli;
}
