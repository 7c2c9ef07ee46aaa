/** The stag command. */
module io.stag.cli {
    requires info.picocli;
    requires io.stag.rnic;
    requires io.stag.simnet;
    requires io.stag.testkit;
    requires io.stag.verbs;
    requires io.stag.wire;

    opens io.stag.cli to
            info.picocli;
}
