/** RDMA verbs: the API that programs use, and what a provider implements. */
module io.stag.verbs {
    requires static transitive org.jspecify;

    exports io.stag.verbs;
    exports io.stag.verbs.cm;
    exports io.stag.verbs.spi;

    uses io.stag.verbs.spi.RnicProvider;
}
